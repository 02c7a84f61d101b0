/* CSV as cqlsh reads and writes it, with a difference between null and "". */
#include "tools/cql/copy/csv.h"

static bool needs_quotes(const struct csv_style *style, struct bytes field)
{
	size_t i;

	if (!field.len || bytes_equal(field, style->null))
		return true;
	for (i = 0; i < field.len; i++) {
		uint8_t c = field.ptr[i];

		if (c == style->delimiter || c == style->quote || c == '\n' ||
		    c == '\r' || c == style->escape)
			return true;
	}
	return field.ptr[0] <= ' ' || field.ptr[field.len - 1] <= ' ';
}

void csv_add(struct buf *out, const struct csv_style *style,
	     struct bytes field)
{
	size_t i;

	if (bytes_is_null(field)) {
		buf_add_bytes(out, style->null);
		return;
	}
	if (!needs_quotes(style, field)) {
		buf_add_bytes(out, field);
		return;
	}
	buf_add_byte(out, style->quote);
	for (i = 0; i < field.len; i++) {
		if (field.ptr[i] == style->quote ||
		    field.ptr[i] == style->escape)
			buf_add_byte(out, style->escape);
		buf_add_byte(out, field.ptr[i]);
	}
	buf_add_byte(out, style->quote);
}

void csv_release(struct csv_record *r)
{
	buf_release(&r->text);
	buf_release(&r->fields);
}

void csv_clear(struct csv_record *r)
{
	buf_clear(&r->text);
	buf_clear(&r->fields);
	r->quoted = r->open = false;
	r->begin = 0;
}

static void end_field(struct csv_record *r, bool null)
{
	struct csv_field field = { r->begin, r->text.len, null };

	buf_add(&r->fields, &field, sizeof(field));
	r->begin = r->text.len;
	r->quoted = r->open = false;
}

/* Null differs from a text by its spelling: \N is no escaped N then. */
static bool is_null(const struct csv_record *r, const struct csv_style *style,
		    struct bytes written)
{
	return !r->quoted && bytes_equal(written, style->null);
}

bool csv_feed(struct csv_record *r, const struct csv_style *style,
	      struct bytes line)
{
	bool escapes = style->escape != style->quote;
	size_t i, from = 0;	/* of the field, which is in quotes if it began
				 * in another line */

	for (i = 0; i < line.len; i++) {
		uint8_t c = line.ptr[i];
		bool more = i + 1 < line.len;

		if (escapes && c == style->escape && more) {
			buf_add_byte(&r->text, line.ptr[++i]);
		} else if (r->open && c == style->quote) {
			r->open = more && line.ptr[i + 1] == style->quote;
			if (r->open)
				buf_add_byte(&r->text, line.ptr[++i]);
		} else if (r->open) {
			buf_add_byte(&r->text, c);
		} else if (c == style->quote && r->text.len == r->begin) {
			r->open = r->quoted = true;
		} else if (c == style->delimiter) {
			end_field(r, is_null(r, style, bytes_of(line.ptr + from,
								i - from)));
			from = i + 1;
		} else if (c == '\n' || (c == '\r' && i + 2 >= line.len)) {
			break;
		} else {
			buf_add_byte(&r->text, c);
		}
	}
	if (r->open)
		return false;
	end_field(r, is_null(r, style, bytes_of(line.ptr + from, i - from)));
	return true;
}

void csv_finish(struct csv_record *r)
{
	end_field(r, false);
}

size_t csv_count(const struct csv_record *r)
{
	return r->fields.len / sizeof(struct csv_field);
}

struct bytes csv_field(const struct csv_record *r, size_t i)
{
	struct csv_field field;

	memcpy(&field, r->fields.ptr + i * sizeof(field), sizeof(field));
	if (field.null)
		return BYTES_NULL;
	return bytes_of(buf_bytes(&r->text).ptr + field.begin,
			field.end - field.begin);
}
