/*
 * JSON's values (RFC 8259): how they nest, and their contents. Nesting is
 * bounded.
 */
#include "store/type/json/json.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/type/json/fault.h"
#include "store/type/json/scan.h"
#include "store/type/json/token.h"

#define DEPTH_MAX 64

static void skip_blanks(struct scan *s)
{
	while (s->ptr < s->end && (*s->ptr == ' ' || *s->ptr == '\t' ||
				   *s->ptr == '\n' || *s->ptr == '\r'))
		s->ptr++;
}

static int scan_value(struct scan *s, unsigned depth);

static int not_closed(struct scan *s, const char *what, const uint8_t *start)
{
	struct buf place = BUF_INIT;
	int err;

	scan_print_place(&place, s, start);
	err = scan_fail(s, JSON_END_OF_INPUT,
			"Unexpected end-of-input: expected close "
			"marker for %s (start marker at %s)",
			what, buf_cstr(&place));
	buf_release(&place);
	return err;
}

/* The input ends in an object, but not where one of its values does. */
static int ends_in_object(struct scan *s, const char *class)
{
	scan_fail(s, class,
		  "Unexpected end-of-input within/between Object entries");
	s->cut = true;
	return -EINVAL;
}

static bool is_close(const struct scan *s)
{
	return *s->ptr == ']' || *s->ptr == '}';
}

/* Refuse a bracket that closes another kind. start NULL: none is open. */
static int refuse_bracket(struct scan *s, const uint8_t *start)
{
	char there = (char)*s->ptr++;
	struct buf place = BUF_INIT;
	int err;

	if (start)
		scan_print_place(&place, s, start);
	else
		scan_print_root(&place, s);
	err = scan_fail(s, JSON_PARSE,
			"Unexpected close marker '%c': expected '%c' (for "
			"%s starting at %s)",
			there, there == '}' ? ']' : '}',
			!start	      ? "root" :
			*start == '{' ? "Object" :
					"Array",
			buf_cstr(&place));
	buf_release(&place);
	return err;
}

/* Refuse a character that is neither a token nor a blank. */
static int misfit(struct scan *s, const char *why)
{
	return scan_unexpected(s, "", *s->ptr == '/' ?
			       "maybe a (non-standard) comment? (not "
			       "recognized as one since Feature "
			       "'ALLOW_COMMENTS' not enabled for parser)" :
			       why);
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
		return ends_in_object(s, JSON_END_OF_INPUT);
	if (*s->ptr != ':')
		return misfit(s, "was expecting a colon to separate field name "
				 "and value");
	s->ptr++;
	skip_blanks(s);
	return s->ptr < s->end ? 0 : ends_in_object(s, JSON_END_OF_INPUT);
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
			      misfit(s, "expected a valid value " JSON_VALUES) :
			      scan_value(s, depth - 1);
		value.len = (size_t)(s->ptr - value.ptr);
	}
	/* A number that the text ends with may continue. */
	to_end = err ? s->cut && value.ptr :
		       s->ptr == s->end && scan_is_digit(s->ptr[-1]);
	if (visitor && visitor->cut && to_end) {
		value.len = (size_t)(s->end - value.ptr);
		s->cut = visitor->cut(visitor->to, buf_bytes(&name), value);
		err = -EINVAL;
	} else if (!err && visitor) {
		err = name.failed ?
			    -ENOMEM :
			    visitor->each(visitor->to, buf_bytes(&name), value);
	}
	buf_release(&name);
	return err;
}

/* Scan an array or object from its bracket on. The visitor may be NULL. */
static int scan_container(struct scan *s, unsigned depth,
			  const struct json_visitor *visitor)
{
	const uint8_t *start = s->ptr++;
	bool object = *start == '{';
	uint8_t close = object ? '}' : ']';
	const char *what = object ? "Object" : "Array";
	int err;

	if (!depth)
		return scan_fail(s, JSON_PARSE,
				 "Document nesting depth (%d) exceeds the "
				 "maximum allowed (%d)",
				 DEPTH_MAX + 1, DEPTH_MAX);
	skip_blanks(s);
	if (s->ptr < s->end && *s->ptr == close) {
		s->ptr++;
		return 0;
	}
	if (s->ptr < s->end && is_close(s))
		return refuse_bracket(s, start);
	for (;;) {
		skip_blanks(s);
		if (s->ptr == s->end)
			return object && s->ptr[-1] == ',' ?
				       ends_in_object(s, JSON_PARSE) :
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
			return refuse_bracket(s, start);
		if (*s->ptr != ',')
			return misfit(s, object ? "was expecting comma to "
						  "separate Object entries" :
						  "was expecting comma to "
						  "separate Array entries");
		s->ptr++;
	}
}

/* Scan a value, which begins here without blanks before it. */
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
		return scan_unexpected(s, "", "expected a value");
	default:
		if (scan_at_digit(s))
			return scan_number(s);
		if (scan_is_name_part(*s->ptr))
			return scan_word(s);
		return misfit(s, "expected a valid value " JSON_VALUES);
	}
}

static int read_root(struct bytes *value, struct scan *s)
{
	bool number;
	int err;

	skip_blanks(s);
	if (s->ptr == s->end)
		return scan_fail(s, JSON_MISMATCH,
				 "No content to map due to end-of-input");
	value->ptr = s->ptr;
	number = *s->ptr == '-' || scan_at_digit(s);
	err = is_close(s) ? refuse_bracket(s, NULL) : scan_value(s, DEPTH_MAX);
	if (err)
		return err;
	value->len = (size_t)(s->ptr - value->ptr);
	if (number && s->ptr < s->end && *s->ptr > ' ')
		return scan_unexpected(s, "", "Expected space separating "
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
		return scan_fail(&s, JSON_MISMATCH,
				 "No content to map due to end-of-input");
	if (*s.ptr != open) {
		err = scan_value(&s, DEPTH_MAX);
		return err ? err :
			     scan_fail(&s, JSON_MISMATCH,
				       "Cannot deserialize: expected %s",
				       open == '{' ? "an Object" : "an Array");
	}
	err = scan_container(&s, DEPTH_MAX, &visitor);
	if (err)
		return err;
	skip_blanks(&s);
	if (s.ptr < s.end)
		return scan_unexpected(&s, "", "expected the end");
	return g->entries.failed ? -ENOMEM : 0;
}

/* Move the entries to the arena. */
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
