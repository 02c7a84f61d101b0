/*
 * Lines of JSON. Most are as row_text.h writes them: the members in one order,
 * plain strings, whole numbers. These are read in one scan. A value that
 * differs, or the whole line, is left to the general reader of JSON, which also
 * words the refusals.
 */
#include "store/document/json_line.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "store/base/utf8.h"
#include "store/document/refusal.h"
#include "store/type/float.h"
#include "store/type/json/json.h"
#include "store/type/json/plain.h"
#include "store/type/json/value.h"
#include "store/type/native.h"
#include "store/type/number.h"

/* ------------------------------------------------------------------- names */
int json_line_column(const struct table *t, struct bytes name)
{
	char lower[256];
	size_t i;

	if (name.len > 1 && name.ptr[0] == '"' &&
	    name.ptr[name.len - 1] == '"')
		return table_column(t, bytes_of(name.ptr + 1, name.len - 2));
	if (name.len > sizeof(lower))	/* no column's is so long */
		return -1;
	for (i = 0; i < name.len; i++)
		lower[i] = (char)tolower(name.ptr[i]);
	return table_column(t, bytes_of(lower, name.len));
}

/* ------------------------------------------------------------------ values */
/* Set the value of the column; the last one counts. */
static void give(struct line_reader *r, uint32_t place, struct bytes value)
{
	r->given[place] = value;
	r->has[place] = 1;
}

/* Set the column to a copy of r->value. */
static int give_read(struct line_reader *r, uint32_t place)
{
	struct bytes value = arena_copy(r->arena, buf_bytes(&r->value));

	if (r->value.failed || r->arena->failed)
		return -ENOMEM;
	give(r, place, value);
	return 1;
}

/* Set the column to a whole number of that width in bytes. */
static int give_number(struct line_reader *r, uint32_t place, int64_t n,
		       uint32_t width)
{
	uint8_t *bytes = arena_alloc(r->arena, 8);

	if (!bytes)
		return -ENOMEM;
	put_be64(bytes, (uint64_t)n << (64 - 8 * width));
	give(r, place, bytes_of(bytes, width));
	return 1;
}

static uint32_t number_width(enum type_kind kind)
{
	switch (kind) {
	case TYPE_TINYINT:
		return 1;
	case TYPE_SMALLINT:
		return 2;
	case TYPE_INT:
		return 4;
	case TYPE_BIGINT:
		return 8;
	default:
		return 0;
	}
}

/* Read any JSON value by the general reader. */
static int give_json(struct line_reader *r, uint32_t place, struct bytes json)
{
	const struct column *c = &r->table->columns[place];
	char text[sizeof(r->error.text)];
	bool is_null = false;
	int err;

	buf_clear(&r->value);
	err = type_read_json_exact(&r->value, &is_null, c->type, json,
				   &r->error);
	if (err == -EINVAL) {
		refusal_say_plainly(&r->error);
		memcpy(text, r->error.text, sizeof(text));
		return type_fail(&r->error, "%s: %.*s", c->name,
				 (int)sizeof(text) - 200, text);
	}
	if (err)
		return err;
	if (!is_null)
		return give_read(r, place);
	give(r, place, BYTES_NULL);
	return 1;
}

/* Read the whole line by the general reader. */
static int read_general(struct line_reader *r, struct bytes line)
{
	struct json_member *members;
	size_t count, i;
	int got = json_read_object(r->arena, &members, &count, line, &r->error);

	if (got == -EINVAL)
		refusal_say_plainly(&r->error);
	for (i = 0; !got && i < count; i++) {
		int place = json_line_column(r->table, members[i].name);

		if (place < 0)
			return type_fail(&r->error, "there is no column '%.*s'",
					 type_fail_length(members[i].name),
					 members[i].name.ptr);
		got = give_json(r, (uint32_t)place, members[i].value);
		got = got > 0 ? 0 : got;
	}
	return got ? got : 1;
}

/* ---------------------------------------------------------------- as written */
/* Return the end of what may be a number. */
static const uint8_t *number_end(const uint8_t *p, const uint8_t *end)
{
	while (p < end && ((*p >= '0' && *p <= '9') || *p == '.' ||
			   *p == '-' || *p == '+' || (*p | 0x20) == 'e'))
		p++;
	return p;
}

/*
 * These take a value in the form that most lines have, and move *at after it: 1;
 * 0: it has another form, for the general reader; -ENOMEM.
 *
 * A number with a point, of at most 15 digits: they and the power of ten are
 * exact as doubles, so that their quotient is rounded as strtod rounds.
 */
static int take_float(struct line_reader *r, uint32_t place,
		      const uint8_t **at, const uint8_t *end)
{
	enum type_kind kind = r->table->columns[place].type->kind;
	const uint8_t *p = *at, *digits, *point = NULL;
	bool minus = *p == '-';
	double power = 1;
	uint64_t n = 0;

	p += minus;
	for (digits = p; p < end; p++) {
		if (*p >= '0' && *p <= '9') {
			n = n * 10 + (*p - '0');
			if (point)
				power *= 10;
		} else if (*p == '.' && !point && p > digits) {
			point = p;
		} else {
			break;
		}
		if (p - digits > 15)
			return 0;
	}
	/* Leave whole numbers, 0 and exponents to the other readers. */
	if (!point || point + 1 == p || !n || p == end ||
	    (*digits == '0' && point > digits + 1) ||
	    (*p != ',' && *p != '}' && *p != ' '))
		return 0;
	*at = p;
	buf_clear(&r->value);
	float_add(&r->value, kind, (minus ? -(double)n : (double)n) / power);
	return give_read(r, place);
}

static int take_number(struct line_reader *r, uint32_t place,
		       const uint8_t **at, const uint8_t *end)
{
	enum type_kind kind = r->table->columns[place].type->kind;
	uint32_t width = number_width(kind);
	const uint8_t *p = *at, *digits;
	bool minus = *p == '-';
	uint64_t n = 0;
	int64_t number;

	if (kind == TYPE_DOUBLE || kind == TYPE_FLOAT)
		return take_float(r, place, at, end);
	if (!width)
		return 0;
	p += minus;
	for (digits = p; p < end && *p >= '0' && *p <= '9'; p++)
		n = n * 10 + (*p - '0');
	/* 18 digits fit; a 0 before others, a point and -0 are for others. */
	if (p == digits || p - digits > 18 || (*digits == '0' &&
	    (p - digits > 1 || minus)) || p == end ||
	    (*p != ',' && *p != '}' && *p != ' '))
		return 0;
	number = minus ? -(int64_t)n : (int64_t)n;
	if (width < 8 && (number < -(INT64_C(1) << (8 * width - 1)) ||
			  number >= INT64_C(1) << (8 * width - 1)))
		return 0;
	*at = p;
	return give_number(r, place, number, width);
}

static int take_string(struct line_reader *r, uint32_t place,
		       const uint8_t **at, const uint8_t *end)
{
	enum type_kind kind = r->table->columns[place].type->kind;
	const uint8_t *begin = *at + 1, *p;
	struct bytes text;
	bool is_ascii;

	p = json_plain_end(begin, end, &is_ascii);
	if (p == end || *p != '"')
		return 0;
	text = bytes_of(begin, (size_t)(p - begin));
	*at = p + 1;
	if (kind_is_text(kind)) {
		if (!is_ascii &&
		    (kind == TYPE_ASCII || !utf8_is_valid(text, false)))
			return 0;
		give(r, place, text);
		return 1;
	}
	/* Among the other types, these read a string as any text. */
	if (!text.len || (kind != TYPE_UUID && kind != TYPE_TIMEUUID &&
			  kind != TYPE_TIMESTAMP && kind != TYPE_DATE &&
			  kind != TYPE_TIME && kind != TYPE_INET))
		return 0;
	buf_clear(&r->value);
	if (native_read_text(&r->value, kind, text, NULL))
		return 0;
	return give_read(r, place);
}

static int take_word(struct line_reader *r, uint32_t place, const uint8_t **at,
		     const uint8_t *end)
{
	enum type_kind kind = r->table->columns[place].type->kind;
	struct bytes rest = bytes_of(*at, (size_t)(end - *at));
	size_t len;

	if (bytes_begin_with(rest, bytes_str("null"))) {
		give(r, place, BYTES_NULL);
		len = 4;
	} else if (kind == TYPE_BOOLEAN &&
		   bytes_begin_with(rest, bytes_str("true"))) {
		give(r, place, bytes_of("\1", 1));
		len = 4;
	} else if (kind == TYPE_BOOLEAN &&
		   bytes_begin_with(rest, bytes_str("false"))) {
		give(r, place, bytes_of("\0", 1));
		len = 5;
	} else {
		return 0;
	}
	*at += len;
	return *at < end && (**at == ',' || **at == '}' || **at == ' ');
}

static int take_value(struct line_reader *r, uint32_t place, const uint8_t **at,
		      const uint8_t *end)
{
	const uint8_t *p = *at;
	struct bytes value;
	int got;

	if (p == end)
		return 0;
	if (*p == '"')
		got = take_string(r, place, at, end);
	else if (*p == '-' || (*p >= '0' && *p <= '9'))
		got = take_number(r, place, at, end);
	else
		got = take_word(r, place, at, end);
	if (got)
		return got;
	if (*p == '-' || (*p >= '0' && *p <= '9'))
		end = number_end(p, end);
	if (json_read_value(&value, bytes_of(p, (size_t)(end - p)), NULL))
		return 0;
	got = give_json(r, place, value);
	*at = value.ptr + value.len;
	return got;
}

/* Take a name as row_text.h writes it, with its colon; expected: the place where
 * the last line had it in. */
static int take_name(struct line_reader *r, uint32_t index, uint32_t *place,
		     const uint8_t **at, const uint8_t *end)
{
	const struct row_text *names = &r->names;
	uint32_t from, len;
	const uint8_t *p = *at + 1, *name;
	int found;

	*place = r->order[index];
	from = *place ? names->ends[*place - 1] : 0;
	len = names->ends[*place] - from;
	/* The text of the name has ", " before and ": " after it. */
	if (len > 4 && (size_t)(end - *at) > len - 4 &&
	    !memcmp(*at, names->names.ptr + from + 2, len - 4)) {
		*at += len - 4;
	} else {
		for (name = p; p < end && *p != '"' && *p != '\\' && *p >= 0x20;
		     p++)
			;
		if (p == end || *p != '"')
			return 0;
		found = json_line_column(r->table,
					 bytes_of(name, (size_t)(p - name)));
		if (found < 0)
			return 0;
		*at = p + 1;
		*place = r->order[index] = (uint32_t)found;
	}
	while (*at < end && **at == ' ')
		++*at;
	if (*at == end || **at != ':')
		return 0;
	++*at;
	return 1;
}

static void skip_blanks(const uint8_t **at, const uint8_t *end)
{
	while (*at < end && (**at == ' ' || **at == '\t' || **at == '\r' ||
			     **at == '\n'))
		++*at;
}

static int take_object(struct line_reader *r, const uint8_t *at,
		       const uint8_t *end)
{
	uint32_t index = 0, place;
	int got;

	if (*at++ != '{')
		return 0;
	for (;; index++) {
		skip_blanks(&at, end);
		if (at == end || *at != '"' || index == r->table->column_count)
			return 0;
		got = take_name(r, index, &place, &at, end);
		if (got <= 0)
			return got;
		skip_blanks(&at, end);
		got = take_value(r, place, &at, end);
		if (got <= 0)
			return got;
		skip_blanks(&at, end);
		if (at == end)
			return 0;
		if (*at == '}')
			break;
		if (*at++ != ',')
			return 0;
	}
	at++;
	skip_blanks(&at, end);
	return at == end;
}

/* The reader counts lines of its own: a line here is one. */
static void say_column(struct type_error *error)
{
	static const char one[] = " (line 1, ";
	char *at = strstr(error->text, one);

	if (at)
		memmove(at + 2, at + sizeof(one) - 1,
			strlen(at + sizeof(one) - 1) + 1);
}

int json_line_read(struct line_reader *r, struct bytes line)
{
	const uint8_t *at = line.ptr, *end = line.ptr + line.len;
	int got;

	skip_blanks(&at, end);
	if (at == end)
		return 0;
	got = r->general ? 0 : take_object(r, at, end);
	if (got == 0 || got == -EINVAL) {
		memset(r->has, 0, r->table->column_count);
		got = read_general(r, bytes_of(at, (size_t)(end - at)));
	}
	if (got == -EINVAL)
		say_column(&r->error);
	return got;
}
