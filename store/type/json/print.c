#include "store/type/json/print.h"

#include <math.h>

#include "store/base/json_escape.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"
#include "store/type/float.h"
#include "store/type/json/json.h"
#include "store/type/json/plain.h"
#include "store/type/native.h"
#include "store/type/number.h"
#include "store/type/timestamp.h"

/* True for NaN and the infinities, for which JSON has no numbers. */
static bool is_odd_float(enum type_kind kind, struct bytes value)
{
	return (kind == TYPE_DOUBLE || kind == TYPE_FLOAT) &&
	       !isfinite(float_get(kind, value));
}

/* Cassandra's JSON loses the era of early years; a file may not. */
static enum timestamp_style timestamp_style(bool exact)
{
	return exact ? TIMESTAMP_EXACT_JSON : TIMESTAMP_JSON;
}

static void print_native(struct buf *out, enum type_kind kind,
			 struct bytes value, bool exact)
{
	if (kind_is_text(kind)) {
		json_print_string(out, value);
		return;
	}
	if (!value.len && kind != TYPE_BLOB) {
		buf_add_str(out, "\"\"");
		return;
	}
	if ((kind == TYPE_INT && value.len == 4) ||
	    (kind == TYPE_BIGINT && value.len == 8)) {	/* most are */
		buf_add_decimal(out, number_get_int(value));
		return;
	}
	if (is_odd_float(kind, value) && !exact) {
		buf_add_str(out, "null");
		return;
	}
	if (kind == TYPE_BOOLEAN ||
	    (type_kind_is_number(kind) && !is_odd_float(kind, value))) {
		native_print_text(out, kind, value);
		return;
	}
	buf_add_byte(out, '"');
	if (kind == TYPE_TIMESTAMP && value.len == 8)
		timestamp_print(out, (int64_t)get_be64(value.ptr),
				     timestamp_style(exact));
	else
		native_print_text(out, kind, value);
	buf_add_byte(out, '"');
}

/* Print a key. One that is no string in JSON becomes the string of its JSON
 * text. */
static void print_key(struct buf *out, const struct type *t, struct bytes value,
		      bool exact)
{
	struct buf key = BUF_INIT;

	json_print_value(&key, t, value, exact);
	if (key.len && *key.ptr == '"')
		buf_add_bytes(out, buf_bytes(&key));
	else
		json_print_string(out, buf_bytes(&key));
	if (key.failed)
		out->failed = true;
	buf_release(&key);
}

static bool is_lower(const char *name)
{
	while (*name && !(*name >= 'A' && *name <= 'Z'))
		name++;
	return !*name;
}

/* Names that are not all lower-case get quotes of their own. */
static void print_field_name(struct buf *out, const char *name)
{
	struct buf quoted = BUF_INIT;

	if (is_lower(name)) {
		json_print_string(out, bytes_str(name));
		return;
	}
	buf_add_format(&quoted, "\"%s\"", name);
	json_print_string(out, buf_bytes(&quoted));
	if (quoted.failed)
		out->failed = true;
	buf_release(&quoted);
}

static void print_compound(struct buf *out, const struct type *t,
			   struct bytes value, bool exact)
{
	bool object = t->kind == TYPE_MAP || t->kind == TYPE_UDT;
	struct type_parts p;
	struct bytes part;
	uint32_t i;

	if (type_parts_begin(&p, t, value))
		p.count = p.index = 0;
	buf_add_byte(out, object ? '{' : '[');
	for (i = 0; type_parts_next(&p, &part) > 0; i++) {
		if (i)
			buf_add_str(out, t->kind == TYPE_MAP && i % 2 ?
				    ": " : ", ");
		if (t->kind == TYPE_MAP && i % 2 == 0) {
			print_key(out, t->parts[0], part, exact);
			continue;
		}
		if (t->kind == TYPE_UDT) {
			print_field_name(out, t->field_names[i]);
			buf_add_str(out, ": ");
		}
		json_print_value(out, type_part(t, i), part, exact);
	}
	buf_add_byte(out, object ? '}' : ']');
}

void json_print_value(struct buf *out, const struct type *t,
		      struct bytes value, bool exact)
{
	if (!value.ptr)
		buf_add_str(out, "null");
	else if (kind_is_native(t->kind))
		print_native(out, t->kind, value, exact);
	else
		print_compound(out, t, value, exact);
}

void type_print_json(struct buf *out, const struct type *t, struct bytes value)
{
	json_print_value(out, t, value, false);
}

void type_print_json_exact(struct buf *out, const struct type *t,
			   struct bytes value)
{
	json_print_value(out, t, value, true);
}

void json_print_string(struct buf *out, struct bytes text)
{
	const uint8_t *end = text.ptr + text.len, *p = text.ptr, *plain;
	char escape[JSON_ESCAPE_MAX];
	bool is_ascii;

	if (!buf_reserve(out, text.len + 2))
		return;
	buf_add_byte(out, '"');
	for (;;) {
		plain = p;
		p = json_plain_end(plain, end, &is_ascii);
		buf_add(out, plain, (size_t)(p - plain));
		if (p == end)
			break;
		buf_add(out, escape, json_escape(escape, *p));
		p++;
	}
	buf_add_byte(out, '"');
}

static size_t string_length(struct bytes text)
{
	size_t len = 2 + text.len, i;

	for (i = 0; i < text.len; i++) {
		uint8_t c = text.ptr[i];

		if (c == '"' || c == '\\' || (c >= '\b' && c <= '\r' &&
					      c != '\v'))
			len += 1;
		else if (c < 0x20)
			len += 5;
	}
	return len;
}

static size_t native_length(enum type_kind kind, struct bytes value, bool exact)
{
	if (!value.len && kind != TYPE_BLOB)
		return 2;
	if (kind_is_text(kind))
		return string_length(value);
	if (is_odd_float(kind, value) && !exact)
		return 4;
	if (kind == TYPE_BOOLEAN ||
	    (type_kind_is_number(kind) && !is_odd_float(kind, value)))
		return native_text_length(kind, value);
	if (kind == TYPE_TIMESTAMP && value.len == 8)
		return 2 + timestamp_length((int64_t)get_be64(value.ptr),
						 timestamp_style(exact));
	return 2 + native_text_length(kind, value);
}

static size_t key_length(const struct type *t, struct bytes value, bool exact)
{
	bool quoted = kind_is_native(t->kind) &&
		((t->kind != TYPE_BOOLEAN && !type_kind_is_number(t->kind)) ||
		 !value.len || (exact && is_odd_float(t->kind, value)));
	struct buf text = BUF_INIT;
	size_t len;

	if (kind_is_native(t->kind))
		return native_length(t->kind, value, exact) + (quoted ? 0 : 2);
	print_key(&text, t, value, exact);	/* its quotes are escaped */
	len = text.len;
	buf_release(&text);
	return len;
}

static size_t compound_length(const struct type *t, struct bytes value,
			      bool exact)
{
	struct type_parts p;
	struct bytes part;
	size_t len = 2;
	uint32_t i;

	if (type_parts_begin(&p, t, value))
		p.count = p.index = 0;
	for (i = 0; type_parts_next(&p, &part) > 0; i++) {
		if (i)
			len += 2;
		if (t->kind == TYPE_MAP && i % 2 == 0) {
			len += key_length(t->parts[0], part, exact);
			continue;
		}
		if (t->kind == TYPE_UDT) {
			const char *name = t->field_names[i];

			/* The quotes of its own are escaped. */
			len += string_length(bytes_str(name)) + 2 +
			       (is_lower(name) ? 0 : 4);
		}
		len += json_value_length(type_part(t, i), part, exact);
	}
	return len;
}

size_t json_value_length(const struct type *t, struct bytes value, bool exact)
{
	if (!value.ptr)
		return 4;
	if (kind_is_native(t->kind))
		return native_length(t->kind, value, exact);
	return compound_length(t, value, exact);
}
