/*
 * JSON's form (RFC 8259). Every function looks at text that may be anything:
 * UTF-8 is checked, nesting is bounded. Messages are those of the library that
 * Cassandra uses, as clients see them.
 */
#include "store/type/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/type/native.h"

#define DEPTH_MAX 64
#define SOURCE_MAX 500		/* of a text in a message, in UTF-16 */
#define VALUES "(JSON String, Number, Array, Object or token 'null', " \
	       "'true' or 'false')"
#define PARSE "com.fasterxml.jackson.core.JsonParseException"
#define END_OF_INPUT "com.fasterxml.jackson.core.io.JsonEOFException"
#define MISMATCH "com.fasterxml.jackson.databind.exc.MismatchedInputException"

struct scan {
	const uint8_t *begin, *ptr, *end;
	struct type_error *error;
	const uint8_t *place;	/* of what is wrong, where it is not ptr */
	const uint8_t *whole;	/* of the number, its whole part */
	bool in_string;		/* a line break just taken began no line */
	bool map;		/* the library reads it as one, in its own way */
	bool cut;		/* it failed for what may yet come behind */
};

static struct scan scan_of(struct bytes text, struct type_error *error)
{
	return (struct scan){ .begin = text.ptr, .ptr = text.ptr,
			      .end = text.ptr + text.len, .error = error };
}

/* The text and its closing quote; of a long one the begin. */
static void print_source(struct buf *out, struct bytes text)
{
	size_t i, shown = text.len, units = 0;

	for (i = 0; i < text.len; i++) {
		if ((text.ptr[i] & 0xc0) == 0x80)
			continue;
		if (units >= SOURCE_MAX && shown == text.len)
			shown = i;
		units += 1 + (text.ptr[i] >= 0xf0);
	}
	buf_add(out, text.ptr, shown);
	buf_add_byte(out, '"');
	if (units > SOURCE_MAX)
		buf_add_format(out, "[truncated %zu chars]",
			       units - SOURCE_MAX);
}

static void print_position(struct buf *out, const struct scan *s, unsigned line,
			   unsigned column)
{
	buf_add_str(out, "[Source: (String)\"");
	print_source(out, bytes_of(s->begin, (size_t)(s->end - s->begin)));
	buf_add_format(out, "; line: %u, column: %u]", line, column);
}

/* Where a position is, as the library says it; columns are of UTF-16. */
static void print_place(struct buf *out, const struct scan *s,
			const uint8_t *at)
{
	unsigned line = 1, column = 1;
	const uint8_t *c;

	for (c = s->begin; c < at; c++) {
		if (*c == '\n' && !(s->in_string && c + 1 == at)) {
			line++;
			column = 1;
		} else if ((*c & 0xc0) != 0x80) {
			column += 1 + (*c >= 0xf0);
		}
	}
	if (s->begin == s->end)
		column = 0;
	print_position(out, s, line, column);
}

/* Where no token began yet. */
static void print_root(struct buf *out, const struct scan *s)
{
	print_position(out, s, 1, 0);
}

static int fail(struct scan *s, const char *class, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int fail(struct scan *s, const char *class, const char *format, ...)
{
	struct buf text = BUF_INIT;
	char message[2200];
	va_list args;

	s->cut = !strcmp(class, END_OF_INPUT);
	if (!s->error)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	buf_add_format(&text, "%s: %s\n at ", class, message);
	print_place(&text, s, s->place ? s->place : s->ptr);
	type_fail(s->error, "%s", buf_cstr(&text));
	buf_release(&text);
	return -EINVAL;
}

/* The length of the well-formed UTF-8 character at the begin; 0: none. */
static size_t utf8_length(const uint8_t *c, const uint8_t *end)
{
	size_t left = (size_t)(end - c), len, i;

	if (c[0] < 0x80)
		return 1;
	len = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
	if (c[0] < 0xc2 || c[0] > 0xf4 || left < len)
		return 0;
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
		return 0;
	for (i = 1; i < len; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* Takes the character that does not fit. */
static int unexpected(struct scan *s, const char *where, const char *why)
{
	size_t len = utf8_length(s->ptr, s->end);
	const uint8_t *c = s->ptr;
	unsigned code = c[0];

	if (!len)
		return fail(s, PARSE, "Invalid UTF-8");
	if (len == 2)
		code = (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
	if (len == 3)
		code = (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 |
		       (c[2] & 0x3fu);
	s->ptr += len;
	if (code < 0x20)
		return fail(s, PARSE, "Unexpected character ((CTRL-CHAR, code "
			    "%u))%s: %s", code, where, why);
	return fail(s, PARSE, "Unexpected character ('%.*s' (code %u))%s: %s",
		    (int)len, c, code, where, why);
}

static void skip_blanks(struct scan *s)
{
	while (s->ptr < s->end && (*s->ptr == ' ' || *s->ptr == '\t' ||
				   *s->ptr == '\n' || *s->ptr == '\r'))
		s->ptr++;
}

static bool is_digit_of(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_digit(const struct scan *s)
{
	return s->ptr < s->end && is_digit_of(*s->ptr);
}

static bool is_name_part(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || c == '_' || c == '$' || c >= 0x80;
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits after \u: the unit, or -EINVAL. */
static int scan_unit(struct scan *s)
{
	int unit = 0, i;

	for (i = 0; i < 4; i++) {
		int digit;

		if (s->ptr == s->end)
			return fail(s, END_OF_INPUT, "Unexpected end-of-input "
				    "in character escape sequence");
		digit = hex_digit(*s->ptr);
		if (digit < 0)
			return unexpected(s, "", "expected a hex-digit for "
					  "character escape sequence");
		unit = unit << 4 | digit;
		s->ptr++;
	}
	return unit;
}

static void add_utf8(struct buf *out, unsigned code)
{
	if (code < 0x80) {
		buf_add_byte(out, (uint8_t)code);
		return;
	}
	if (code < 0x800) {
		buf_add_byte(out, (uint8_t)(0xc0 | code >> 6));
	} else if (code < 0x10000) {
		buf_add_byte(out, (uint8_t)(0xe0 | code >> 12));
		buf_add_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
	} else {
		buf_add_byte(out, (uint8_t)(0xf0 | code >> 18));
		buf_add_byte(out, (uint8_t)(0x80 | (code >> 12 & 0x3f)));
		buf_add_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
	}
	buf_add_byte(out, (uint8_t)(0x80 | (code & 0x3f)));
}

static int scan_unicode(struct scan *s, struct buf *out)
{
	int unit = scan_unit(s), low = 0;
	unsigned code;

	if (unit < 0)
		return unit;
	code = (unsigned)unit;
	if (code >= 0xd800 && code < 0xdc00 && s->end - s->ptr >= 2 &&
	    s->ptr[0] == '\\' && s->ptr[1] == 'u') {
		s->ptr += 2;
		low = scan_unit(s);
		if (low < 0)
			return low;
		if (low >= 0xdc00 && low < 0xe000)
			code = 0x10000 + ((code - 0xd800) << 10) +
			       ((unsigned)low - 0xdc00);
	}
	if (code >= 0xd800 && code < 0xe000) {
		fail(s, PARSE, "Half a surrogate pair in character escape "
		     "sequence");
		s->cut = code < 0xdc00 && s->end - s->ptr < 2 &&
			 (s->ptr == s->end || *s->ptr == '\\');
		return -EINVAL;
	}
	if (out)
		add_utf8(out, code);
	return 0;
}

static int scan_escape(struct scan *s, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (s->ptr == s->end)
		return fail(s, END_OF_INPUT, "Unexpected end-of-input in "
			    "character escape sequence");
	if (*s->ptr == 'u') {
		s->ptr++;
		return scan_unicode(s, out);
	}
	found = *s->ptr ? strchr(from, *s->ptr) : NULL;
	if (!found) {
		uint8_t c = *s->ptr++;

		return fail(s, PARSE, "Unrecognized character escape '%c' "
			    "(code %u)", c, c);
	}
	s->ptr++;
	if (out)
		buf_add_byte(out, (uint8_t)to[found - from]);
	return 0;
}

/* After the quote; with out, what it means is appended. */
static int scan_string(struct scan *s, struct buf *out)
{
	const uint8_t *plain = ++s->ptr;
	int err;

	for (;;) {
		size_t len;

		if (s->ptr == s->end)
			return fail(s, END_OF_INPUT, "Unexpected end-of-input: "
				    "was expecting closing quote for a string "
				    "value");
		if (*s->ptr == '"' || *s->ptr == '\\') {
			bool end = *s->ptr == '"';

			if (out)
				buf_add(out, plain, (size_t)(s->ptr - plain));
			s->ptr++;
			if (end)
				return 0;
			err = scan_escape(s, out);
			if (err)
				return err;
			plain = s->ptr;
			continue;
		}
		if (*s->ptr < 0x20) {
			unsigned code = *s->ptr++;

			s->in_string = true;
			return fail(s, PARSE, "Illegal unquoted character "
				    "((CTRL-CHAR, code %u)): has to be escaped "
				    "using backslash to be included in string "
				    "value", code);
		}
		len = utf8_length(s->ptr, s->end);
		if (!len) {
			fail(s, PARSE, "Invalid UTF-8");
			s->cut = text_is_utf8(bytes_of(s->ptr, (size_t)
						(s->end - s->ptr)), true);
			return -EINVAL;
		}
		s->ptr += len;
	}
}

static void skip_digits(struct scan *s)
{
	while (is_digit(s))
		s->ptr++;
}

/* The number ends too early: what it will be is not known. */
static int number_ends(struct scan *s, const char *why)
{
	return fail(s, END_OF_INPUT, "Unexpected end-of-input%s", why);
}

/* Before its point or e, and with a sign before it. */
static int scan_digits(struct scan *s, bool plus)
{
	if (s->ptr == s->end)
		return number_ends(s, plus ? " in a Number value" :
					     "No digit following minus sign");
	if (plus || !is_digit(s))
		return unexpected(s, " in numeric value", "expected digit "
				  "(0-9) to follow minus sign, for valid "
				  "numeric value");
	skip_digits(s);
	return 0;
}

/* A digit that must follow: what does not is told at the place where the whole
 * part ended. */
static int not_a_digit(struct scan *s, const uint8_t *place, const char *why)
{
	const uint8_t *c = s->ptr;
	int err;

	s->place = place;
	err = unexpected(s, " in numeric value", why);
	s->place = NULL;
	s->ptr = c;
	return err;
}

/* NaN, or an infinity, up to here. */
static int not_a_number(struct scan *s, const uint8_t *start)
{
	return fail(s, PARSE, "Non-standard token '%.*s': enable "
		    "JsonParser.Feature.ALLOW_NON_NUMERIC_NUMBERS to allow",
		    (int)(s->ptr - start), start);
}

/* What follows the whole part. */
static int scan_fraction(struct scan *s)
{
	const char *point = "Decimal point not followed by a digit";
	/* A 0 is read by another way there. */
	const uint8_t *place = s->ptr[-1] == '0' && s->ptr - s->whole == 1 ?
				       NULL : s->ptr + 1;

	if (s->ptr < s->end && *s->ptr == '.') {
		s->ptr++;
		if (s->ptr == s->end) {
			s->ptr--;
			not_a_digit(s, place, point);
			s->ptr++;
			s->cut = true;
			return -EINVAL;
		}
		if (!is_digit(s))
			return not_a_digit(s, place, point);
		skip_digits(s);
	}
	if (s->ptr == s->end || (*s->ptr | 0x20) != 'e')
		return 0;
	s->ptr++;
	if (s->ptr < s->end && (*s->ptr == '+' || *s->ptr == '-'))
		s->ptr++;
	if (s->ptr == s->end)
		return number_ends(s, "expected a digit for number exponent");
	if (!is_digit(s))
		return not_a_digit(s, place, "Exponent indicator not followed "
					     "by a digit");
	skip_digits(s);
	return 0;
}

static int scan_number(struct scan *s)
{
	static const struct bytes infinity = { (const uint8_t *)"-Infinity",
					       9 };
	bool plus;
	int err = 0;

	if (bytes_begin_with(bytes_of(s->ptr, (size_t)(s->end - s->ptr)),
			     infinity)) {
		s->ptr += infinity.len;
		return not_a_number(s, s->ptr - infinity.len);
	}
	plus = *s->ptr == '+';
	if (plus || *s->ptr == '-')
		s->ptr++;
	s->whole = s->ptr;
	if (!plus && is_digit(s) && *s->ptr == '0') {
		s->ptr++;
		if (is_digit(s))
			return fail(s, PARSE, "Invalid numeric value: Leading "
				    "zeroes not allowed");
	} else {
		err = scan_digits(s, plus);
	}
	return err ? err : scan_fraction(s);
}

static int scan_word(struct scan *s)
{
	struct bytes word = { s->ptr, 0 };

	while (s->ptr < s->end && is_name_part(*s->ptr))
		s->ptr++;
	word.len = (size_t)(s->ptr - word.ptr);
	if (bytes_equal(word, bytes_str("true")) ||
	    bytes_equal(word, bytes_str("false")) ||
	    bytes_equal(word, bytes_str("null")))
		return 0;
	if (bytes_equal(word, bytes_str("NaN")) ||
	    bytes_equal(word, bytes_str("Infinity")))
		return not_a_number(s, word.ptr);
	fail(s, PARSE, "Unrecognized token '%.*s': was expecting "
	     VALUES, (int)(word.len < 80 ? word.len : 80), word.ptr);
	s->cut = s->ptr == s->end;
	return -EINVAL;
}

static int scan_value(struct scan *s, unsigned depth);

static int not_closed(struct scan *s, const char *what, const uint8_t *start)
{
	struct buf place = BUF_INIT;
	int err;

	print_place(&place, s, start);
	err = fail(s, END_OF_INPUT, "Unexpected end-of-input: expected close "
		   "marker for %s (start marker at %s)", what,
		   buf_cstr(&place));
	buf_release(&place);
	return err;
}

/* The input ends in an object, but not where one of its values does. */
static int ends_in_object(struct scan *s, const char *class)
{
	fail(s, class, "Unexpected end-of-input within/between Object entries");
	s->cut = true;
	return -EINVAL;
}

static bool is_close(const struct scan *s)
{
	return *s->ptr == ']' || *s->ptr == '}';
}

/* The bracket that is there closes another kind. start NULL: none is open. */
static int wrong_close(struct scan *s, const uint8_t *start)
{
	char there = (char)*s->ptr++;
	struct buf place = BUF_INIT;
	int err;

	if (start)
		print_place(&place, s, start);
	else
		print_root(&place, s);
	err = fail(s, PARSE, "Unexpected close marker '%c': expected '%c' (for "
		   "%s starting at %s)", there, there == '}' ? ']' : '}',
		   !start ? "root" : *start == '{' ? "Object" : "Array",
		   buf_cstr(&place));
	buf_release(&place);
	return err;
}

/* Neither a token nor a blank. */
static int misfit(struct scan *s, const char *why)
{
	return unexpected(s, "", *s->ptr == '/' ? "maybe a (non-standard) "
			  "comment? (not recognized as one since Feature "
			  "'ALLOW_COMMENTS' not enabled for parser)" : why);
}

static int scan_name(struct scan *s, struct buf *name)
{
	int err;

	if (*s->ptr != '"')
		return misfit(s, "was expecting double-quote to start field "
				 "name");
	err = scan_string(s, name);
	if (err)
		return err;
	skip_blanks(s);
	if (s->ptr == s->end)
		return ends_in_object(s, END_OF_INPUT);
	if (*s->ptr != ':')
		return misfit(s, "was expecting a colon to separate field name "
				 "and value");
	s->ptr++;
	skip_blanks(s);
	return s->ptr < s->end ? 0 : ends_in_object(s, END_OF_INPUT);
}

static int scan_entry(struct scan *s, const uint8_t *start, unsigned depth,
		      const struct json_visitor *visitor)
{
	struct buf name = BUF_INIT;
	struct bytes value = BYTES_NULL;
	bool to_end;
	int err = 0;

	if (*start == '{')
		err = scan_name(s, visitor ? &name : NULL);
	if (!err) {
		value.ptr = s->ptr;
		err = s->map && depth == DEPTH_MAX && *s->ptr == '}' ?
			      misfit(s, "expected a valid value " VALUES) :
			      scan_value(s, depth - 1);
		value.len = (size_t)(s->ptr - value.ptr);
	}
	/* A number that the text ends with may go on. */
	to_end = err ? s->cut && value.ptr :
		       s->ptr == s->end && is_digit_of(s->ptr[-1]);
	if (visitor && visitor->cut && to_end) {
		value.len = (size_t)(s->end - value.ptr);
		s->cut = visitor->cut(visitor->to, buf_bytes(&name), value);
		err = -EINVAL;
	} else if (!err && visitor) {
		err = name.failed ? -ENOMEM :
			visitor->each(visitor->to, buf_bytes(&name), value);
	}
	buf_release(&name);
	return err;
}

/* The bracket is next. The visitor may be NULL. */
static int scan_container(struct scan *s, unsigned depth,
			  const struct json_visitor *visitor)
{
	const uint8_t *start = s->ptr++;
	bool object = *start == '{';
	uint8_t close = object ? '}' : ']';
	const char *what = object ? "Object" : "Array";
	int err;

	if (!depth)
		return fail(s, PARSE, "Document nesting depth (%d) exceeds the "
			    "maximum allowed (%d)", DEPTH_MAX + 1, DEPTH_MAX);
	skip_blanks(s);
	if (s->ptr < s->end && *s->ptr == close) {
		s->ptr++;
		return 0;
	}
	if (s->ptr < s->end && is_close(s))
		return wrong_close(s, start);
	for (;;) {
		skip_blanks(s);
		if (s->ptr == s->end)
			return object && s->ptr[-1] == ',' ?
				       ends_in_object(s, PARSE) :
				       not_closed(s, what, start);
		err = scan_entry(s, start, depth, visitor);
		if (err)
			return err;
		skip_blanks(s);
		if (s->ptr == s->end)
			return not_closed(s, what, start);
		if (*s->ptr == close) {
			s->ptr++;
			return 0;
		}
		if (is_close(s))
			return wrong_close(s, start);
		if (*s->ptr != ',')
			return misfit(s, object ?
				"was expecting comma to separate Object entries"
				: "was expecting comma to separate Array "
				"entries");
		s->ptr++;
	}
}

/* A value is next, without blanks before it. */
static int scan_value(struct scan *s, unsigned depth)
{
	switch (*s->ptr) {
	case '{':
	case '[':
		return scan_container(s, depth, NULL);
	case '"':
		return scan_string(s, NULL);
	case '-':
	case '+':
		return scan_number(s);
	case '}':
		return unexpected(s, "", "expected a value");
	default:
		if (is_digit(s))
			return scan_number(s);
		if (is_name_part(*s->ptr))
			return scan_word(s);
		return misfit(s, "expected a valid value " VALUES);
	}
}

static int read_root(struct bytes *value, struct scan *s)
{
	bool number;
	int err;

	skip_blanks(s);
	if (s->ptr == s->end)
		return fail(s, MISMATCH, "No content to map due to "
			    "end-of-input");
	value->ptr = s->ptr;
	number = *s->ptr == '-' || is_digit(s);
	err = is_close(s) ? wrong_close(s, NULL) : scan_value(s, DEPTH_MAX);
	if (err)
		return err;
	value->len = (size_t)(s->ptr - value->ptr);
	if (number && s->ptr < s->end && *s->ptr > ' ')
		return unexpected(s, "", "Expected space separating "
				  "root-level values");
	return 0;
}

int json_read_value(struct bytes *value, struct bytes text,
		    struct type_error *error)
{
	struct scan s = scan_of(text, error);

	return read_root(value, &s);
}

int json_read_row(struct bytes *value, struct bytes text,
		  struct type_error *error)
{
	struct scan s = scan_of(text, error);

	s.map = true;
	return read_root(value, &s);
}

int json_begin(struct bytes text, const struct json_visitor *visitor)
{
	struct scan s = scan_of(text, NULL);
	int err = *s.ptr == '[' || *s.ptr == '{' ?
			  scan_container(&s, DEPTH_MAX, visitor) :
			  scan_value(&s, DEPTH_MAX);

	if (err)
		return err == -ENOMEM || s.cut ? 0 : -EINVAL;
	return s.ptr == s.end ? 1 : -EINVAL;
}

int json_read_string(struct buf *out, struct bytes json,
		     struct type_error *error)
{
	struct scan s = scan_of(json, error);

	if (s.ptr == s.end || *s.ptr != '"')
		return type_fail(error, "Expected a JSON string");
	return scan_string(&s, out);
}

struct gather {
	struct arena *arena;
	struct buf entries;	/* of struct json_member or struct bytes */
};

static int gather_member(void *to, struct bytes name, struct bytes value)
{
	struct gather *g = to;
	struct json_member member = { arena_copy(g->arena, name), value };

	if (g->arena->failed)
		return -ENOMEM;
	buf_add(&g->entries, &member, sizeof(member));
	return 0;
}

static int gather_element(void *to, struct bytes name, struct bytes value)
{
	struct gather *g = to;

	(void)name;
	buf_add(&g->entries, &value, sizeof(value));
	return 0;
}

static int read_container(struct gather *g, struct bytes text, char open,
			  int (*each)(void *, struct bytes, struct bytes),
			  struct type_error *error)
{
	struct scan s = scan_of(text, error);
	struct json_visitor visitor = { each, NULL, g };
	int err;

	skip_blanks(&s);
	if (s.ptr == s.end)
		return fail(&s, MISMATCH, "No content to map due to "
			    "end-of-input");
	if (*s.ptr != open) {
		err = scan_value(&s, DEPTH_MAX);
		return err ? err : fail(&s, MISMATCH, "Cannot deserialize: "
					"expected %s", open == '{' ?
					"an Object" : "an Array");
	}
	err = scan_container(&s, DEPTH_MAX, &visitor);
	if (err)
		return err;
	skip_blanks(&s);
	if (s.ptr < s.end)
		return unexpected(&s, "", "expected the end");
	return g->entries.failed ? -ENOMEM : 0;
}

/* The entries move to the arena. */
static int finish(struct gather *g, void **out, size_t *count, size_t size,
		  int err)
{
	void *copy = NULL;

	if (!err) {
		/* One byte more: an arena gives no pointer for 0 bytes. */
		copy = arena_alloc(g->arena, g->entries.len + 1);
		if (!copy)
			err = -ENOMEM;
	}
	if (!err) {
		if (g->entries.len)
			memcpy(copy, g->entries.ptr, g->entries.len);
		*out = copy;
		*count = g->entries.len / size;
	}
	buf_release(&g->entries);
	return err;
}

int json_read_object(struct arena *arena, struct json_member **members,
		     size_t *count, struct bytes text, struct type_error *error)
{
	struct gather g = { arena, BUF_INIT };
	int err = read_container(&g, text, '{', gather_member, error);
	void *out = NULL;

	err = finish(&g, &out, count, sizeof(**members), err);
	if (!err)
		*members = out;
	return err;
}

int json_read_array(struct arena *arena, struct bytes **elements, size_t *count,
		    struct bytes text, struct type_error *error)
{
	struct gather g = { arena, BUF_INIT };
	int err = read_container(&g, text, '[', gather_element, error);
	void *out = NULL;

	err = finish(&g, &out, count, sizeof(**elements), err);
	if (!err)
		*elements = out;
	return err;
}
