/*
 * The commands of widefsctl share this: exit statuses, messages, finding a
 * STORE or a mount. Each command is one file with its man page beside it.
 */
#ifndef TOOLS_LIB_TOOL_H
#define TOOLS_LIB_TOOL_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "store/base/bytes.h"

struct store;

#define TOOL_VERSION "0.1"

/* Exit statuses: widefsctl(1). */
enum tool_status {
	TOOL_DONE = 0, TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_BUSY = 3,
	TOOL_DAMAGED = 4, TOOL_TOO_NEW = 5, TOOL_NONE = 6,
};

struct command {
	const char *name;
	const char *summary;	/* a line of widefsctl --help */
	const char *usage;	/* all of COMMAND --help */
	int (*run)(int argc, char **argv);	/* argv[0]: the name */
};

/* Print "widefsctl: OBJECT: what is wrong (what to do)" on stderr. */
void tool_complain(const char *object, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for a call that failed with -errno. */
void tool_failed(const char *object, int err);
/*
 * Write a message (line_format) into line. After an allocation has failed nothing that
 * seems wrong need be so: then that is the message, once. False: it has been told.
 */
bool tool_message(char *line, size_t size, const char *object, const char *format,
		  va_list args) __attribute__((format(printf, 4, 0)));
/* Forget that an allocation has failed: another statement may do without. */
void tool_forget_memory(void);
/* The status of the program: no success after an allocation has failed. */
int tool_end(const char *command, int status);
/* Print a line of a report on stderr. */
void tool_print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Note the arguments of a command, to say which of them is not known. */
void tool_set_arguments(char **argv);
/* Write these bytes, or none. False: errno says why they were not written. */
bool tool_write(FILE *to, struct bytes bytes);
/* Print the usage of a command, on stdout for --help, else on stderr. */
int tool_usage(const struct command *c, bool asked);
/* Print what is wrong with an argument, on stderr. Returns TOOL_USAGE. */
int tool_misused(const struct command *c, const char *object, const char *why);
/* Return the mount that path is in (its root's path, to be freed with free), or
 * NULL: path is in none. *store is the path of its store, to be freed too. */
char *tool_mount_of(const char *path, char **store);
/* The same for a path without links; the mount is not asked. */
char *tool_mount_at(const char *real, char **store);
/* Say why the store at path was not opened (an error of store_open; the process
 * that has it, or 0): an exit status. */
int tool_open_failed(const char *path, int err, int owner_pid);
/* Open the store at path: 0 and *out, or an exit status after a message. */
int tool_open_store(struct store **out, const char *path, bool read_only);
/* Make a store at path unless there is one: 0, or an exit status after a
 * message. */
int tool_make_store(const char *path);
#endif
