/* Records of CSV by RFC 4180: the header, and fields as texts of their types. */
#include "store/document/csv_line.h"

#include <errno.h>

#include "store/base/utf8.h"
#include "store/type/json/value.h"
#include "store/type/text/text.h"

/* A field of a record: a slice of it, or unescaped in the arena. */
struct field {
	struct bytes text;
	bool quoted;
};

/* Take the text between quotes, from after the first on; quotes inside are
 * doubled. *at moves to after the last. */
static int take_quoted(struct line_reader *r, const uint8_t **at,
		       const uint8_t *end, struct field *f)
{
	const uint8_t *begin = *at, *p = begin;
	bool doubled = false;
	uint8_t *copy;
	size_t n = 0;

	for (;;) {
		p = p < end ? memchr(p, '"', (size_t)(end - p)) : NULL;
		if (!p)
			return type_fail(&r->error,
					 "the quotes of a field are not closed");
		if (p + 1 == end || p[1] != '"')
			break;
		doubled = true;
		p += 2;
	}
	*at = p + 1;
	f->quoted = true;
	f->text = bytes_of(begin, (size_t)(p - begin));
	if (!doubled)
		return 0;
	copy = arena_alloc(r->arena, f->text.len);
	if (!copy)
		return -ENOMEM;
	for (const uint8_t *from = begin; from < p; from++) {
		copy[n++] = *from;
		from += *from == '"';
	}
	f->text = bytes_of(copy, n);
	return 0;
}

/* Take the next field; *at moves to after its comma, or to the end. *last: there
 * is no other. */
static int take_field(struct line_reader *r, const uint8_t **at,
		      const uint8_t *end, struct field *f, bool *last)
{
	const uint8_t *begin = *at, *p = begin;
	int err = 0;

	f->quoted = false;
	if (p < end && *p == '"') {
		++*at;
		err = take_quoted(r, at, end, f);
		if (err)
			return err;
		p = *at;
		if (p < end && *p != ',')
			return type_fail(&r->error, "there is text between a "
					 "field in quotes and its comma");
	} else {
		p = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL;
		if (!p)
			p = end;
		f->text = bytes_of(begin, (size_t)(p - begin));
		if (f->text.len && memchr(begin, '"', f->text.len))
			return type_fail(&r->error, "a quote is in a field that "
					 "has none around it");
	}
	*last = p == end;
	*at = *last ? end : p + 1;
	return 0;
}

/* ------------------------------------------------------------------ header */
static int take_name(struct line_reader *r, struct bytes name)
{
	int place = table_column(r->table, name);
	uint32_t i;

	if (place < 0)
		return type_fail(&r->error, "there is no column '%.*s'; the "
				 "first line names the columns",
				 type_fail_length(name), name.ptr);
	for (i = 0; i < r->header_count; i++)
		if (r->header[i] == (uint32_t)place)
			return type_fail(&r->error,
					 "the first line names %s twice",
					 r->table->columns[place].name);
	r->header[r->header_count++] = (uint32_t)place;
	return 0;
}

static int read_header(struct line_reader *r, struct bytes line)
{
	const uint8_t *at = line.ptr, *end = at + line.len;
	bool last = false;
	struct field f;
	int err = 0;

	/* Skip the byte order mark that some programs put before UTF-8. */
	if (bytes_begin_with(line, bytes_str("\xef\xbb\xbf")))
		at += 3;
	while (!err && !last) {
		err = take_field(r, &at, end, &f, &last);
		if (!err)
			err = take_name(r, f.text);
	}
	if (err)
		r->header_count = 0;
	if (err == -EINVAL)
		r->header_error = r->error;
	return err;
}

/* ----------------------------------------------------------------- records */
static int refuse(struct line_reader *r, const struct column *c)
{
	char text[sizeof(r->error.text)];

	memcpy(text, r->error.text, sizeof(text));
	return type_fail(&r->error, "%s: %.*s", c->name,
			 (int)sizeof(text) - 200, text);
}

static int read_value(struct line_reader *r, const struct column *c,
		      const struct field *f, struct bytes *value)
{
	const struct type *t = c->type;
	bool is_null;
	int err;

	*value = BYTES_NULL;
	if (!f->text.len && !f->quoted)
		return 0;
	if (kind_is_text(t->kind) &&
	    (t->kind == TYPE_ASCII ? utf8_is_ascii(f->text) :
				     utf8_is_valid(f->text, false))) {
		*value = f->text.len ? f->text : BYTES_EMPTY;
		return 0;
	}
	buf_clear(&r->value);
	err = f->text.len ? type_read_text(&r->value, t, f->text, &r->error) :
	      t->kind == TYPE_BLOB ? 0 :
	      type_read_json_exact(&r->value, &is_null, t, bytes_str("\"\""),
				   &r->error);
	if (err)
		return err == -EINVAL ? refuse(r, c) : err;
	*value = arena_copy(r->arena, r->value.len ? buf_bytes(&r->value) :
						     BYTES_EMPTY);
	return r->value.failed || r->arena->failed ? -ENOMEM : 0;
}

static int read_record(struct line_reader *r, struct bytes line)
{
	const uint8_t *at = line.ptr, *end = at + line.len;
	bool last = false;
	struct field f;
	uint32_t i, place;
	int err = 0;

	for (i = 0; !err && !last && i < r->header_count; i++) {
		place = r->header[i];
		err = take_field(r, &at, end, &f, &last);
		if (!err)
			err = read_value(r, &r->table->columns[place], &f,
					 &r->given[place]);
		r->has[place] = 1;
	}
	if (!err && (!last || i < r->header_count))
		return type_fail(&r->error, "a line has %s fields than the "
				 "first, which has %u",
				 last ? "fewer" : "more", r->header_count);
	return err ? err : 1;
}

int csv_line_read(struct line_reader *r, struct bytes line)
{
	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (!line.len)
		return 0;
	if (r->header_error.text[0]) {
		r->error = r->header_error;
		return -EINVAL;
	}
	return r->header_count ? read_record(r, line) : read_header(r, line);
}
