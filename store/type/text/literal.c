/*
 * CQL literals of compound values, as they may be written in a file. The type
 * says what comes next, so the recursion is as deep as the type. Statements
 * have a parser of their own (store/cql/syntax), with hints, functions and
 * markers. Of these only one function is read here, as type_print_literal
 * prints it for a value that has no literal: blob_as_int(0x).
 */
#include "store/type/text/literal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "store/type/compare.h"
#include "store/type/compound_build.h"
#include "store/type/native.h"
#include "store/type/text/number_form.h"
#include "store/type/value.h"

struct literal {
	const uint8_t *begin, *ptr, *end;
	struct type_error *error;
	bool strict;	/* numbers are CQL's alone, not Java's */
	bool cut;	/* it failed, but the text may go on */
};

static int read_term(struct literal *l, struct buf *out, bool *null,
		     const struct type *t, bool key);

static void skip_blanks(struct literal *l)
{
	while (l->ptr < l->end && (*l->ptr == ' ' || *l->ptr == '\t' ||
				   *l->ptr == '\n' || *l->ptr == '\r'))
		l->ptr++;
}

/* Return the next character that is no blank, or 0; blanks are skipped. */
static uint8_t peek(struct literal *l)
{
	skip_blanks(l);
	return l->ptr < l->end ? *l->ptr : 0;
}

static int unexpected(struct literal *l, const char *wanted)
{
	struct bytes rest = { l->ptr, (size_t)(l->end - l->ptr) };

	if (!rest.len) {
		l->cut = true;
		return type_fail(l->error, "The text ends where %s is expected",
				 wanted);
	}
	return type_fail(l->error, "Expected %s, but got '%.*s'", wanted,
			 (int)(rest.len < 40 ? rest.len : 40), rest.ptr);
}

static int expect(struct literal *l, char c)
{
	char wanted[] = { '\'', c, '\'', 0 };

	if (peek(l) != (uint8_t)c)
		return unexpected(l, wanted);
	l->ptr++;
	return 0;
}

/* Read the contents of 'it''s' or "a""b", after the first quote. */
static int read_quoted(struct literal *l, struct buf *text)
{
	uint8_t quote = *l->ptr++;

	for (;;) {
		const uint8_t *end = memchr(l->ptr, quote,
					    (size_t)(l->end - l->ptr));

		if (!end) {
			buf_add(text, l->ptr, (size_t)(l->end - l->ptr));
			l->ptr = l->end;
			return unexpected(l, "a closing quote");
		}
		buf_add(text, l->ptr, (size_t)(end - l->ptr));
		l->ptr = end + 1;
		if (l->ptr == l->end || *l->ptr != quote)
			return text->failed ? -ENOMEM : 0;
		buf_add_byte(text, quote);
		l->ptr++;
	}
}

static bool begins_dollars(const struct literal *l)
{
	return l->end - l->ptr >= 2 && l->ptr[0] == '$' && l->ptr[1] == '$';
}

static int read_dollars(struct literal *l, struct buf *text)
{
	const uint8_t *end;

	l->ptr += 2;
	end = memmem(l->ptr, (size_t)(l->end - l->ptr), "$$", 2);
	if (!end) {
		l->ptr = l->end;
		return unexpected(l, "$$");
	}
	buf_add(text, l->ptr, (size_t)(end - l->ptr));
	l->ptr = end + 2;
	return text->failed ? -ENOMEM : 0;
}

/* Read a constant without quotes. A key ends at its ':', which no constant of a
 * key contains. */
static struct bytes read_word(struct literal *l, bool key)
{
	struct bytes word = { l->ptr, 0 };

	while (l->ptr < l->end && *l->ptr > ' ' &&
	       !memchr(",[]{}()'\"", *l->ptr, 9) && !(key && *l->ptr == ':'))
		l->ptr++;
	word.len = (size_t)(l->ptr - word.ptr);
	return word;
}

static bool begins_word(struct bytes word, const char *lower)
{
	size_t i;

	for (i = 0; i < word.len && lower[i]; i++)
		if (tolower(word.ptr[i]) != lower[i])
			return false;
	return i == word.len;
}

static bool is_word(struct bytes word, const char *lower)
{
	return begins_word(word, lower) && !lower[word.len];
}

static bool is_integer(struct bytes word)
{
	size_t i = word.len > 1 && word.ptr[0] == '-';

	for (; i < word.len; i++)
		if (word.ptr[i] < '0' || word.ptr[i] > '9')
			return false;
	return word.len > 0;
}

/* True if a value of the type can be written as such a constant, in quotes or
 * not. */
static bool takes_constant(enum type_kind kind, bool quoted, struct bytes word)
{
	bool dated = kind == TYPE_DATE || kind == TYPE_TIME ||
		     kind == TYPE_TIMESTAMP;

	if (quoted)
		return native_is_quoted(kind);
	return dated ? is_integer(word) : !native_is_quoted(kind) && word.len;
}

struct function_name { char text[40]; };

static struct function_name blob_function(enum type_kind kind)
{
	struct function_name name;

	snprintf(name.text, sizeof(name.text), "blob_as_%s",
		 type_kind_name(kind));
	return name;
}

/* Read (0x), after the name of the function. */
static int read_by_blob(struct literal *l, struct buf *out,
			enum type_kind kind)
{
	struct buf value = BUF_INIT;
	struct bytes word;
	int err = expect(l, '(');

	skip_blanks(l);
	word = read_word(l, false);
	if (!err)
		err = expect(l, ')');
	if (!err)
		err = native_read_text(&value, TYPE_BLOB, word, l->error);
	if (!err)
		err = type_validate(type_native(kind), buf_bytes(&value),
				    l->error);
	if (!err)
		buf_add_bytes(out, buf_bytes(&value));
	buf_release(&value);
	return err;
}

/* True if more bytes may complete the constant, which is the end of the
 * text. */
static bool may_begin_constant(enum type_kind kind, bool quoted,
			       struct bytes word)
{
	if (quoted)
		return native_is_quoted(kind) &&
		       native_text_may_begin(kind, word);
	return begins_word(word, "null") ||
	       begins_word(word, blob_function(kind).text) ||
	       (native_is_quoted(kind) ?
			(word.len == 1 && strchr("$-", *word.ptr)) ||
				takes_constant(kind, false, word) :
			!number_form_fault(kind, word) &&
				native_text_may_begin(kind, word));
}

static int read_native(struct literal *l, struct buf *out,
		       enum type_kind kind, struct bytes word)
{
	const char *fault = l->strict ? number_form_fault(kind, word) : NULL;

	return fault ? type_fail(l->error, "%s", fault) :
		       native_read_text(out, kind, word, l->error);
}

static int read_constant(struct literal *l, struct buf *out, bool *null,
			 enum type_kind kind, bool key)
{
	uint8_t first = peek(l);
	bool quoted = first == '\'' || begins_dollars(l);
	struct buf text = BUF_INIT;
	struct bytes word;
	int err = 0;

	if (first == '\'')
		err = read_quoted(l, &text);
	else if (quoted)
		err = read_dollars(l, &text);
	word = quoted ? buf_bytes(&text) : read_word(l, key);
	if (!quoted && is_word(word, blob_function(kind).text) &&
	    l->ptr < l->end)
		return read_by_blob(l, out, kind);
	if (!err && !quoted && is_word(word, "null"))
		*null = true;
	else if (!err && !takes_constant(kind, quoted, word))
		err = type_fail(l->error, "Invalid constant (%.*s) for a value "
				"of type %s", type_fail_length(word), word.ptr,
				type_kind_name(kind));
	else if (!err)
		err = read_native(l, out, kind, word);
	if (err == -EINVAL && l->ptr == l->end && (!quoted || l->cut))
		l->cut = may_begin_constant(kind, quoted, word);
	buf_release(&text);
	return err;
}

static int no_nulls(struct literal *l, const struct type *t)
{
	return type_fail(l->error, "null is not supported inside %s",
			 t->kind == TYPE_VECTOR ? "vectors" : "collections");
}

/* Read one part of a value, and append it to c. */
static int read_part(struct literal *l, struct collect *c,
		     const struct type *t, bool key)
{
	uint32_t index = (uint32_t)collect_count(c);
	bool null = false;
	int err;

	collect_begin(c);
	if (c->spans.failed)	/* its count is no index any more */
		return -ENOMEM;
	err = read_term(l, &c->bytes, &null, type_part(t, index), key);
	collect_end(c, null);
	if (!err && null && t->kind != TYPE_TUPLE)
		return no_nulls(l, t);
	return err;
}

/* Read the parts of a list, set, map, tuple or vector, up to the closing
 * bracket. */
static int read_parts(struct literal *l, struct collect *c,
		      const struct type *t, char open, char close)
{
	bool map = t->kind == TYPE_MAP;
	int err = expect(l, open);

	if (err)
		return err;
	if (peek(l) == (uint8_t)close && t->kind != TYPE_TUPLE)
		return expect(l, close);
	for (;;) {
		if (t->kind == TYPE_TUPLE && collect_count(c) == t->part_count)
			return type_fail(l->error, "Invalid tuple literal: too "
					 "many elements, %u are expected",
					 t->part_count);
		/* The message about a vector counts all of them. */
		if (t->kind == TYPE_VECTOR && !l->error &&
		    collect_count(c) == t->dimension)
			return -EINVAL;
		err = read_part(l, c, t, map);
		if (!err && map)
			err = expect(l, ':');
		if (!err && map)
			err = read_part(l, c, t, false);
		if (err)
			return err;
		if (peek(l) != ',')
			return expect(l, close);
		l->ptr++;
	}
}

static bool begins_field(const struct type *t, struct bytes begin)
{
	uint32_t i;

	for (i = 0; i < t->part_count; i++)
		if (bytes_begin_with(bytes_str(t->field_names[i]), begin))
			return true;
	return false;
}

/* Read a field's name, in lower case unless it is quoted. Returns the field's
 * number in the type, or an error. */
static int read_field_name(struct literal *l, const struct type *t)
{
	struct buf name = BUF_INIT;
	uint32_t i;
	size_t at;
	int err = 0;

	if (peek(l) == '"') {
		err = read_quoted(l, &name);
	} else {
		buf_add_bytes(&name, read_word(l, true));
		for (at = 0; at < name.len; at++)
			if (name.ptr[at] >= 'A' && name.ptr[at] <= 'Z')
				name.ptr[at] |= 0x20;
		if (name.failed)
			err = -ENOMEM;
		else if (!name.len)
			err = unexpected(l, "a field's name");
	}
	for (i = 0; !err && i < t->part_count; i++)
		if (bytes_equal(buf_bytes(&name),
				bytes_str(t->field_names[i])))
			break;
	if (!err && i == t->part_count && l->ptr == l->end)
		l->cut = begins_field(t, buf_bytes(&name));
	if (!err && i == t->part_count)
		err = type_fail(l->error, "Unknown field '%.*s' in value of "
				"user defined type %s",
				type_fail_length(buf_bytes(&name)),
				(const char *)buf_bytes(&name).ptr, t->name);
	buf_release(&name);
	return err ? err : (int)i;
}

static int read_fields(struct literal *l, struct collect *c,
		       const struct type *t)
{
	int err = expect(l, '{'), field;

	collect_nulls(c, t->part_count);
	while (!err) {
		size_t start = c->bytes.len;
		bool null = false;

		field = read_field_name(l, t);
		if (field < 0)
			return field;
		err = expect(l, ':');
		if (!err)
			err = read_term(l, &c->bytes, &null, t->parts[field],
					false);
		if (err)
			return err;
		collect_set(c, (uint32_t)field, start, null);
		if (peek(l) != ',')
			return expect(l, '}');
		l->ptr++;
	}
	return err;
}

static int read_compound(struct literal *l, struct collect *c,
			 const struct type *t)
{
	int err;

	switch (t->kind) {
	case TYPE_SET:
	case TYPE_MAP:
		return read_parts(l, c, t, '{', '}');
	case TYPE_TUPLE:
		return read_parts(l, c, t, '(', ')');
	case TYPE_UDT:
		return read_fields(l, c, t);
	default:
		err = read_parts(l, c, t, '[', ']');
	}
	if (!err && t->kind == TYPE_VECTOR && collect_count(c) != t->dimension)
		return type_fail(l->error, "Invalid vector literal: expected "
				 "%u elements, but given %zu", t->dimension,
				 collect_count(c));
	return err;
}

static int read_term(struct literal *l, struct buf *out, bool *null,
		     const struct type *t, bool key)
{
	struct collect c = COLLECT_INIT;
	int err;

	if (kind_is_native(t->kind))
		return read_constant(l, out, null, t->kind, key);
	if ((peek(l) | 0x20) == 'n') {
		struct bytes word = read_word(l, key);

		*null = is_word(word, "null");
		l->cut |= !*null && l->ptr == l->end && begins_word(word, "null");
		return *null ? 0 : unexpected(l, "a value");
	}
	err = read_compound(l, &c, t);
	if (err)
		collect_release(&c);
	else
		err = collect_build(out, &c, t);
	return err;
}

int literal_read(struct buf *out, const struct type *t, struct bytes text,
		 bool strict, struct type_error *error)
{
	struct literal l = { text.ptr, text.ptr, text.ptr + text.len, error,
			     strict, false };
	size_t start = out->len;
	bool null = false;
	int err = read_term(&l, out, &null, t, false);

	if (!err && null)
		err = type_fail(error, "null is no value");
	if (!err && l.ptr < l.end)
		err = unexpected(&l, "the end");
	if (err && !out->failed)
		out->len = start;
	return err;
}

bool literal_may_begin(const struct type *t, struct bytes text)
{
	struct literal l = { text.ptr, text.ptr, text.ptr + text.len, NULL,
			     true, false };
	struct buf value = BUF_INIT;
	bool null = false;
	int err = read_term(&l, &value, &null, t, false);

	buf_release(&value);
	return err == -ENOMEM || (err ? l.cut : !null && l.ptr == l.end);
}
