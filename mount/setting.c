#include "mount/setting.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/message.h"
#include "mount/options.h"
#include "store/base/bytes.h"
#include "store/base/log.h"
#include "store/base/memory.h"

enum kind { FLAG, SIZE, NUMBER, MASK, SECONDS, WORD, NAME, PATH };

struct setting {
	const char *name;
	enum kind kind;
	size_t member;			/* of struct mount_options */
	size_t least, most;		/* of a size or a number */
	const char *const *words;	/* of a word: its number is the value */
	const char *value, *help;	/* of --help; further lines of it */
	bool is_flag;			/* --NAME, too */
};

static const char *const levels[] = { "error", "warning", "info", "debug", NULL };
static const char *const formats[] = { "text", "json", NULL };
#define INDENT "\n                       "
#define MEMBER(name) offsetof(struct mount_options, name)

static const struct setting settings[] = {
	{ "ro", FLAG, MEMBER(read_only), 0, 0, NULL,
	  "", "read-only: nothing is ever written", false },
	{ "commit", SECONDS, MEMBER(commit_s), 0, 3600, NULL,
	  "S", "seconds until a closed write is on disk (1; 0: at once)", false },
	{ "cache", SIZE, MEMBER(cache_bytes), 1 << 20, (size_t)1 << 40, NULL,
	  "SIZE", "of the block cache (128M, or less)", false },
	{ "memtable", SIZE, MEMBER(memtable_bytes), 1 << 20, (size_t)1 << 36, NULL,
	  "SIZE", "of all memtables (64M, or less)", false },
	{ "max_value", SIZE, MEMBER(max_value), 1, ((size_t)2 << 30) - 1, NULL,
	  "SIZE", "of one value (256M, at most 2G-1)", false },
	{ "scratch_max", SIZE, MEMBER(scratch_max), 0, (size_t)1 << 40, NULL,
	  "SIZE", "of all temporary files (64M)", false },
	{ "max_nodes", SIZE, MEMBER(max_nodes), 1, (size_t)1 << 40, NULL,
	  "N", "files and directories that are known only as the kernel" INDENT
	  "knows them (256K, or less)", false },
	{ "keyspace", NAME, MEMBER(keyspace), 0, 0, NULL,
	  "K", "show keyspace K alone", false },
	{ "threads", SIZE, MEMBER(threads), 1, 64, NULL,
	  "N", "that serve requests (4)", false },
	{ "noxattr", FLAG, MEMBER(no_xattr), 0, 0, NULL,
	  "", "no extended attributes, fewer requests", false },
	{ "uid", NUMBER, MEMBER(uid), 0, UINT32_MAX - 1, NULL,
	  "N", "all belongs to this user", false },
	{ "gid", NUMBER, MEMBER(gid), 0, UINT32_MAX - 1, NULL,
	  "N", "all has this group", false },
	{ "umask", MASK, MEMBER(umask), 0, 0777, NULL,
	  "M", "all has the mode 0777 less M", false },
	{ "max_read", SIZE, MEMBER(max_read), 4096, 1 << 20, NULL,
	  "SIZE", "of one request to read", false },
	{ "nonempty", FLAG, MEMBER(nonempty), 0, 0, NULL,
	  "", "over a directory that has files, too", false },
	{ "log_level", WORD, MEMBER(log_level), 0, 0, levels,
	  "L", "as the flag above", true },
	{ "log_file", PATH, MEMBER(log_file), 0, 0, NULL,
	  "FILE", "as the flag above", true },
	{ "log_format", WORD, MEMBER(log_format), 0, 0, formats,
	  "F", "as the flag above", true },
};
_Static_assert(ARRAY_SIZE(settings) == SETTING_COUNT, "of setting.h");

const char *setting_name(int setting)
{
	return settings[setting].name;
}

bool setting_is_flag(int setting)
{
	return settings[setting].is_flag;
}

bool setting_is_path(int setting)
{
	return settings[setting].kind == PATH;
}

int setting_find(const char *name, size_t len)
{
	size_t i, at;

	for (i = 0; i < SETTING_COUNT; i++) {
		const char *own = settings[i].name;

		for (at = 0; at < len && own[at]; at++)
			if (name[at] != own[at] &&
			    !(name[at] == '-' && own[at] == '_'))
				break;
		if (at == len && !own[at])
			return (int)i;
	}
	return -1;
}

/* ------------------------------------------------------------ did you mean */
size_t setting_likeness(const char *word, size_t len, const char *name,
			size_t name_len)
{
	size_t begin = 0, end = 0, least = len < name_len ? len : name_len;

	while (begin < least && word[begin] == name[begin])
		begin++;
	while (begin + end < least &&
	       word[len - end - 1] == name[name_len - end - 1])
		end++;
	return begin ? begin + end : 0;
}

const char *setting_nearest(const char *word, size_t len)
{
	const char *found = NULL;
	size_t i, best = 2;

	for (i = 0; i < SETTING_COUNT; i++) {
		const char *name = settings[i].name;
		size_t alike = setting_likeness(word, len, name, strlen(name));

		if (alike > best) {
			best = alike;
			found = name;
		}
	}
	return found;
}

/* ------------------------------------------------------------------ values */
static void *member_of(struct mount_options *o, const struct setting *s)
{
	return (char *)o + s->member;
}

static const void *value_of(const struct mount_options *o,
			    const struct setting *s)
{
	return (const char *)o + s->member;
}

/* Read a size with an optional K, M, G or T. False: it is none. */
static bool read_size(size_t *out, const struct setting *s, const char *text)
{
	char *end;
	unsigned long long n;
	unsigned shift = 0;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*end && !end[1])
		shift = strchr("Kk", *end) ? 10 : strchr("Mm", *end) ? 20 :
			strchr("Gg", *end) ? 30 : strchr("Tt", *end) ? 40 : 99;
	else if (*end)
		shift = 99;
	if (errno || text[0] < '0' || text[0] > '9' || shift == 99 ||
	    n > ULLONG_MAX >> shift || n << shift < s->least ||
	    n << shift > s->most)
		return false;
	*out = (size_t)(n << shift);
	return true;
}

static bool read_number(size_t *out, const struct setting *s, const char *text)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, s->kind == MASK ? 8 : 10);
	if (errno || *end || text[0] < '0' || text[0] > '9' || n < s->least ||
	    n > s->most)
		return false;
	*out = (size_t)n;
	return true;
}

static bool read_seconds(double *out, const struct setting *s, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || !*text || !(seconds >= (double)s->least) ||
	    seconds > (double)s->most)
		return false;
	*out = seconds;
	return true;
}

static bool read_word(int *out, const struct setting *s, const char *text)
{
	int i;

	for (i = 0; s->words[i]; i++)
		if (!strcmp(s->words[i], text)) {
			*out = i;
			return true;
		}
	return false;
}

static bool read_flag(bool *out, const char *text)
{
	if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
		return false;
	*out = text[0] == 'y';
	return true;
}

static int read_text(char **out, const char *text, bool path)
{
	char *copy = path ? options_absolute(text) : strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*out);
	*out = copy;
	return 0;
}

/* Append a list of the words. */
static void add_words(struct buf *out, const char *const *words)
{
	int i;

	for (i = 0; words[i]; i++)
		buf_add_format(out, "%s%s", i ? ", " : "", words[i]);
}

/* Print what a value is not. Returns -EINVAL. */
static int refuse(const struct setting *s, const char *text, const char *where)
{
	struct buf object = BUF_INIT, why = BUF_INIT;

	buf_add_format(&object, "%s%s=%.200s", where, s->name, text);
	switch (s->kind) {
	case FLAG:
		buf_add_str(&why, "not yes or no");
		break;
	case SIZE:
		buf_add_format(&why, "not a %s from %zu to %zu%s",
			       s->most < 1024 ? "number" : "size", s->least,
			       s->most, s->most < 1024 ? "" :
			       " (K, M, G and T may follow the number)");
		break;
	case NUMBER:
		buf_add_format(&why, "not a number from %zu to %zu", s->least,
			       s->most);
		break;
	case MASK:
		buf_add_format(&why, "not an octal number from 0 to %zo",
			       s->most);
		break;
	case SECONDS:
		buf_add_format(&why, "not a number of seconds from %zu to %zu",
			       s->least, s->most);
		break;
	case WORD:
		buf_add_str(&why, "not one of ");
		add_words(&why, s->words);
		break;
	case NAME:
		buf_add_str(&why, "needs the name of a keyspace");
		break;
	case PATH:
		buf_add_str(&why, "needs the name of a file");
		break;
	}
	message_complain(buf_cstr(&object), "%s", buf_cstr(&why));
	buf_release(&object);
	buf_release(&why);
	return -EINVAL;
}

static int read_value(struct mount_options *o, const struct setting *s,
		      const char *text)
{
	void *member = member_of(o, s);
	bool good = *text;

	switch (s->kind) {
	case FLAG:
		good = read_flag(member, text);
		break;
	case SIZE:
		good = read_size(member, s, text);
		break;
	case NUMBER:
	case MASK:
		good = read_number(member, s, text);
		break;
	case SECONDS:
		good = read_seconds(member, s, text);
		break;
	case WORD:
		good = read_word(member, s, text);
		break;
	case NAME:
	case PATH:
		return good ? read_text(member, text, s->kind == PATH) : -EINVAL;
	}
	return good ? 0 : -EINVAL;
}

int setting_set(struct mount_options *o, int setting, const char *text,
		enum setting_source source, const char *where)
{
	const struct setting *s = &settings[setting];
	char object[640];
	int err;

	if (!text && s->kind != FLAG) {
		snprintf(object, sizeof(object), "%s%s", where, s->name);
		message_complain(object, "needs a value (%s=%s)", s->name,
				 s->value);
		return -EINVAL;
	}
	err = read_value(o, s, text ? text : "yes");
	if (err == -EINVAL)
		return refuse(s, text, where);
	if (!err)
		o->sources[setting] = source;
	return err;
}

void setting_set_built_in(struct mount_options *o)
{
	o->commit_s = 1;
	o->cache_bytes = memory_default_cache();
	o->memtable_bytes = memory_default_memtables();
	o->max_value = 256 << 20;
	o->scratch_max = 64 << 20;
	o->max_nodes = memory_default_nodes();
	o->threads = 4;
	o->uid = o->gid = o->umask = o->max_read = SETTING_UNSET;
	o->log_level = LOG_WARNING_LEVEL;
}

void setting_release(struct mount_options *o)
{
	size_t i;

	for (i = 0; i < SETTING_COUNT; i++) {
		const struct setting *s = &settings[i];

		if (s->kind == NAME || s->kind == PATH)
			free(*(char **)member_of(o, s));
	}
}

/* ---------------------------------------------------------------- printing */
static void print_value(struct buf *out, const struct mount_options *o,
			const struct setting *s)
{
	const void *value = value_of(o, s);
	const char *text;

	switch (s->kind) {
	case FLAG:
		if (*(const bool *)value)
			buf_add_format(out, "%s\n", s->name);
		break;
	case SIZE:
	case NUMBER:
	case MASK:
		if (*(const size_t *)value != SETTING_UNSET)
			buf_add_format(out, s->kind == MASK ? "%s=%03zo\n" :
				       "%s=%zu\n", s->name,
				       *(const size_t *)value);
		break;
	case SECONDS:
		buf_add_format(out, "%s=%g\n", s->name, *(const double *)value);
		break;
	case WORD:
		buf_add_format(out, "%s=%s\n", s->name,
			       s->words[*(const int *)value]);
		break;
	case NAME:
	case PATH:
		text = *(char *const *)value;
		if (text)
			buf_add_format(out, "%s=%s\n", s->name, text);
		break;
	}
}

void setting_print(const struct mount_options *o, struct buf *out)
{
	const char *const headings[] = {
		[SETTING_BUILT_IN] = "built-in",
		[SETTING_FILE] = o->config ? o->config : "",
		[SETTING_STORE] = "the store's options",
		[SETTING_ENVIRONMENT] = "the environment",
		[SETTING_COMMAND_LINE] = "the command line",
	};
	unsigned source;
	size_t i;

	for (source = 0; source < SETTING_SOURCES; source++) {
		struct buf lines = BUF_INIT;

		for (i = 0; i < SETTING_COUNT; i++)
			if (o->sources[i] == source)
				print_value(&lines, o, &settings[i]);
		if (lines.len)
			buf_add_format(out, "# %s\n", headings[source]);
		buf_add_bytes(out, buf_bytes(&lines));
		buf_release(&lines);
	}
}

void setting_print_help(void)
{
	size_t i;

	for (i = 0; i < SETTING_COUNT; i++) {
		const struct setting *s = &settings[i];
		char name[32];

		snprintf(name, sizeof(name), "%s%s%s", s->name,
			 *s->value ? "=" : "", s->value);
		printf("  %-20s %s\n", name, s->help);
	}
}
