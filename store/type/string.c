/* Strings of characters: ascii and text, which varchar is another name of. */
#include "store/type/string.h"

#include "store/base/utf8.h"

static int validate_ascii(struct bytes value, struct type_error *error)
{
	size_t i;

	for (i = 0; i < value.len; i++)
		if (value.ptr[i] & 0x80)
			return type_fail(error, "Invalid byte for ascii: %d",
					 (int8_t)value.ptr[i]);
	return 0;
}

static int read_ascii(struct buf *out, struct bytes text,
		      struct type_error *error)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.ptr[i] & 0x80)
			/* Java counts what UTF-16 needs. */
			return type_fail(error, "Invalid ASCII character in "
				"string literal: java.nio.charset."
				"UnmappableCharacterException: Input length = "
				"%d", text.ptr[i] >= 0xf0 ? 2 : 1);
	buf_add_bytes(out, text);
	return 0;
}

static int validate_utf8(struct bytes value, struct type_error *error)
{
	return utf8_is_valid(value, false) ? 0 :
		type_fail(error, "String didn't validate.");
}

static int read_utf8(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	int err = validate_utf8(text, error);

	if (!err)
		buf_add_bytes(out, text);
	return err;
}

static bool utf8_may_begin(struct bytes text)
{
	return utf8_is_valid(text, true);
}

static size_t length_of(struct bytes value)
{
	return value.len;
}

static void print_quoted(struct buf *out, struct bytes text)
{
	buf_add_quoted(out, text, '\'');
}

const struct native_type native_ascii = {
	.type = { .kind = TYPE_ASCII, .depth = 1 },
	.name = "ascii",
	.class = "AsciiType",
	.validate = validate_ascii,
	.read = read_ascii,
	.may_begin = utf8_is_ascii,
	.print = buf_add_bytes,
	.text_length = length_of,
	.constants = 1 << LITERAL_STRING,
	.is_quoted = true,
	.has_empty = true,
	.print_literal = print_quoted,
	.json_expected = "an ascii string",
	.masked = { (const uint8_t *)"****", 4 },
};

const struct native_type native_text = {
	.type = { .kind = TYPE_TEXT, .depth = 1 },
	.name = "text",
	.class = "UTF8Type",
	.validate = validate_utf8,
	.read = read_utf8,
	.may_begin = utf8_may_begin,
	.print = buf_add_bytes,
	.text_length = length_of,
	.constants = 1 << LITERAL_STRING,
	.is_quoted = true,
	.has_empty = true,
	.print_literal = print_quoted,
	.json_expected = "a UTF-8 string",
	.masked = { (const uint8_t *)"****", 4 },
};
