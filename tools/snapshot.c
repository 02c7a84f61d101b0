/*
 * widefsctl snapshot: on a mount through .snapshots and .widefs/ctl, else on the
 * store itself.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/counted.h"
#include "store/snapshot.h"
#include "store/table/present.h"
#include "store/type/json/print.h"
#include "tools/commands.h"
#include "tools/lib/place.h"
#include "tools/lib/tool.h"

static int run_snapshot(int argc, char **argv);
const struct command command_snapshot = {
	.name = "snapshot",
	.summary = "take, list, drop and restore snapshots",
	.usage = "usage: widefsctl snapshot list [--json] STORE\n"
		 "       widefsctl snapshot create STORE NAME\n"
		 "       widefsctl snapshot drop [--force | --dry-run] STORE "
		 "NAME\n"
		 "       widefsctl snapshot restore [--force | --dry-run] STORE "
		 "NAME [KEYSPACE[.TABLE]]\n"
		 "Keep everything in a mount or a store as it is, and bring it "
		 "back. drop and restore\nprint what they will do, and ask for "
		 "the name unless --force is given.\n\n"
		 "  -f, --force    do not ask\n"
		 "  -n, --dry-run  print what would be done, and do nothing\n"
		 "  -j, --json     list: one object for each snapshot\n"
		 "  -h, --help     this text\n",
	.run = run_snapshot,
};

struct snapshot_work {
	struct tool_place place;
	struct store *store;		/* NULL: mounted */
	const char *name, *part;	/* part NULL: everything */
};

/* The printed columns of a snapshot. */
struct snapshot_line {
	const char *name;
	uint64_t number;		/* not of a mount */
	int64_t created_s;
	uint64_t held;
	bool automatic;
	bool owned;
	uint64_t owner;			/* a uid, if owned */
};

static const char *object_of(const struct snapshot_work *w)
{
	return w->store ? w->place.store : w->place.mount;
}

/* Return the path of a name in the mount's .snapshots, to be freed, or NULL. */
static char *path_of(const struct snapshot_work *w, const char *name)
{
	char *path;

	return asprintf(&path, "%s/.snapshots/%s", w->place.mount, name) < 0 ?
		       NULL : path;
}

/* Call each for every snapshot: 0 or what each returned, or -errno. */
static int each_here(const struct snapshot_work *w,
		     int (*each)(const struct snapshot_line *l, void *context),
		     void *context)
{
	struct manifest_snapshot *list;
	size_t count, i;
	int err = snapshot_list(w->store, &list, &count);

	for (i = 0; i < count && !err; i++) {
		struct snapshot_line l = {
			.name = list[i].name,
			.number = list[i].number,
			.created_s = list[i].created_us / 1000000,
			.automatic = list[i].automatic,
			.owned = list[i].owner != MANIFEST_NO_OWNER,
			.owner = list[i].owner,
		};

		err = snapshot_held(w->store, list[i].number, &l.held);
		if (!err)
			err = each(&l, context);
	}
	mem_free(list);
	return err;
}

/* Read an attribute that is a number: false, and 0, if there is none. */
static bool read_attribute(const char *path, const char *name, uint64_t *value)
{
	char text[32] = "";
	ssize_t n = getxattr(path, name, text, sizeof(text) - 1);

	*value = n > 0 ? strtoull(text, NULL, 10) : 0;
	return n > 0;
}

/* Return the next entry; NULL at the end, and with *err if it cannot be read. */
static const struct dirent *next_entry(DIR *dir, int *err)
{
	const struct dirent *e;

	errno = 0;
	e = readdir(dir);
	if (!e)
		*err = -errno;
	return e;
}

static int each_mounted(const struct snapshot_work *w,
			int (*each)(const struct snapshot_line *l,
				    void *context),
			void *context)
{
	char *path = path_of(w, "");
	DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *e;
	int err = dir ? 0 : path ? -errno : -ENOMEM;

	free(path);
	while (dir && !err && (e = next_entry(dir, &err))) {
		struct snapshot_line l = { .name = e->d_name };
		uint64_t created, automatic;
		char *one;

		if (e->d_name[0] == '.')
			continue;
		one = path_of(w, e->d_name);
		if (!one) {
			err = -ENOMEM;
			break;
		}
		read_attribute(one, "user.created", &created);
		read_attribute(one, "user.held", &l.held);
		read_attribute(one, "user.automatic", &automatic);
		l.owned = read_attribute(one, "user.owner", &l.owner);
		l.created_s = (int64_t)created;
		l.automatic = automatic;
		err = each(&l, context);
		free(one);
	}
	if (dir)
		closedir(dir);
	return err;
}

static int each_snapshot(const struct snapshot_work *w,
			 int (*each)(const struct snapshot_line *l,
				     void *context),
			 void *context)
{
	return w->store ? each_here(w, each, context) :
			  each_mounted(w, each, context);
}

/* ---------------------------------------------------------------------- list */
static void print_line(const struct snapshot_line *l, bool json)
{
	char time[CLOCK_TEXT];
	struct buf name = BUF_INIT;

	clock_print(time, l->created_s * 1000000, false);
	if (!json) {
		printf(isatty(STDOUT_FILENO) ? "%s  %12" PRIu64 "  %s\n" :
					       "%s\t%" PRIu64 "\t%s\n",
		       time, l->held, l->name);
		return;
	}
	json_print_string(&name, bytes_str(l->name));
	printf("{\"name\":%s,\"created\":\"%s\",\"held\":%" PRIu64
	       ",\"owner\":", buf_cstr(&name), time, l->held);
	buf_release(&name);
	if (l->owned)
		printf("%" PRIu64 "}\n", l->owner);
	else
		printf("null}\n");
}

static int list_one(const struct snapshot_line *l, void *context)
{
	print_line(l, *(bool *)context);
	return 0;
}

static int list(const struct snapshot_work *w, bool json)
{
	int err = each_snapshot(w, list_one, &json);

	if (err)
		tool_failed(object_of(w), err);
	return err ? TOOL_FAILED : TOOL_DONE;
}

/* ------------------------------------------------------------ create and drop */
static int tell(const struct snapshot_work *w, int err, const char *reason)
{
	if (!err)
		return TOOL_DONE;
	if (reason && *reason)
		tool_complain(object_of(w), "%s", reason);
	else if (err == -ENOENT)
		tool_complain(object_of(w), "there is no snapshot '%s'",
			      w->name);
	else if (err == -EEXIST)
		tool_complain(object_of(w), "there is a snapshot '%s' already",
			      w->name);
	else if (err == -EINVAL)
		tool_complain(object_of(w), "'%s' is no name of a snapshot (see "
			      "widefsctl-snapshot(1))", w->name);
	else
		tool_failed(object_of(w), err);
	return err == -ENOENT ? TOOL_NONE : TOOL_FAILED;
}

static int create(const struct snapshot_work *w)
{
	char *path = w->store ? NULL : path_of(w, w->name);
	int err;

	if (!snapshot_name_is_valid(bytes_str(w->name)))
		err = -EINVAL;
	else if (w->store)
		err = snapshot_create(w->store, w->name, getuid());
	else
		err = !path ? -ENOMEM : mkdir(path, 0755) ? -errno : 0;
	free(path);
	return tell(w, err, NULL);
}

/* The snapshots that are meant: one of that name, else those of a change. */
struct meant {
	const struct snapshot_work *w;
	struct buf names;	/* each with a 0 byte */
	size_t count;
	bool is_one;
	bool has_part;		/* one of them has it */
	uint64_t held;
};

/* Check whether the snapshot has a keyspace (table NULL) or a table: 1, 0 or
 * -errno. */
static int has_here(const struct snapshot_work *w, uint64_t number,
		    struct bytes keyspace, const char *table)
{
	const struct keyspace *k;
	struct schema *schema;
	struct store *view;
	int err = snapshot_acquire(&view, w->store, number);
	bool has;

	if (err)
		return err;
	schema = store_schema(view);
	k = schema_keyspace(schema, keyspace);
	has = k && !k->system &&
	      (!table || keyspace_table(k, bytes_str(table)));
	schema_put(schema);
	snapshot_release(w->store, view);
	return has;
}

/* Check whether the directory lists a directory of that name: 1, 0 or -errno. */
static int is_listed(const char *path, struct bytes name)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	int has = dir ? 0 : -errno;

	while (dir && !has && (e = next_entry(dir, &has)))
		has = e->d_type == DT_DIR &&
		      bytes_equal(bytes_str(e->d_name), name);
	if (dir)
		closedir(dir);
	return has;
}

/* As has_here: the keyspaces of the system are not listed. */
static int has_mounted(const struct snapshot_work *w, const char *name,
		       struct bytes keyspace, const char *table)
{
	char *snapshot = path_of(w, name), *path = NULL;
	int has = snapshot ? is_listed(snapshot, keyspace) : -ENOMEM;

	if (has > 0 && table) {
		if (asprintf(&path, "%s/%.*s", snapshot, (int)keyspace.len,
			     (const char *)keyspace.ptr) < 0)
			path = NULL;
		has = path ? is_listed(path, bytes_str(table)) : -ENOMEM;
		free(path);
	}
	free(snapshot);
	return has;
}

/* Check whether the snapshot has the part that the command names. */
static int has_part(const struct snapshot_work *w,
		    const struct snapshot_line *l)
{
	const char *dot = w->part ? strchr(w->part, '.') : NULL;
	struct bytes keyspace;

	if (!w->part)
		return 1;
	keyspace = dot ? bytes_of(w->part, (size_t)(dot - w->part)) :
			 bytes_str(w->part);
	return w->store ? has_here(w, l->number, keyspace, dot ? dot + 1 : NULL) :
			  has_mounted(w, l->name, keyspace, dot ? dot + 1 : NULL);
}

static int find_one(const struct snapshot_line *l, void *context)
{
	struct meant *m = context;
	bool is_it = !strcmp(l->name, m->w->name);
	int has;

	if (m->is_one ||
	    (!is_it && (!l->automatic ||
			!snapshot_name_is_of(l->name, m->w->name))))
		return 0;
	if (is_it) {
		buf_clear(&m->names);
		m->count = 0;
		m->held = 0;
		m->has_part = false;
	}
	has = has_part(m->w, l);
	if (has < 0)
		return has;
	m->has_part |= has;
	m->is_one = is_it;
	m->count++;
	m->held += l->held;
	buf_add(&m->names, l->name, strlen(l->name) + 1);
	return m->names.failed ? -ENOMEM : 0;
}

/* Find the snapshots that the command names, into *m, whose names the caller
 * frees. 0, -ENOENT or another -errno. */
static int find_snapshots(const struct snapshot_work *w, struct meant *m)
{
	int err;

	*m = (struct meant){ .w = w, .names = BUF_INIT };
	err = each_snapshot(w, find_one, m);
	return err ? err : m->count ? 0 : -ENOENT;
}

static int drop_one(const struct snapshot_work *w, const char *name)
{
	char *path;
	int err;

	if (w->store)
		return snapshot_drop(w->store, name);
	path = path_of(w, name);
	err = !path ? -ENOMEM : rmdir(path) ? -errno : 0;
	free(path);
	return err;
}

static int drop(const struct snapshot_work *w)
{
	struct meant m;
	int err = find_snapshots(w, &m);
	size_t at;

	for (at = 0; !err && at < m.names.len;
	     at += strlen((char *)m.names.ptr + at) + 1)
		err = drop_one(w, (char *)m.names.ptr + at);
	buf_release(&m.names);
	return tell(w, err, NULL);
}

/* ------------------------------------------------------------------- restore */
static int restore_here(const struct snapshot_work *w)
{
	char *keyspace = w->part ? strdup(w->part) : NULL;
	char *dot = keyspace ? strchr(keyspace, '.') : NULL;
	struct snapshot_part part = { w->name, keyspace, NULL };
	struct buf why = BUF_INIT;
	int err, status;

	if (dot) {
		*dot = 0;
		part.table = dot + 1;
	}
	err = w->part && !keyspace ? -ENOMEM :
				     snapshot_restore(w->store, &part, getuid(),
						      &why);
	status = tell(w, err, why.len ? buf_cstr(&why) : NULL);
	buf_release(&why);
	free(keyspace);
	return status;
}

static int restore_mounted(const struct snapshot_work *w)
{
	char *path = NULL, reason[1024] = "";
	struct buf line = BUF_INIT;
	const char *c;
	int fd = -1, err = 0;

	buf_add_str(&line, "snapshot restore ");
	for (c = w->name; *c; c++)	/* one word, for ctl */
		buf_add(&line, *c == ' ' ? "%20" : c, *c == ' ' ? 3 : 1);
	buf_add_format(&line, "%s%s\n", w->part ? " " : "",
		       w->part ? w->part : "");
	if (line.failed ||
	    asprintf(&path, "%s/.widefs/ctl", w->place.mount) < 0)
		err = -ENOMEM;
	if (!err)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (!err && (fd < 0 || write(fd, line.ptr, line.len) < 0))
		err = -errno;
	if (err && fd >= 0 &&
	    fgetxattr(fd, "user.error", reason, sizeof(reason) - 1) < 0)
		reason[0] = 0;
	if (fd >= 0)
		close(fd);
	free(path);
	buf_release(&line);
	/* A write has no error of its own for what is missing. */
	if (err == -EINVAL && strstr(reason, ": it has no "))
		err = -ENOENT;
	return tell(w, err, reason);
}

/* ------------------------------------------------------------------ agreement */
static int refuse_part(const struct snapshot_work *w)
{
	tool_complain(object_of(w), "snapshot %s: it has no %s %s", w->name,
		      strchr(w->part, '.') ? "table" : "keyspace", w->part);
	return TOOL_NONE;
}

/* Print what will be done, and have the name typed: 0, or a status. */
static int agree(const struct snapshot_work *w, bool drops, bool force,
		 bool dry_run)
{
	char typed[300];
	struct meant m;
	int err = find_snapshots(w, &m);

	buf_release(&m.names);
	if (err)
		return tell(w, err, NULL);
	if (!m.has_part)
		return refuse_part(w);
	if (drops && m.is_one)
		printf("drop snapshot %s, which alone holds %s\n",
		       w->name, counted(m.held, "byte").text);
	else if (drops)
		printf("drop the %s %s-..., which alone hold %s\n",
		       counted(m.count, "snapshot").text, w->name,
		       counted(m.held, "byte").text);
	else if (w->part || m.is_one)
		printf("put %s as it was in snapshot %s in the place of what is "
		       "there now\n", w->part ? w->part : "everything",
		       w->name);
	else
		printf("put the tables of the %s %s-... as they were in the "
		       "place of what is there now\n",
		       counted(m.count, "snapshot").text, w->name);
	if (dry_run || force)
		return TOOL_DONE;
	fflush(stdout);
	if (!isatty(STDIN_FILENO)) {
		tool_complain(w->name, "nothing was done (use --force)");
		return TOOL_FAILED;
	}
	printf("Type the name of the snapshot to go on: ");
	fflush(stdout);
	if (!fgets(typed, sizeof(typed), stdin))
		typed[0] = 0;
	typed[strcspn(typed, "\n")] = 0;
	if (!strcmp(typed, w->name))
		return TOOL_DONE;
	tool_complain(w->name, "nothing was done: another name was typed");
	return TOOL_FAILED;
}

/* ------------------------------------------------------------------------ run */
enum { LIST, CREATE, DROP, RESTORE, NO_ACTION };
static const char *const actions[] = { "list", "create", "drop", "restore" };

static int act(struct snapshot_work *w, int action, bool json, bool force,
	       bool dry_run)
{
	int status = TOOL_DONE;

	if (action == LIST)
		return list(w, json);
	if (action == CREATE)
		return create(w);
	status = agree(w, action == DROP, force, dry_run);
	if (status || dry_run)
		return status;
	return action == DROP ? drop(w) : w->store ? restore_here(w) :
						     restore_mounted(w);
}

static int run_on(struct snapshot_work *w, int action, const char *path,
		  bool json, bool force, bool dry_run)
{
	int status = place_find(&w->place, path, PLACE_TABLES), closed;

	if (status)
		return status;
	if (w->place.table) {
		status = tool_misused(&command_snapshot, path,
				      "it is in a table: name the store");
	} else if (w->place.mount) {
		status = act(w, action, json, force, dry_run);
	} else {
		status = tool_open_store(&w->store, w->place.store,
					 action == LIST || dry_run);
		if (!status) {
			status = act(w, action, json, force, dry_run);
			closed = store_close(w->store);
			if (closed && !status) {
				tool_failed(w->place.store, closed);
				status = TOOL_FAILED;
			}
		}
	}
	place_release(&w->place);
	return status;
}

static const char *arguments_of(int action)
{
	return action == LIST ? "one STORE is expected" :
	       action != RESTORE ? "a STORE and a NAME are expected" :
				   "a STORE, a NAME and at most one KEYSPACE "
				   "or KEYSPACE.TABLE are expected";
}

static int run_snapshot(int argc, char **argv)
{
	static const struct option options[] = {
		{ "force", no_argument, NULL, 'f' },
		{ "dry-run", no_argument, NULL, 'n' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	bool json = false, force = false, dry_run = false;
	struct snapshot_work w = { .place = PLACE_INIT };
	int c, action, left;

	while ((c = getopt_long(argc, argv, "fnjh", options, NULL)) != -1) {
		if (c == 'h')
			return tool_usage(&command_snapshot, true);
		if (c == '?')
			return tool_usage(&command_snapshot, false);
		json |= c == 'j';
		force |= c == 'f';
		dry_run |= c == 'n';
	}
	left = argc - optind;
	for (action = LIST; left && action < NO_ACTION; action++)
		if (!strcmp(argv[optind], actions[action]))
			break;
	if (!left || action == NO_ACTION)
		return left ? tool_misused(&command_snapshot, argv[optind],
					   "it is none of list, create, drop "
					   "and restore") :
			      tool_usage(&command_snapshot, false);
	if (left < (action == LIST ? 2 : 3) ||
	    left > (action == LIST ? 2 : action == RESTORE ? 4 : 3))
		return tool_misused(&command_snapshot, actions[action],
				    arguments_of(action));
	if (json && action != LIST)
		return tool_misused(&command_snapshot, actions[action],
				    "--json is an option of list");
	if ((force || dry_run) && action != DROP && action != RESTORE)
		return tool_misused(&command_snapshot, actions[action],
				    force ?
				    "--force is an option of drop and restore" :
				    "--dry-run is an option of drop and "
				    "restore");
	w.name = action == LIST ? NULL : argv[optind + 2];
	w.part = left == 4 ? argv[optind + 3] : NULL;
	return run_on(&w, action, argv[optind + 1], json, force, dry_run);
}
