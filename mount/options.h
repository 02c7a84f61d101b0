/*
 * The command line of widefs: flags, our own -o options, and those of libfuse
 * and mount(8), which are passed on. Unknown ones are refused by name.
 */
#ifndef MOUNT_OPTIONS_H
#define MOUNT_OPTIONS_H
#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <stddef.h>

#include "mount/setting.h"

struct mount_options {
	char *store, *mountpoint;	/* absolute */
	bool foreground, debug, help, version;
	bool read_only, no_xattr, nonempty;
	bool as_mount_helper;		/* called as mount.widefs: its statuses */
	bool fake;			/* mount(8) -f: do nothing */
	double commit_s;
	size_t cache_bytes, memtable_bytes, max_value, scratch_max, threads;
	size_t max_nodes;
	size_t uid, gid, umask, max_read;	/* or SETTING_UNSET */
	char *keyspace;			/* or NULL: all */
	char *log_file;			/* or NULL */
	int log_level;
	int log_format;			/* 0: text, 1: json */
	char *config;			/* the file of settings, or NULL: none */
	enum setting_source sources[SETTING_COUNT];
	struct fuse_args args;		/* for the session */
};

/* Return an absolute path, which the caller frees: we leave the working directory. NULL,
 * after a message: that has been removed; or without memory. */
char *options_absolute(const char *path);
/* True for an option of mount(8) or libfuse. */
bool options_is_of_mount(const char *name);
/* Parse the command line, and read the settings that it leaves to other places
 * (config.h). 0, or -EINVAL after a message to stderr. */
int mount_options_parse(struct mount_options *o, int argc, char **argv);
/* Free what mount_options_parse allocated. */
void mount_options_release(struct mount_options *o);
/* Print the help of widefs to stdout. */
void mount_options_usage(void);
#endif
