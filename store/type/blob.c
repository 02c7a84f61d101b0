/* Plain bytes, written in hex; and the type whose only value has none. */
#include "store/type/blob.h"

#include <ctype.h>

static int read_hex(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	size_t i;

	if (text.len < 2 || text.ptr[0] != '0' || (text.ptr[1] | 0x20) != 'x')
		return type_fail(error, "String representation of blob is "
				 "missing 0x prefix: %.*s",
				 type_fail_length(text), text.ptr);
	text = bytes_of(text.ptr + 2, text.len - 2);
	for (i = 0; i < text.len && isxdigit(text.ptr[i]); i++)
		;
	if (i < text.len || text.len % 2)
		return type_fail(error, "cannot parse '%.*s' as hex bytes",
				 type_fail_length(text), text.ptr);
	if (!buf_reserve(out, text.len / 2))
		return 0;
	for (i = 0; i < text.len; i += 2) {
		uint8_t high = text.ptr[i], low = text.ptr[i + 1];

		high = (uint8_t)((high & 15) + (high >> 6) * 9);
		low = (uint8_t)((low & 15) + (low >> 6) * 9);
		out->ptr[out->len++] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

static void print_hex(struct buf *out, struct bytes value)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	buf_add_str(out, "0x");
	if (value.len > SIZE_MAX / 2 || !buf_reserve(out, value.len * 2)) {
		out->failed = true;
		return;
	}
	for (i = 0; i < value.len; i++) {
		out->ptr[out->len++] = (uint8_t)hex[value.ptr[i] >> 4];
		out->ptr[out->len++] = (uint8_t)hex[value.ptr[i] & 15];
	}
}

static size_t hex_length(struct bytes value)
{
	return 2 + 2 * value.len;
}

static bool hex_may_begin(struct bytes text)
{
	return !text.len ||
	       (text.ptr[0] == '0' &&
		(text.len == 1 || (text.ptr[1] | 0x20) == 'x'));
}

const struct native_type native_blob = {
	.type = { .kind = TYPE_BLOB, .depth = 1 },
	.name = "blob",
	.class = "BytesType",
	.read = read_hex,
	.may_begin = hex_may_begin,
	.print = print_hex,
	.text_length = hex_length,
	.constants = 1 << LITERAL_HEX,
	.has_empty = true,
	.json_empty = JSON_EMPTY_TEXT,
	.masked = { (const uint8_t *)"", 0 },
};

/* ------------------------------------------------------------------- empty */
static int validate_none(struct bytes value, struct type_error *error)
{
	return value.len ? type_fail(error,
				     "EmptyType only accept empty values") : 0;
}

static int read_none(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	(void)out;
	return validate_none(text, error);
}

static bool none_may_begin(struct bytes text)
{
	return !text.len;
}

const struct native_type native_empty = {
	.type = { .kind = TYPE_EMPTY, .depth = 1 },
	.name = "empty",
	.class = "EmptyType",
	.validate = validate_none,
	.read = read_none,
	.may_begin = none_may_begin,
	.json_expected = "an empty string",
};
