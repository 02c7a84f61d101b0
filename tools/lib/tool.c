#include "tools/lib/tool.h"

#include <errno.h>
#include <getopt.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/base/line.h"
#include "store/base/log.h"
#include "store/store.h"
#include "tools/lib/nearest.h"
#include "tools/lib/progress.h"

/* The arguments of the command, in getopt's order. */
static char **arguments;
static bool told_memory;	/* that an allocation has failed */

static void format_message(char *line, size_t size, const char *object,
			   const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void format_message(char *line, size_t size, const char *object,
			   const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line_format(line, size, object, format, args);
	va_end(args);
}

bool tool_message(char *line, size_t size, const char *object, const char *format,
		  va_list args)
{
	if (!mem_has_failed()) {
		line_format(line, size, object, format, args);
		return true;
	}
	if (told_memory)
		return false;
	told_memory = true;
	format_message(line, size, object, "%s", strerror(ENOMEM));
	return true;
}

void tool_forget_memory(void)
{
	told_memory = false;
	mem_forget_failure();
}

int tool_end(const char *command, int status)
{
	if (!mem_has_failed())
		return status;
	tool_failed(command, -ENOMEM);
	return TOOL_FAILED;
}

void tool_complain(const char *object, const char *format, ...)
{
	char line[LINE_MAX_TEXT];
	bool news;
	va_list args;

	va_start(args, format);
	news = tool_message(line, sizeof(line), object, format, args);
	va_end(args);
	if (!news)
		return;
	fflush(stdout);
	progress_hide();
	fprintf(stderr, "widefsctl: %s\n", line);
}

void tool_print_line(const char *format, ...)
{
	char line[LINE_MAX_TEXT];
	va_list args;

	va_start(args, format);
	line_format(line, sizeof(line), NULL, format, args);
	va_end(args);
	fflush(stdout);
	progress_hide();
	fprintf(stderr, "%s\n", line);
}

void tool_failed(const char *object, int err)
{
	if (err == -ENOTCONN || err == -ECONNABORTED)
		tool_complain(object, "the daemon of this mount has ended "
			      "(mount the store again)");
	else
		tool_complain(object, "%s", strerror(-err));
}

/* Say of a path that no store is there, which may be where one is mounted. */
static void complain_of_none(const char *path)
{
	tool_complain(path, access(path, F_OK) ?
		      "no such store (widefs STORE MOUNTPOINT makes and mounts "
		      "one)" :
		      "an empty directory, neither a store nor a mount (widefs "
		      "STORE MOUNTPOINT mounts a store, and makes it where there "
		      "is none)");
}

int tool_open_failed(const char *path, int err, int owner_pid)
{
	switch (err) {
	case -ENOENT:
		complain_of_none(path);
		return TOOL_NONE;
	case -ENOTEMPTY:
	case -ENOTDIR:
		tool_complain(path, "not a widefs store (name a store or a "
			      "mount)");
		return TOOL_NONE;
	case -EBUSY:
		if (owner_pid)
			tool_complain(path, "store is open in process %d "
				      "(unmount it)", owner_pid);
		else
			tool_complain(path, "store is open in another process "
				      "(end that one)");
		return TOOL_BUSY;
	case -EUCLEAN:
		tool_complain(path, "the store is damaged: %s",
			      log_corrupt_last());
		return TOOL_DAMAGED;
	case -EPROTONOSUPPORT:
		tool_complain(path, "the store's format is newer than this "
			      "widefsctl (use a newer one)");
		return TOOL_TOO_NEW;
	case -EPERM:
		tool_complain(path, "others can write there, or own it: it is "
			      "not opened (chmod go-w, or run as its owner)");
		return TOOL_FAILED;
	case -EROFS:
		tool_complain(path, "%s (check and cql --read-only can read "
			      "it)", strerror(-err));
		return TOOL_FAILED;
	default:
		tool_failed(path, err);
		return TOOL_FAILED;
	}
}

int tool_open_store(struct store **out, const char *path, bool read_only)
{
	struct store_options options;
	pid_t owner = 0;
	bool created;
	int err;

	store_options_init(&options);
	options.read_only = read_only;
	err = store_open(out, path, &options, &owner, &created);
	return err ? tool_open_failed(path, err, (int)owner) : TOOL_DONE;
}

int tool_make_store(const char *path)
{
	struct store_options options;
	struct store *store;
	pid_t owner = 0;
	bool created;
	int err;

	store_options_init(&options);
	options.create = true;
	options.uid = getuid();
	options.gid = getgid();
	err = store_open(&store, path, &options, &owner, &created);
	if (err == -ENOENT) {
		tool_complain(path, "the directory above it is not there (make "
			      "it first)");
		return TOOL_NONE;
	}
	if (err)
		return tool_open_failed(path, err, (int)owner);
	if (created)
		tool_complain(path, "store created");
	store_close(store);
	return TOOL_DONE;
}

/* ----------------------------------------------------------- did you mean */
/* Name the option that an unknown one is like: those of the usage are known. */
static void suggest_option(const struct command *c)
{
	const char *word = optind > 0 && arguments ? arguments[optind - 1] : "";
	const char *at = c->usage;
	size_t len = strcspn(word, "=");
	char object[NEAREST_MAX + 1], hint[NEAREST_HINT];
	struct nearest near;
	bool known = false;

	if (strncmp(word, "--", 2))
		return;
	nearest_begin(&near, bytes_of(word, len));
	while ((at = strstr(at, "--"))) {
		size_t other = 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");

		known |= other == len && !memcmp(word, at, len);
		nearest_offer(&near, bytes_of(at, other));
		at += other;
	}
	snprintf(object, sizeof(object), "%.*s", (int)len, word);
	/* Known, and refused for another reason. */
	if (*near.found && !known)
		tool_complain(object, "no such option%s",
			      nearest_hint(&near, hint));
}

bool tool_write(FILE *to, struct bytes bytes)
{
	return !bytes.len ||
	       fwrite(bytes.ptr, 1, bytes.len, to) == bytes.len;
}

void tool_set_arguments(char **argv)
{
	arguments = argv;
}

int tool_usage(const struct command *c, bool asked)
{
	if (!asked)
		suggest_option(c);
	fputs(c->usage, asked ? stdout : stderr);
	return asked ? TOOL_DONE : TOOL_USAGE;
}

int tool_misused(const struct command *c, const char *object, const char *why)
{
	tool_complain(object, "%s (see widefsctl %s --help)", why, c->name);
	return TOOL_USAGE;
}

char *tool_mount_at(const char *real, char **store)
{
	char *found = NULL;
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	size_t best = 0;

	*store = NULL;
	while (mounts && (entry = getmntent(mounts))) {
		size_t len = strlen(entry->mnt_dir);

		if (strcmp(entry->mnt_type, "fuse.widefs") || len < best ||
		    strncmp(real, entry->mnt_dir, len) ||
		    (real[len] && real[len] != '/'))
			continue;
		free(found);
		free(*store);
		found = strdup(entry->mnt_dir);
		*store = strdup(entry->mnt_fsname);
		best = len;
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

char *tool_mount_of(const char *path, char **store)
{
	char *real = realpath(path, NULL), *found;

	*store = NULL;
	if (!real)
		return NULL;
	found = tool_mount_at(real, store);
	free(real);
	return found;
}
