#include "mount/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/base/log.h"

/* Options as fuse_opt collects them: sizes and numbers are still text. */
struct raw {
	char *commit, *cache, *memtable, *max_value, *scratch_max, *max_nodes,
		*keyspace, *threads, *log_file, *log_level, *log_format;
	int foreground, debug, single, help, version, read_only, no_xattr;
	int fake, sloppy;
	char *place[2];
	int place_count;
	bool bad;
};

#define TEXT(name, member) { name, offsetof(struct raw, member), 0 }
#define FLAG(name, member) { name, offsetof(struct raw, member), 1 }
enum { KEY_PASS_ON = 1, KEY_IGNORE };

static const struct fuse_opt table[] = {
	FLAG("-f", foreground), FLAG("--foreground", foreground),
	FLAG("-d", debug), FLAG("--debug", debug), FLAG("debug", debug),
	FLAG("-s", single), FLAG("-h", help), FLAG("--help", help),
	FLAG("-V", version), FLAG("--version", version),
	FLAG("ro", read_only), FLAG("noxattr", no_xattr),
	TEXT("commit=%s", commit), TEXT("cache=%s", cache),
	TEXT("memtable=%s", memtable), TEXT("max_value=%s", max_value),
	TEXT("scratch_max=%s", scratch_max), TEXT("max_nodes=%s", max_nodes),
	TEXT("keyspace=%s", keyspace), TEXT("threads=%s", threads), TEXT("--log-file=%s", log_file),
	TEXT("--log-level=%s", log_level), TEXT("log_level=%s", log_level),
	TEXT("log_file=%s", log_file), TEXT("--log-format=%s", log_format),
	TEXT("log_format=%s", log_format),
	/* Options of libfuse and the kernel. */
	FUSE_OPT_KEY("allow_other", KEY_PASS_ON),
	FUSE_OPT_KEY("allow_root", KEY_PASS_ON),
	FUSE_OPT_KEY("auto_unmount", KEY_PASS_ON),
	FUSE_OPT_KEY("fsname=%s", KEY_PASS_ON),
	FUSE_OPT_KEY("max_read=%s", KEY_PASS_ON),
	FUSE_OPT_KEY("blksize=%s", KEY_PASS_ON),
	FUSE_OPT_KEY("context=%s", KEY_PASS_ON),
	FUSE_OPT_KEY("rw", KEY_PASS_ON), FUSE_OPT_KEY("suid", KEY_PASS_ON),
	FUSE_OPT_KEY("nosuid", KEY_PASS_ON), FUSE_OPT_KEY("dev", KEY_PASS_ON),
	FUSE_OPT_KEY("nodev", KEY_PASS_ON), FUSE_OPT_KEY("exec", KEY_PASS_ON),
	FUSE_OPT_KEY("noexec", KEY_PASS_ON), FUSE_OPT_KEY("sync", KEY_PASS_ON),
	FUSE_OPT_KEY("async", KEY_PASS_ON), FUSE_OPT_KEY("atime", KEY_PASS_ON),
	FUSE_OPT_KEY("noatime", KEY_PASS_ON),
	FUSE_OPT_KEY("nodiratime", KEY_PASS_ON),
	FUSE_OPT_KEY("dirsync", KEY_PASS_ON),
	/* Options that fstab may have and that mean nothing here, or are done
	 * anyway. */
	FUSE_OPT_KEY("default_permissions", KEY_IGNORE),
	FUSE_OPT_KEY("subtype=%s", KEY_IGNORE),	/* we set one of our own */
	FUSE_OPT_KEY("relatime", KEY_IGNORE),
	FUSE_OPT_KEY("strictatime", KEY_IGNORE),
	FUSE_OPT_KEY("lazytime", KEY_IGNORE),
	FUSE_OPT_KEY("defaults", KEY_IGNORE), FUSE_OPT_KEY("auto", KEY_IGNORE),
	FUSE_OPT_KEY("noauto", KEY_IGNORE), FUSE_OPT_KEY("user", KEY_IGNORE),
	FUSE_OPT_KEY("nouser", KEY_IGNORE), FUSE_OPT_KEY("users", KEY_IGNORE),
	FUSE_OPT_KEY("owner", KEY_IGNORE), FUSE_OPT_KEY("group", KEY_IGNORE),
	FUSE_OPT_KEY("nofail", KEY_IGNORE), FUSE_OPT_KEY("_netdev", KEY_IGNORE),
	FUSE_OPT_KEY("x-", KEY_IGNORE), FUSE_OPT_KEY("comment=", KEY_IGNORE),
	FUSE_OPT_KEY("clone_fd", KEY_IGNORE),
	FUSE_OPT_END
};

/* Flags by which mount(8) calls its helpers; they mean other things than ours. */
static const struct fuse_opt helper_table[] = {
	FLAG("-f", fake), FLAG("-s", sloppy),
	FUSE_OPT_KEY("-n", FUSE_OPT_KEY_DISCARD),
	FUSE_OPT_KEY("-v", FUSE_OPT_KEY_DISCARD),
	FUSE_OPT_KEY("-t ", FUSE_OPT_KEY_DISCARD),
	FUSE_OPT_END
};

/* Return the known option that begins most as the word does, of equal ones the
 * first; or NULL. Its name ends with a 0 or with "=%s". */
static const char *nearest(const char *word)
{
	size_t len = strcspn(word, "="), best_common = 2;
	const char *best = NULL;
	const struct fuse_opt *o;

	for (o = table; o->templ; o++) {
		size_t common = 0;

		if (o->templ[0] == '-' || (o->offset == -1U &&
					   o->value == KEY_IGNORE))
			continue;
		while (common < len && o->templ[common] == word[common])
			common++;
		if (common > best_common) {
			best_common = common;
			best = o->templ;
		}
	}
	return best;
}

static int on_option(void *data, const char *arg, int key,
		     struct fuse_args *out)
{
	struct raw *raw = data;
	const char *near;

	(void)out;
	if (key == KEY_PASS_ON)
		return 1;
	if (key == KEY_IGNORE || !strncmp(arg, "x-", 2) ||
	    !strncmp(arg, "comment=", 8))
		return 0;
	if (key == FUSE_OPT_KEY_NONOPT && raw->place_count < 2) {
		raw->place[raw->place_count] = strdup(arg);
		return raw->place[raw->place_count++] ? 0 : -1;
	}
	if (key == FUSE_OPT_KEY_OPT && raw->sloppy && arg[0] != '-')
		return 0;
	raw->bad = true;
	if (key == FUSE_OPT_KEY_NONOPT) {
		fprintf(stderr, "widefs: %s: one STORE and one MOUNTPOINT are "
			"enough (see widefs --help)\n", arg);
		return -1;
	}
	near = nearest(arg[0] == '-' ? arg + strspn(arg, "-") : arg);
	if (near)
		fprintf(stderr, "widefs: %s: unknown option (did you mean "
			"%.*s?)\n", arg, (int)strcspn(near, "="), near);
	else
		fprintf(stderr, "widefs: %s: unknown option (see widefs "
			"--help)\n", arg);
	return -1;
}

/* Read a size with an optional K, M, G or T. */
static int read_size(size_t *out, const char *name, const char *text,
		     size_t least, size_t most)
{
	char *end;
	unsigned long long n;
	unsigned shift = 0;

	if (!text)
		return 0;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (*end && !end[1])
		shift = strchr("Kk", *end) ? 10 : strchr("Mm", *end) ? 20 :
			strchr("Gg", *end) ? 30 : strchr("Tt", *end) ? 40 : 99;
	else if (*end)
		shift = 99;
	if (errno || text[0] < '0' || text[0] > '9' || shift == 99 ||
	    n > ULLONG_MAX >> shift || n << shift < least ||
	    n << shift > most) {
		fprintf(stderr, "widefs: %s=%s: not a %s from %zu to %zu%s\n",
			name, text, most < 1024 ? "number" : "size", least,
			most, most < 1024 ? "" :
			" (K, M, G and T may follow the number)");
		return -EINVAL;
	}
	*out = (size_t)(n << shift);
	return 0;
}

static int read_numbers(struct mount_options *o, const struct raw *raw)
{
	static const char *const levels[] = { "error", "warning", "info",
					      "debug" };
	const struct {
		const char *name, *text;
		size_t *out, least, most;
	} sizes[] = {
		{ "cache", raw->cache, &o->cache_bytes, 1 << 20,
		  (size_t)1 << 40 },
		{ "memtable", raw->memtable, &o->memtable_bytes, 1 << 20,
		  (size_t)1 << 36 },
		{ "max_value", raw->max_value, &o->max_value, 1,
		  ((size_t)2 << 30) - 1 },
		{ "scratch_max", raw->scratch_max, &o->scratch_max, 0,
		  (size_t)1 << 40 },
		{ "max_nodes", raw->max_nodes, &o->max_nodes, 1,
		  (size_t)1 << 40 },
		{ "threads", raw->threads, &o->threads, 1, 64 },
	};
	char *end;
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !err; i++)
		err = read_size(sizes[i].out, sizes[i].name, sizes[i].text,
				sizes[i].least, sizes[i].most);
	if (!err && raw->commit) {
		o->commit_s = strtod(raw->commit, &end);
		if (*end || !*raw->commit || !(o->commit_s >= 0) ||
		    o->commit_s > 3600) {
			fprintf(stderr, "widefs: commit=%s: not a number of "
				"seconds from 0 to 3600\n", raw->commit);
			err = -EINVAL;
		}
	}
	if (!err && raw->log_level) {
		for (o->log_level = 0; o->log_level < 4; o->log_level++)
			if (!strcmp(levels[o->log_level], raw->log_level))
				break;
		if (o->log_level == 4) {
			fprintf(stderr, "widefs: log_level=%s: not one of "
				"error, warning, info, debug\n",
				raw->log_level);
			err = -EINVAL;
		}
	}
	if (!err && raw->log_format) {
		o->log_json = !strcmp(raw->log_format, "json");
		if (!o->log_json && strcmp(raw->log_format, "text")) {
			fprintf(stderr, "widefs: log_format=%s: not one of "
				"text, json\n", raw->log_format);
			err = -EINVAL;
		}
	}
	return err;
}

/* Return an absolute path: we leave the working directory. */
static char *absolute(const char *path)
{
	char here[PATH_MAX];
	char *out = NULL;

	if (path[0] == '/')
		return strdup(path);
	if (!getcwd(here, sizeof(here)) ||
	    asprintf(&out, "%s/%s", here, path) < 0)
		return NULL;
	return out;
}

static int read_places(struct mount_options *o, const struct raw *raw)
{
	if (o->help || o->version)
		return 0;
	if (raw->place_count < 2) {
		fprintf(stderr, "widefs: %s is missing (usage: widefs "
			"[-o options] STORE MOUNTPOINT)\n",
			raw->place_count ? "MOUNTPOINT" : "STORE");
		return -EINVAL;
	}
	if (!*raw->place[0] || !*raw->place[1]) {
		fprintf(stderr, "widefs: %s is an empty name (usage: widefs "
			"[-o options] STORE MOUNTPOINT)\n",
			*raw->place[0] ? "MOUNTPOINT" : "STORE");
		return -EINVAL;
	}
	if (raw->keyspace && !*raw->keyspace) {
		fputs("widefs: keyspace= needs the name of a keyspace\n", stderr);
		return -EINVAL;
	}
	o->store = absolute(raw->place[0]);
	o->mountpoint = absolute(raw->place[1]);
	o->keyspace = raw->keyspace ? strdup(raw->keyspace) : NULL;
	o->log_file = raw->log_file ? absolute(raw->log_file) : NULL;
	return o->store && o->mountpoint ? 0 : -ENOMEM;
}

static void raw_release(struct raw *raw)
{
	const struct fuse_opt *o;

	for (o = table; o->templ; o++) {
		char **text;

		if (o->offset == -1U || !strchr(o->templ, '%'))
			continue;
		text = (char **)(void *)((char *)raw + o->offset);
		free(*text);
		*text = NULL;	/* an option may have two names */
	}
	free(raw->place[0]);
	free(raw->place[1]);
}

int mount_options_parse(struct mount_options *o, int argc, char **argv)
{
	struct raw raw = { .commit = NULL };
	const char *name = strrchr(argv[0], '/');
	int err = 0;

	memset(o, 0, sizeof(*o));
	o->args = (struct fuse_args)FUSE_ARGS_INIT(argc, argv);
	o->commit_s = 1;
	o->max_value = 256 << 20;
	o->scratch_max = 64 << 20;
	o->log_level = LOG_WARNING_LEVEL;
	name = name ? name + 1 : argv[0];
	o->as_mount_helper = !strncmp(name, "mount.", 6);
	if ((o->as_mount_helper &&
	     fuse_opt_parse(&o->args, &raw, helper_table, NULL)) ||
	    fuse_opt_parse(&o->args, &raw, table, on_option))
		err = -EINVAL;
	o->foreground = raw.foreground || raw.debug;
	o->debug = raw.debug;
	o->single_thread = raw.single;
	o->fake = raw.fake;
	o->help = raw.help;
	o->version = raw.version;
	o->read_only = raw.read_only;
	o->no_xattr = raw.no_xattr;
	o->threads = o->single_thread ? 1 : 4;
	if (o->debug)
		o->log_level = LOG_DEBUG_LEVEL;
	if (!err)
		err = read_numbers(o, &raw);
	if (!err)
		err = read_places(o, &raw);
	if (o->single_thread)
		o->threads = 1;
	raw_release(&raw);
	return err;
}

void mount_options_release(struct mount_options *o)
{
	fuse_opt_free_args(&o->args);
	free(o->store);
	free(o->mountpoint);
	free(o->keyspace);
	free(o->log_file);
}

void mount_options_usage(void)
{
	fputs("usage: widefs [-o options] STORE MOUNTPOINT\n"
	      "Mount the wide-column store STORE, which is created where there "
	      "is none.\n\n"
	      "  -f, --foreground     stay in the foreground\n"
	      "  -d, --debug          foreground, with every request on stderr\n"
	      "  -s                   one thread\n"
	      "  -h, --help           this text\n"
	      "  -V, --version        the version\n"
	      "      --log-file=FILE  write messages to FILE\n"
	      "      --log-level=L    error, warning (default), info or debug\n"
	      "      --log-format=F   text (default), or json: an object a line\n"
	      "\noptions (-o):\n"
	      "  ro                   read-only: nothing is ever written\n"
	      "  commit=S             seconds until a closed write is on disk "
	      "(1; 0: at once)\n"
	      "  cache=SIZE           of the block cache (128M, or less)\n"
	      "  memtable=SIZE        of all memtables (64M, or less)\n"
	      "  max_value=SIZE       of one value (256M, at most 2G-1)\n"
	      "  scratch_max=SIZE     of all temporary files (64M)\n"
	      "  max_nodes=N          files and directories that are known only "
	      "as the kernel\n"
	      "                       knows them (256K, or less)\n"
	      "  keyspace=K           show keyspace K alone\n"
	      "  threads=N            that serve requests (4)\n"
	      "  noxattr              no extended attributes, fewer requests\n"
	      "  log_level=, log_file=, log_format=  as the flags above\n"
	      "  allow_other, allow_root, auto_unmount, fsname=NAME, noexec, "
	      "noatime, ...\n"
	      "                       as for every FUSE filesystem: mount.fuse3(8)\n"
	      "\nUnmount with: umount MOUNTPOINT, fusermount3 -u MOUNTPOINT, or "
	      "widefsctl umount MOUNTPOINT\n",
	      stdout);
}
