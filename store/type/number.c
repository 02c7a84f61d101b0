/* Whole numbers of 1, 2, 4 and 8 bytes, and booleans. */
#include "store/type/number.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>

bool number_read_int64(int64_t *out, struct bytes text)
{
	bool negative = false;
	size_t at = 0;

	if (text.len && (text.ptr[0] == '-' || text.ptr[0] == '+'))
		negative = text.ptr[at++] == '-';
	if (at == text.len)
		return false;
	for (*out = 0; at < text.len; at++) {
		int digit = text.ptr[at] - '0';

		if (!isdigit(text.ptr[at]) ||
		    __builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, negative ? -digit : digit,
					   out))
			return false;
	}
	return true;
}

/* The bytes of a value, and Java's name for such a number. */
static uint32_t width_of(enum type_kind kind, const char **name)
{
	switch (kind) {
	case TYPE_TINYINT:
		*name = "byte";
		return 1;
	case TYPE_SMALLINT:
		*name = "short";
		return 2;
	case TYPE_INT:
		*name = "int";
		return 4;
	default:
		*name = "long";
		return 8;
	}
}

int64_t number_get_int(struct bytes value)
{
	switch (value.len) {
	case 1:
		return (int8_t)value.ptr[0];
	case 2:
		return (int16_t)get_be16(value.ptr);
	case 4:
		return (int32_t)get_be32(value.ptr);
	case 8:
		return (int64_t)get_be64(value.ptr);
	default:
		return 0;
	}
}

void number_add_int(struct buf *out, enum type_kind kind, int64_t n)
{
	const char *name;
	uint8_t bytes[8];
	uint32_t width = width_of(kind, &name);

	put_be64(bytes, (uint64_t)n);
	buf_add(out, bytes + 8 - width, width);
}

static bool fits(int64_t n, uint32_t width)
{
	int shift = 64 - (int)width * 8;

	return (int64_t)((uint64_t)n << shift) >> shift == n;
}

int number_read_integer(struct buf *out, enum type_kind kind,
			struct bytes text, struct type_error *error)
{
	const char *name;
	uint32_t width = width_of(kind, &name);
	int64_t n;

	if (!number_read_int64(&n, text) || !fits(n, width))
		return type_fail(error, "Unable to make %s from '%.*s'", name,
				 type_fail_length(text), text.ptr);
	number_add_int(out, kind, n);
	return 0;
}

bool number_may_begin(enum type_kind kind, struct bytes text)
{
	const char *name;
	int64_t n;

	if (!text.len ||
	    (text.len == 1 && (*text.ptr == '-' || *text.ptr == '+')))
		return true;
	/* More digits only lead further from zero. */
	return number_read_int64(&n, text) && fits(n, width_of(kind, &name));
}

static bool begins_word(struct bytes text, const char *word)
{
	return text.len <= strlen(word) &&
	       !strncasecmp((const char *)text.ptr, word, text.len);
}

int number_read_boolean(struct buf *out, struct bytes text,
			struct type_error *error)
{
	if (text.len == 4 && begins_word(text, "true"))
		buf_add_byte(out, 1);
	else if (text.len == 5 && begins_word(text, "false"))
		buf_add_byte(out, 0);
	else
		return type_fail(error, "Unable to make boolean from '%.*s'",
				 type_fail_length(text), text.ptr);
	return 0;
}

bool number_boolean_may_begin(struct bytes text)
{
	return begins_word(text, "true") || begins_word(text, "false");
}
