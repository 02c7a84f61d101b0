/*
 * Values of COPY FROM: the literals that COPY TO writes, and compound values as
 * cqlsh writes them: without the quotes of fields, dates and times, and with no
 * text for a null.
 */
#include "tools/cql/copy/value.h"

#include <errno.h>

#include "store/type/text/text.h"
#include "store/type/value.h"
#include "tools/cql/copy/copy.h"

#define DEPTH_MAX 32

static struct bytes trim(struct bytes text)
{
	while (text.len && *text.ptr == ' ') {
		text.ptr++;
		text.len--;
	}
	while (text.len && text.ptr[text.len - 1] == ' ')
		text.len--;
	return text;
}

/* Cut *text before the next `end` that no quotes and brackets hide: true, and
 * *text continues after it. At the last piece *text becomes null. */
static bool cut(struct bytes *piece, struct bytes *text, uint8_t end)
{
	unsigned depth = 0;
	uint8_t quote = 0;
	size_t i;

	if (bytes_is_null(*text))
		return false;
	for (i = 0; i < text->len; i++) {
		uint8_t c = text->ptr[i];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == end && !depth)
			break;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == '[' || c == '{' || c == '(')
			depth++;
		else if (depth && (c == ']' || c == '}' || c == ')'))
			depth--;
	}
	*piece = trim(bytes_of(text->ptr, i));
	if (i == text->len)
		*text = BYTES_NULL;
	else
		*text = bytes_of(text->ptr + i + 1, text->len - i - 1);
	return true;
}

static bool add_literal(struct buf *out, const struct type *t,
			struct bytes text, struct bytes null, unsigned depth);

static bool add_native(struct buf *out, const struct type *t,
		       struct bytes text)
{
	struct type_error ignored;
	struct buf value = BUF_INIT;
	bool fine = *text.ptr == '\'' ||
		    !type_read_text(&value, t, text, &ignored);

	if (fine && *text.ptr == '\'')
		buf_add_bytes(out, text);
	else if (fine)
		type_print_literal(out, t, buf_bytes(&value));
	buf_release(&value);
	return fine;
}

/* name: value, the name in quotes or not. */
static bool add_field(struct buf *out, const struct type *t,
		      struct bytes piece, struct bytes null, unsigned depth)
{
	struct bytes name;
	uint32_t i;

	if (!cut(&name, &piece, ':') || bytes_is_null(piece))
		return false;
	if (name.len > 1 && *name.ptr == '"')
		name = bytes_of(name.ptr + 1, name.len - 2);
	for (i = 0; i < t->part_count; i++)
		if (bytes_equal(name, bytes_str(t->field_names[i])))
			break;
	if (i == t->part_count)
		return false;
	schema_print_name(out, name);
	buf_add_str(out, ": ");
	return add_literal(out, t->parts[i], piece, null, depth);
}

static bool add_entry(struct buf *out, const struct type *t,
		      struct bytes piece, struct bytes null, unsigned depth)
{
	struct bytes key;

	if (!cut(&key, &piece, ':') || bytes_is_null(piece) ||
	    !add_literal(out, t->parts[0], key, null, depth))
		return false;
	buf_add_str(out, ": ");
	return add_literal(out, t->parts[1], piece, null, depth);
}

static bool add_parts(struct buf *out, const struct type *t, struct bytes text,
		      struct bytes null, unsigned depth)
{
	struct bytes piece, left = bytes_of(text.ptr + 1, text.len - 2);
	uint32_t i = 0;
	bool fine = true;

	buf_add_byte(out, text.ptr[0]);
	if (!trim(left).len)
		left = BYTES_NULL;
	for (; fine && cut(&piece, &left, ','); i++) {
		buf_add_str(out, i ? ", " : "");
		if (t->kind == TYPE_UDT)
			fine = add_field(out, t, piece, null, depth);
		else if (t->kind == TYPE_MAP)
			fine = add_entry(out, t, piece, null, depth);
		else if (t->kind == TYPE_TUPLE)
			fine = i < t->part_count &&
			       add_literal(out, t->parts[i], piece, null,
					   depth);
		else
			fine = add_literal(out, t->parts[0], piece, null,
					   depth);
	}
	buf_add_byte(out, text.ptr[text.len - 1]);
	return fine;
}

/* False where it is of no form that is known. */
static bool add_literal(struct buf *out, const struct type *t,
			struct bytes text, struct bytes null, unsigned depth)
{
	text = trim(text);
	if (!text.len || bytes_equal(text, null)) {
		buf_add_str(out, "null");
		return true;
	}
	if (!t->part_count)
		return add_native(out, t, text);
	if (depth == DEPTH_MAX || text.len < 2 || !strchr("[{(", *text.ptr))
		return false;
	return add_parts(out, t, text, null, depth + 1);
}

int copy_read_value(struct buf *out, const struct type *t, struct bytes text,
		    struct bytes null, struct type_error *error)
{
	struct type_error ignored;
	struct buf literal = BUF_INIT;
	size_t before = out->len;
	int err = type_read_text(out, t, text, error), again;

	if (!err || err == -ENOMEM || !t->part_count)
		return err;
	if (add_literal(&literal, t, text, null, 0) && !literal.failed) {
		out->len = before;
		again = type_read_text(out, t, buf_bytes(&literal), &ignored);
		err = again ? err : 0;
	}
	buf_release(&literal);
	return err;
}
