/* COPY: its options, from the command and from CONFIGFILE. */
#include "tools/cql/copy/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "tools/cql/run.h"

/* A setter returns NULL, or why it did not take the value. */
typedef const char *setter(struct copy *c, void *member, struct bytes value);

static bool is(struct bytes value, const char *word)
{
	return value.len == strlen(word) &&
	       !strncasecmp((const char *)value.ptr, word, value.len);
}

static struct bytes trim(struct bytes text)
{
	while (text.len && *text.ptr <= ' ') {
		text.ptr++;
		text.len--;
	}
	while (text.len && text.ptr[text.len - 1] <= ' ')
		text.len--;
	return text;
}

static const char *set_bool(struct copy *c, void *member, struct bytes value)
{
	static const char *const words[] = { "false", "true", "no", "yes",
					     "off", "on", "0", "1" };
	size_t i;

	(void)c;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!is(value, words[i]))
			continue;
		*(bool *)member = i % 2;
		return NULL;
	}
	return "the option is true or false";
}

static const char *set_character(struct copy *c, void *member,
				 struct bytes value)
{
	(void)c;
	if (bytes_equal(value, bytes_str("\\t")))
		value = bytes_str("\t");
	if (value.len != 1 || *value.ptr == '\n' || *value.ptr >= 0x80)
		return "the option takes one character";
	*(uint8_t *)member = *value.ptr;
	return NULL;
}

static const char *set_text(struct copy *c, void *member, struct bytes value)
{
	*(struct bytes *)member = arena_copy(&c->arena, value);
	return NULL;
}

static const char *set_path(struct copy *c, void *member, struct bytes value)
{
	*(const char **)member = copy_path(c, value);
	return NULL;
}

/* Take a separator that differs from digits, signs and exponents. */
static const char *set_separator(struct copy *c, void *member,
				 struct bytes value)
{
	size_t i;

	for (i = 0; i < value.len; i++)
		if (strchr("0123456789+-", value.ptr[i]) ||
		    ((value.ptr[i] | 32) >= 'a' && (value.ptr[i] | 32) <= 'z'))
			return "a separator has no digits, signs and letters";
	return set_text(c, member, value);
}

static const char *read_number(long *out, struct bytes value, long least,
			       long most)
{
	const char *text = (const char *)value.ptr;
	char *end;
	long n;

	errno = 0;
	n = value.len ? strtol(text, &end, 10) : 0;
	if (!value.len || end != text + value.len || errno || n < least ||
	    n > most)
		return "the option takes a number";
	*out = n;
	return NULL;
}

static const char *set_number(struct copy *c, void *member, struct bytes value)
{
	(void)c;
	return read_number(member, value, COPY_NO_LIMIT, LONG_MAX);
}

static const char *set_token(struct copy *c, void *member, struct bytes value)
{
	long ignored;

	return read_number(&ignored, value, LONG_MIN, LONG_MAX) ?
		"a token is a number" : set_text(c, member, value);
}

static const char *set_digits(struct copy *c, void *member, struct bytes value)
{
	(void)c;
	return read_number(member, value, 1, 99) ?
		"the option takes a number from 1 to 99" : NULL;
}

static const char *set_seconds(struct copy *c, void *member,
			       struct bytes value)
{
	const char *text = (const char *)value.ptr;
	char *end = NULL;
	double seconds = value.len ? strtod(text, &end) : -1;

	(void)c;
	if (!value.len || end != text + value.len || !(seconds >= 0))
		return "the option takes a number of seconds";
	*(double *)member = seconds;
	return NULL;
}

static const char *set_styles(struct copy *c, void *member, struct bytes value)
{
	const uint8_t *comma = memchr(value.ptr, ',', value.len);
	struct bytes yes, no;

	(void)member;
	yes = trim(bytes_of(value.ptr, comma ? (size_t)(comma - value.ptr)
					     : 0));
	no = comma ? trim(bytes_of(comma + 1, (size_t)(value.ptr + value.len -
							comma - 1)))
		   : BYTES_EMPTY;
	if (!yes.len || !no.len || bytes_equal(yes, no))
		return "BOOLSTYLE takes two words with a comma between";
	c->yes = arena_copy(&c->arena, yes);
	c->no = arena_copy(&c->arena, no);
	return NULL;
}

static const char *set_encoding(struct copy *c, void *member,
				struct bytes value)
{
	(void)c;
	(void)member;
	return is(value, "utf8") || is(value, "utf-8") ? NULL :
		"files are UTF-8 (iconv makes others of them)";
}

/* Check a number that only matters to the speed of cqlsh. */
static const char *check_number(struct copy *c, void *member,
				struct bytes value)
{
	long ignored;

	(void)member;
	return set_number(c, &ignored, value);
}

static const char *check_bool(struct copy *c, void *member, struct bytes value)
{
	bool ignored;

	(void)member;
	return set_bool(c, &ignored, value);
}

#define AT(member) offsetof(struct copy, member)
static const struct copy_option {
	const char *name;
	bool to, from;
	setter *set;
	size_t member;
} options[] = {
	{ "HEADER", true, true, set_bool, AT(header) },
	{ "DELIMITER", true, true, set_character, AT(style.delimiter) },
	{ "QUOTE", true, true, set_character, AT(style.quote) },
	{ "ESCAPE", true, true, set_character, AT(style.escape) },
	{ "NULL", true, true, set_text, AT(style.null) },
	{ "NULLVAL", true, true, set_text, AT(style.null) },
	{ "BOOLSTYLE", true, true, set_styles, 0 },
	{ "DATETIMEFORMAT", true, true, set_text, AT(date_format) },
	{ "DECIMALSEP", true, true, set_separator, AT(decimal_separator) },
	{ "THOUSANDSSEP", true, true, set_separator, AT(thousands_separator) },
	{ "FLOATPRECISION", true, false, set_digits, AT(float_precision) },
	{ "DOUBLEPRECISION", true, false, set_digits, AT(double_precision) },
	{ "MAXROWS", true, true, set_number, AT(max_rows) },
	{ "MAXOUTPUTSIZE", true, false, set_number, AT(max_output) },
	{ "SKIPROWS", false, true, set_number, AT(skip_rows) },
	{ "SKIPCOLS", false, true, set_text, AT(skip_columns) },
	{ "MAXPARSEERRORS", false, true, set_number, AT(max_parse_errors) },
	{ "MAXINSERTERRORS", false, true, set_number, AT(max_insert_errors) },
	{ "ERRFILE", false, true, set_path, AT(error_file) },
	{ "TTL", false, true, set_number, AT(ttl) },
	{ "BEGINTOKEN", true, false, set_token, AT(begin_token) },
	{ "ENDTOKEN", true, false, set_token, AT(end_token) },
	{ "CONFIGFILE", true, true, set_path, AT(config_file) },
	{ "RATEFILE", true, true, set_path, AT(rate_file) },
	{ "REPORTFREQUENCY", true, true, set_seconds, AT(report_s) },
	{ "ENCODING", true, true, set_encoding, 0 },
	{ "NUMPROCESSES", true, true, check_number, 0 },
	{ "MAXATTEMPTS", true, true, check_number, 0 },
	{ "CHUNKSIZE", false, true, check_number, 0 },
	{ "INGESTRATE", false, true, check_number, 0 },
	{ "MINBATCHSIZE", false, true, check_number, 0 },
	{ "MAXBATCHSIZE", false, true, check_number, 0 },
	{ "PREPAREDSTATEMENTS", false, true, check_bool, 0 },
	{ "PAGESIZE", true, false, check_number, 0 },
	{ "PAGETIMEOUT", true, false, check_number, 0 },
	{ "MAXREQUESTS", true, false, check_number, 0 },
};

int copy_option_named(struct bytes name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (is(name, options[i].name))
			return (int)i;
	return -1;
}

const char *copy_option_name(size_t i, bool from)
{
	if (i >= ARRAY_SIZE(options))
		return NULL;
	return (from ? options[i].from : options[i].to) ? options[i].name : "";
}

const char *copy_option_refused(const struct copy *c, int option)
{
	if (option < 0)
		return "unknown option (see HELP COPY)";
	if (c->from && !options[option].from)
		return "the option is one of COPY TO";
	if (!c->from && !options[option].to)
		return "the option is one of COPY FROM";
	return NULL;
}

const char *copy_option_set(struct copy *c, int option, struct bytes value)
{
	c->given |= (uint64_t)1 << option;
	return options[option].set(c, (char *)c + options[option].member,
				   value);
}

/* Set the option of a line "name = value" in a section that is ours. NULL, or
 * what is wrong. */
static const char *set_by_line(struct copy *c, uint64_t in_command,
			       struct bytes line)
{
	size_t at = 0;
	struct bytes value;
	int option;

	while (at < line.len && line.ptr[at] != '=' && line.ptr[at] != ':')
		at++;
	if (at == line.len)
		return "\"=\" is expected";
	option = copy_option_named(trim(bytes_of(line.ptr, at)));
	if (option < 0)
		return copy_option_refused(c, option);
	if ((in_command >> option & 1) || copy_option_refused(c, option))
		return NULL;
	value = trim(bytes_of(line.ptr + at + 1, line.len - at - 1));
	return copy_option_set(c, option, arena_copy(&c->arena, value));
}

/* Set the options of one section. 0 or -EINVAL after the message. */
static int read_section(struct copy *c, FILE *file, struct bytes section,
			uint64_t in_command)
{
	const char *wrong = NULL;
	unsigned long number = 0;
	bool inside = false;
	char *text = NULL;
	size_t room = 0;
	ssize_t n;

	rewind(file);
	while (!wrong && (n = getline(&text, &room, file)) > 0) {
		struct bytes line = trim(bytes_of((uint8_t *)text, (size_t)n));

		number++;
		if (!line.len || *line.ptr == '#' || *line.ptr == ';')
			continue;
		if (*line.ptr == '[')
			inside = bytes_equal(line, section);
		else if (inside)
			wrong = set_by_line(c, in_command, line);
	}
	free(text);
	if (wrong)
		shell_complain(c->shell, "%s:%lu: %s", c->config_file, number,
			       wrong);
	return wrong ? -EINVAL : 0;
}

/* Read sections from the most general to the most special, as cqlsh does. */
int copy_read_config(struct copy *c)
{
	const char *to = c->from ? "-from" : "-to";
	uint64_t in_command = c->given;
	struct buf section = BUF_INIT;
	FILE *file;
	int i, err = 0;

	if (!c->config_file)
		return 0;
	file = fopen(c->config_file, "re");
	if (!file) {
		shell_complain(c->shell, "Could not open %s: %s",
			       c->config_file, strerror(errno));
		return -EINVAL;
	}
	for (i = 0; !err && i < 4; i++) {
		buf_clear(&section);
		buf_add_format(&section, "[copy%s", i % 2 ? to : "");
		if (i >= 2)
			buf_add_format(&section, ":%s.%s",
				       (const char *)c->keyspace.ptr,
				       (const char *)c->table.ptr);
		buf_add_byte(&section, ']');
		err = section.failed ? -ENOMEM
				     : read_section(c, file, buf_bytes(&section),
						    in_command);
	}
	buf_release(&section);
	fclose(file);
	return err;
}

const char *copy_options_check(const struct copy *c)
{
	if (c->max_output > 0 && !c->path)
		return "MAXOUTPUTSIZE needs a file";
	if (!c->decimal_separator.len)
		return "DECIMALSEP takes a text";
	if (bytes_equal(c->decimal_separator, c->thousands_separator))
		return "DECIMALSEP and THOUSANDSSEP are the same";
	return NULL;
}
