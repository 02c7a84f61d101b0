/*
 * Settings: the options of widefs itself whose values may come from several places.
 * One table has them all: their names, kinds, bounds and help.
 */
#ifndef MOUNT_SETTING_H
#define MOUNT_SETTING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct mount_options;

#define SETTING_COUNT 18
#define SETTING_UNSET SIZE_MAX	/* a number that nobody has given */

/* The place that a value is from; a later one goes before an earlier one. */
enum setting_source {
	SETTING_BUILT_IN, SETTING_FILE, SETTING_STORE, SETTING_ENVIRONMENT,
	SETTING_COMMAND_LINE,
	SETTING_SOURCES
};

/* Return the setting of that name, which may have a - for each _; -1: none. */
int setting_find(const char *name, size_t len);
const char *setting_name(int setting);
/* True if it is also a flag: --log-level=debug. */
bool setting_is_flag(int setting);
/* True if its value is the path of a file. */
bool setting_is_path(int setting);
/*
 * Give a setting this value. text NULL: its name stood alone. where begins a message:
 * "FILE:LINE: ", or "". 0; -EINVAL after a message to stderr; -ENOMEM.
 */
int setting_set(struct mount_options *o, int setting, const char *text,
		enum setting_source source, const char *where);
/* Give all settings their built-in values. The members of o must be 0. */
void setting_set_built_in(struct mount_options *o);
/* Free the values. */
void setting_release(struct mount_options *o);

/* Return how many letters of a name a word begins and ends with: more are more
 * alike. Below 3 they are not. */
size_t setting_likeness(const char *word, size_t len, const char *name,
			size_t name_len);
/* Return the name that is most like the word, or NULL. */
const char *setting_nearest(const char *word, size_t len);

/* Append the lines of .widefs/options: NAME=VALUE, or the NAME of what is on, below
 * a line "# SOURCE". What is off or has no value has no line. */
void setting_print(const struct mount_options *o, struct buf *out);
/* Print a line or more of help of each to stdout. */
void setting_print_help(void);
#endif
