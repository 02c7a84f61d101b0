/* widefsctl status: is a mount healthy, and what it holds in a few lines. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/type/json/print.h"
#include "store/base/counted.h"
#include "store/base/line.h"
#include "tools/force.h"
#include "tools/lib/color.h"
#include "tools/lib/metrics.h"
#include "tools/lib/place.h"
#include "tools/lib/tool.h"

#define ANSWER_S 10	/* a daemon that is silent for so long does not answer */

static int run(int argc, char **argv);
const struct command command_status = {
	.name = "status",
	.summary = "whether mounts are healthy",
	.usage = "usage: widefsctl status [-j] [--color=WHEN] [DIR]\n"
		 "Say of the mount that DIR is in, of a store that is not mounted, "
		 "or of all mounts of\nthis user whether it is healthy, and what "
		 "it holds. Status 0: all of them are.\n\n"
		 "  -j, --json        JSON: an object, or without DIR an array\n"
		 "      --color=WHEN  auto (a terminal without NO_COLOR), always, never\n"
		 "  -h, --help        this text\n",
	.run = run,
};

struct status_state {
	struct metrics figures;
	char *last_error;	/* a line of .widefs/errors, or NULL */
	char problem[160];	/* "": healthy */
	int status;
};

static void set_problem(struct status_state *s, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void set_problem(struct status_state *s, int status, const char *format, ...)
{
	va_list args;

	if (s->problem[0])	/* the first stays */
		return;
	va_start(args, format);
	vsnprintf(s->problem, sizeof(s->problem), format, args);
	va_end(args);
	s->status = status;
}

/* True if the line of .widefs/errors is of a call that was not refused. */
static bool is_remark(const char *line)
{
	const char *word = strstr(line, " OK ");

	/* A path may have that, too: then an error's name follows. */
	while (word && (word = strstr(word + 1, " E")))
		if (word[2 + strspn(word + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ2")] ==
		    ' ')
			return false;
	return strstr(line, " OK ");
}

static void read_last_error(struct status_state *s, const struct tool_place *p)
{
	struct buf text = BUF_INIT;
	size_t begin, end;

	if (place_read_control(p, "errors", &text, ANSWER_S))
		text.len = 0;
	for (end = text.len; end-- && !s->last_error; end = begin) {
		text.ptr[end] = 0;	/* for the end of the line */
		begin = end;
		while (begin && text.ptr[begin - 1] != '\n')
			begin--;
		if (!is_remark((char *)text.ptr + begin))
			s->last_error = strdup((char *)text.ptr + begin);
	}
	buf_release(&text);
}

/* Errors of the daemon are problems of the mount, not of this command. */
static void set_daemon_problem(struct status_state *s, int err)
{
	if (err == -ETIMEDOUT)
		set_problem(s, TOOL_FAILED, "the daemon has not answered for "
			    "%d seconds", ANSWER_S);
	else if (err == -ENOTCONN || err == -ECONNABORTED)
		set_problem(s, TOOL_FAILED, "the daemon of this mount has ended "
			    "(mount the store again)");
	else
		set_problem(s, TOOL_FAILED, "%s", strerror(-err));
}

/* Ask once whether the daemon answers. */
static int look_at_daemon(struct status_state *s, const struct tool_place *p)
{
	struct buf version = BUF_INIT;
	int err = place_read_control(p, "version", &version, ANSWER_S);

	buf_release(&version);
	if (err)
		set_daemon_problem(s, err);
	return err;
}

static void look(struct status_state *s, const struct tool_place *p)
{
	int err;

	*s = (struct status_state){ .figures = METRICS_INIT };
	if (p->mount && look_at_daemon(s, p))
		return;
	err = metrics_read(&s->figures, p, ANSWER_S);
	if (err < 0)
		set_daemon_problem(s, err);
	else if (err)
		set_problem(s, err, "it cannot be looked at");
	if (err)
		return;
	if (metrics_value(&s->figures, "faulted") > 0)
		set_problem(s, TOOL_FAILED, "read-only after an error of the "
			    "disk (mount it again when the disk is well)");
	if (metrics_value(&s->figures, "damaged_files") > 0)
		set_problem(s, TOOL_DAMAGED, "%.0f damaged sstables (see the "
			    "log, then run widefsctl check)",
			    metrics_value(&s->figures, "damaged_files"));
	if (p->mount)
		read_last_error(s, p);
}

static void state_release(struct status_state *s)
{
	metrics_release(&s->figures);
	free(s->last_error);
}

/* ------------------------------------------------------------------ printing */
static const char *size_text(char *out, size_t len, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned i = 0;

	while (bytes >= 1024 && i < 4) {
		bytes /= 1024;
		i++;
	}
	snprintf(out, len, "%.*f %s", bytes < 10 && i ? 1 : 0, bytes, units[i]);
	return out;
}

static void print_sizes(const char *what, const struct metrics *m,
			const char *used, const char *room)
{
	char a[32], b[32];

	printf("  %-11s %s of %s\n", what,
	       size_text(a, sizeof(a), metrics_value(m, used)),
	       size_text(b, sizeof(b), metrics_value(m, room)));
}

static void print_levels(const struct metrics *m)
{
	double files = 0, bytes = 0;
	const struct metric *one;
	unsigned levels = 0;
	char size[32];

	METRICS_EACH(m, one, "level_files") {
		files += one->value;
		levels++;
	}
	METRICS_EACH(m, one, "level_bytes")
		bytes += one->value;
	printf("  %-11s %.0f in %s, %s; %.0f to merge\n", "files", files,
	       counted(levels, "level").text,
	       size_text(size, sizeof(size), bytes), metrics_value(m, "debt"));
}

static void print_state(const struct tool_place *p,
			const struct status_state *s)
{
	const struct metrics *m = &s->figures;
	const char *object = p->mount ? p->mount : p->store;
	char size[32], shown[LINE_MAX_TEXT];

	line_escape(shown, sizeof(shown), *object ? object : "''");
	printf("%s: %s%s%s%s\n", shown,
	       color_begin(s->problem[0] ? COLOR_BAD : COLOR_GOOD),
	       s->problem[0] ? "NOT healthy: " : "healthy", s->problem,
	       color_end());
	printf("  %-11s %s\n", "store", p->store);
	if (!m->count)
		return;
	if (p->mount)
		printf("  %-11s %.0f s%s\n", "mounted for",
		       metrics_value(m, "uptime_seconds"),
		       metrics_value(m, "read_only") > 0 ? ", read-only" : "");
	else
		printf("  %-11s no\n", "mounted");
	print_sizes("memtables", m, "memtable_bytes", "memtable_room_bytes");
	print_sizes("cache", m, "cache_bytes", "cache_room_bytes");
	printf("  %-11s %s, %s\n", "log",
	       counted((unsigned long long)metrics_value(m, "log_segments"),
			  "segment").text,
	       size_text(size, sizeof(size), metrics_value(m, "log_bytes")));
	print_levels(m);
	if (s->last_error)
		printf("  %-11s %s\n", "last error", s->last_error);
}

static void add_member(struct buf *out, const char *name, const char *text)
{
	buf_add_format(out, "\"%s\": ", name);
	if (text)
		json_print_string(out, bytes_str(text));
	else
		buf_add_str(out, "null");
	buf_add_str(out, ", ");
}

static void print_state_json(struct buf *out, const struct tool_place *p,
			     const struct status_state *s)
{
	buf_add_byte(out, '{');
	add_member(out, "mount", p->mount);
	add_member(out, "store", p->store);
	buf_add_format(out, "\"healthy\": %s, ",
		       s->problem[0] ? "false" : "true");
	add_member(out, "problem", s->problem[0] ? s->problem : NULL);
	add_member(out, "last_error", s->last_error);
	buf_add_str(out, "\"figures\": ");
	if (s->figures.count)
		metrics_print_json(out, &s->figures, false);
	else
		buf_add_str(out, "null");
	if (out->len && out->ptr[out->len - 1] == '\n')
		out->len--;
	buf_add_byte(out, '}');
}

/* Show one. out NULL: for people. */
static void show(const struct tool_place *p, const struct status_state *s,
		 struct buf *out)
{
	if (out)
		print_state_json(out, p, s);
	else
		print_state(p, s);
}

static int show_place(const char *path, struct buf *out)
{
	struct tool_place p = PLACE_INIT;
	char *mount, *real = force_path(path);
	struct status_state s;
	int status = TOOL_DONE;

	/* The mount itself is not asked: its daemon may not answer. */
	if (real)
		p.mount = tool_mount_at(real, &p.store);
	free(real);
	if (!p.mount)
		status = place_find(&p, path, PLACE_KEYSPACES | PLACE_SNAPSHOTS);
	if (status)
		return status;
	/* The store's directory of what is mounted means the mount. */
	mount = p.mount ? NULL : place_mount_of_store(p.store);
	if (mount)
		p.mount = mount;
	look(&s, &p);
	status = s.status;
	if (status != TOOL_NONE)
		show(&p, &s, out);
	state_release(&s);
	place_release(&p);
	return status;
}

/* True if it is a mount of this user; root's are all. */
static bool is_of_this_user(const struct mntent *entry)
{
	const char *option = hasmntopt(entry, "user_id");

	return !strcmp(entry->mnt_type, "fuse.widefs") &&
	       (!getuid() || (option && strtoul(option + strlen("user_id="),
						NULL, 10) == getuid()));
}

/* True if it was unmounted while it was looked at. */
static bool has_gone(const struct tool_place *p)
{
	char *store, *mount = tool_mount_at(p->mount, &store);
	bool gone = !mount || strcmp(mount, p->mount) != 0 ||
		    strcmp(store, p->store) != 0;

	free(mount);
	free(store);
	return gone;
}

static int show_all(struct buf *out)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	char line[4 * PATH_MAX];
	struct mntent entry;
	unsigned count = 0;
	int worst = TOOL_DONE;

	while (mounts && getmntent_r(mounts, &entry, line, sizeof(line))) {
		struct tool_place p = { entry.mnt_dir, entry.mnt_fsname, NULL,
				   NULL, NULL };
		struct status_state s;

		if (!is_of_this_user(&entry))
			continue;
		look(&s, &p);
		if (!s.problem[0] || !has_gone(&p)) {
			if (out)
				buf_add_str(out, count ? ",\n " : "[");
			show(&p, &s, out);
			worst = worst ? worst : s.status;
			count++;
		}
		state_release(&s);
	}
	if (mounts)
		endmntent(mounts);
	if (out)
		buf_add_str(out, count ? "]" : "[]");
	if (count)
		return worst;
	tool_complain("status", "this user has no mount (name a store or a "
		      "mount)");
	return TOOL_NONE;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "color", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct buf out = BUF_INIT;
	bool json = false;
	int option, status;

	while ((option = getopt_long(argc, argv, "jh", options, NULL)) >= 0) {
		if (option == 'j')
			json = true;
		else if (option != 'c')
			return tool_usage(&command_status, option == 'h');
		else if (!color_set(optarg))
			return tool_misused(&command_status, optarg,
					    "not one of auto, always, never");
	}
	if (argc - optind > 1)
		return tool_misused(&command_status, argv[optind + 1],
				    "one DIR is enough");
	status = optind < argc ? show_place(argv[optind], json ? &out : NULL) :
				 show_all(json ? &out : NULL);
	if (out.len) {
		fwrite(out.ptr, 1, out.len, stdout);
		putchar('\n');
	}
	buf_release(&out);
	return status;
}
