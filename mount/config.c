#include "mount/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/message.h"
#include "mount/options.h"
#include "mount/setting.h"
#include "store/base/bytes.h"

#define SYSTEM_FILE "/etc/widefs.conf"
#define PREFIX "WIDEFS_"
#define LONGEST (64 << 10)	/* of a file */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* A file that is being read. */
struct config_file {
	struct mount_options *o;
	const char *path;
	enum setting_source source;
	unsigned line;
	unsigned lines[SETTING_COUNT];	/* that have them; 0: none */
};

/* Print what is wrong with a file, or with its line. Returns -EINVAL. */
static int complain(const struct config_file *f, const char *what)
{
	char object[PATH_MAX + 16];

	snprintf(object, sizeof(object), f->line ? "%s:%u" : "%s", f->path,
		 f->line);
	message_complain(object, "%s", what);
	return -EINVAL;
}

/* Refuse a name that is none. */
static int refuse_name(const struct config_file *f, const char *name)
{
	const char *near = setting_nearest(name, strlen(name));
	char what[160];

	if (options_is_of_mount(name))
		snprintf(what, sizeof(what), "%.60s: an option of mount(8), not "
			 "of this file (give it after -o)", name);
	else if (near)
		snprintf(what, sizeof(what), "%.60s: unknown option (did you "
			 "mean %s?)", name, near);
	else
		snprintf(what, sizeof(what), "%.60s: unknown option (see "
			 "widefs.conf(5))", name);
	return complain(f, what);
}

/* Cut blanks off both ends of a text. */
static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	return text;
}

static int set(struct config_file *f, int setting, const char *value)
{
	char where[512], what[80];

	if (f->lines[setting]) {
		snprintf(what, sizeof(what), "%s: line %u has it already",
			 setting_name(setting), f->lines[setting]);
		return complain(f, what);
	}
	f->lines[setting] = f->line;
	if (setting_is_path(setting) && f->source == SETTING_STORE)
		return complain(f, "log_file: a store does not choose it (set it "
				"in " SYSTEM_FILE ")");
	if (setting_is_path(setting) && value && value[0] != '/')
		return complain(f, "log_file: its whole path is needed, from /");
	snprintf(where, sizeof(where), "%.480s:%u: ", f->path, f->line);
	return setting_set(f->o, setting, value, f->source, where);
}

static int read_line(struct config_file *f, char *line)
{
	char *name = trim(line), *value = strchr(name, '=');
	int setting;

	if (!*name || *name == '#')
		return 0;
	if (value) {
		*value++ = 0;
		value = trim(value);
		name = trim(name);
	}
	setting = setting_find(name, strlen(name));
	return setting < 0 ? refuse_name(f, name) : set(f, setting, value);
}

static int read_lines(struct config_file *f, struct buf *text)
{
	char *at = (char *)text->ptr, *end = at + text->len;
	int err = 0;

	if (text->len >= 3 && !memcmp(at, BYTE_ORDER_MARK, 3))
		at += 3;
	while (at < end && !err) {
		char *next = memchr(at, '\n', (size_t)(end - at));

		f->line++;
		next = next ? next : end;	/* a byte more is there */
		*next = 0;
		err = strlen(at) < (size_t)(next - at) ?
			      complain(f, "a zero byte (this is no text)") :
			      read_line(f, at);
		at = next + 1;
	}
	return err;
}

/* A store's options are its owner's: nobody else may write them. */
static int check_owner(const struct config_file *f, const struct stat *st)
{
	if (f->source != SETTING_STORE ||
	    ((!st->st_uid || st->st_uid == geteuid()) &&
	     !(st->st_mode & (S_IWGRP | S_IWOTH))))
		return 0;
	return complain(f, "others can write it, or own it (chmod go-w, or run "
			"as its owner)");
}

/* Read all of it, and a 0 byte after it. */
static int read_text(struct config_file *f, int fd, struct buf *text)
{
	char part[4096];
	struct stat st;
	ssize_t n = 1;
	int err = fstat(fd, &st) ? complain(f, strerror(errno)) : 0;

	if (!err)
		err = check_owner(f, &st);
	if (!err && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		err = complain(f, S_ISDIR(st.st_mode) ? strerror(EISDIR) :
							"not a file");
	while (!err && (n = read(fd, part, sizeof(part))) > 0) {
		buf_add(text, part, (size_t)n);
		if (text->len > LONGEST)
			err = complain(f, "longer than 64 KiB (options are "
				       "shorter)");
	}
	if (!err && n < 0)
		err = complain(f, strerror(errno));
	buf_add_byte(text, 0);
	if (text->failed)
		return err ? err : -ENOMEM;
	text->len--;
	return err;
}

/* The owner of a store may be another: its link could name a file of the reader's, or
 * a device that does something when it is opened. */
static int open_file(const struct config_file *f)
{
	return open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
		    (f->source == SETTING_STORE ? O_NOFOLLOW : 0));
}

/* Read a file, which must exist or not. */
static int read_file(struct config_file *f, bool needed)
{
	struct buf text = BUF_INIT;
	int err, fd = open_file(f);

	if (fd < 0 && errno == ELOOP && f->source == SETTING_STORE)
		return complain(f, "a symbolic link (copy what it names)");
	if (fd < 0)
		return errno == ENOMEM ? -ENOMEM :
		       needed || (errno != ENOENT && errno != ENOTDIR) ?
			       complain(f, strerror(errno)) : 0;
	err = read_text(f, fd, &text);
	close(fd);
	if (!err)
		err = read_lines(f, &text);
	buf_release(&text);
	return err;
}

int config_read_file(struct mount_options *o, const char *path)
{
	struct config_file f = { .o = o, .source = SETTING_FILE };
	const char *named = path ? path : getenv(PREFIX "CONFIG");

	if (named && !*named)
		return 0;
	o->config = options_absolute(named ? named : SYSTEM_FILE);
	f.path = o->config;
	return f.path ? read_file(&f, named) : -ENOMEM;
}

int config_read_store(struct mount_options *o)
{
	struct config_file f = { .o = o, .source = SETTING_STORE };
	char *path = NULL;
	int err;

	if (access(o->store, X_OK))	/* to open it tells why */
		return 0;
	if (asprintf(&path, "%s/options", o->store) < 0)
		return -ENOMEM;
	f.path = path;
	err = read_file(&f, false);
	free(path);
	return err;
}

/* Read a variable: its name in lower case after the prefix, and what follows. */
static int read_variable(struct mount_options *o, const char *variable)
{
	char name[40], where[64];
	size_t i, len = strcspn(variable, "=");
	const char *near;
	int setting;

	if (!variable[len] || len >= sizeof(name))
		return 0;
	for (i = 0; i < len; i++)
		name[i] = (char)tolower((unsigned char)variable[i]);
	setting = setting_find(name, len);
	near = setting_nearest(name, len);
	if (setting >= 0) {
		snprintf(where, sizeof(where), PREFIX "%.*s: ", (int)len,
			 variable);
		return setting_set(o, setting, variable + len + 1,
				   SETTING_ENVIRONMENT, where);
	}
	if (!near)
		return 0;
	snprintf(where, sizeof(where), "%s", near);
	for (i = 0; where[i]; i++)
		where[i] = (char)toupper((unsigned char)where[i]);
	snprintf(name, sizeof(name), PREFIX "%.*s", (int)len, variable);
	message_complain(name, "unknown option (did you mean " PREFIX "%s?)", where);
	return -EINVAL;
}

int config_read_environment(struct mount_options *o)
{
	char **variable;
	int err = 0;

	for (variable = environ; *variable && !err; variable++)
		if (!strncmp(*variable, PREFIX, strlen(PREFIX)) &&
		    strncmp(*variable, PREFIX "CONFIG=", strlen(PREFIX) + 7) != 0)
			err = read_variable(o, *variable + strlen(PREFIX));
	return err;
}
