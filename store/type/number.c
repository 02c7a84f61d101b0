/* Whole numbers of 1, 2, 4 and 8 bytes, and booleans. */
#include "store/type/number.h"

#include <ctype.h>
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

static void add_int(struct buf *out, int64_t n, uint32_t width)
{
	uint8_t bytes[8];

	put_be64(bytes, (uint64_t)n);
	buf_add(out, bytes + 8 - width, width);
}

void number_add_int(struct buf *out, enum type_kind kind, int64_t n)
{
	add_int(out, n, kind == TYPE_TINYINT ? 1 : kind == TYPE_SMALLINT ? 2 :
			kind == TYPE_INT ? 4 : 8);
}

static bool fits(int64_t n, uint32_t width)
{
	int shift = 64 - (int)width * 8;

	return (int64_t)((uint64_t)n << shift) >> shift == n;
}

/* name: Java's of such a number. */
static int read_number(struct buf *out, struct bytes text, uint32_t width,
		       const char *name, struct type_error *error)
{
	int64_t n;

	if (!number_read_int64(&n, text) || !fits(n, width))
		return type_fail(error, "Unable to make %s from '%.*s'", name,
				 type_fail_length(text), text.ptr);
	add_int(out, n, width);
	return 0;
}

static bool number_may_begin(struct bytes text, uint32_t width)
{
	int64_t n;

	if (!text.len ||
	    (text.len == 1 && (*text.ptr == '-' || *text.ptr == '+')))
		return true;
	/* More digits only lead further from zero. */
	return number_read_int64(&n, text) && fits(n, width);
}

static void print_int(struct buf *out, struct bytes value)
{
	buf_add_decimal(out, number_get_int(value));
}

/* Big-endian two's complement of 1 to 8 bytes. */
static int64_t signed_of(struct bytes v)
{
	uint64_t n = v.ptr[0] & 0x80 ? UINT64_MAX : 0;
	size_t i;

	if (v.len == 8)
		return (int64_t)get_be64(v.ptr);
	if (v.len == 4)
		return (int32_t)get_be32(v.ptr);
	for (i = 0; i < v.len; i++)
		n = n << 8 | v.ptr[i];
	return (int64_t)n;
}

int number_compare(struct bytes a, struct bytes b)
{
	int64_t x, y;

	if (a.len > 8 || b.len > 8)
		return bytes_compare(a, b);
	x = signed_of(a);
	y = signed_of(b);
	return (x > y) - (x < y);
}

void number_flip_sign(uint8_t *bytes)
{
	bytes[0] ^= 0x80;
}

static int read_tinyint(struct buf *out, struct bytes text,
			struct type_error *error)
{
	return read_number(out, text, 1, "byte", error);
}

static bool tinyint_may_begin(struct bytes text)
{
	return number_may_begin(text, 1);
}

const struct native_type native_tinyint = {
	.type = { .kind = TYPE_TINYINT, .depth = 1 },
	.name = "tinyint",
	.class = "ByteType",
	.is_number = true,
	.length = 1,
	.is_never_empty = true,
	.wrong_length = "Expected 1 byte for a tinyint",
	.read = read_tinyint,
	.may_begin = tinyint_may_begin,
	.print = print_int,
	.constants = 1 << LITERAL_INTEGER,
	.json_expected = "a byte value",
	.json_number = JSON_JAVA_TEXT,
	.compare = number_compare,
	.order = number_flip_sign,
	.order_back = number_flip_sign,
};

static int read_smallint(struct buf *out, struct bytes text,
			 struct type_error *error)
{
	return read_number(out, text, 2, "short", error);
}

static bool smallint_may_begin(struct bytes text)
{
	return number_may_begin(text, 2);
}

const struct native_type native_smallint = {
	.type = { .kind = TYPE_SMALLINT, .depth = 1 },
	.name = "smallint",
	.class = "ShortType",
	.is_number = true,
	.length = 2,
	.is_never_empty = true,
	.wrong_length = "Expected 2 bytes for a smallint",
	.read = read_smallint,
	.may_begin = smallint_may_begin,
	.print = print_int,
	.constants = 1 << LITERAL_INTEGER,
	.json_expected = "a short value",
	.json_number = JSON_JAVA_TEXT,
	.compare = number_compare,
	.order = number_flip_sign,
	.order_back = number_flip_sign,
};

static int read_int(struct buf *out, struct bytes text,
		    struct type_error *error)
{
	return read_number(out, text, 4, "int", error);
}

static bool int_may_begin(struct bytes text)
{
	return number_may_begin(text, 4);
}

const struct native_type native_int = {
	.type = { .kind = TYPE_INT, .depth = 1 },
	.name = "int",
	.class = "Int32Type",
	.is_number = true,
	.length = 4,
	.wrong_length = "Expected 4 or 0 byte int",
	.is_flat = true,
	.read = read_int,
	.may_begin = int_may_begin,
	.print = print_int,
	.constants = 1 << LITERAL_INTEGER,
	.json_expected = "an int value",
	.json_number = JSON_INT,
	.compare = number_compare,
	.order = number_flip_sign,
	.order_back = number_flip_sign,
};

static int read_bigint(struct buf *out, struct bytes text,
		       struct type_error *error)
{
	return read_number(out, text, 8, "long", error);
}

static bool bigint_may_begin(struct bytes text)
{
	return number_may_begin(text, 8);
}

const struct native_type native_bigint = {
	.type = { .kind = TYPE_BIGINT, .depth = 1 },
	.name = "bigint",
	.class = "LongType",
	.is_number = true,
	.length = 8,
	.wrong_length = "Expected 8 or 0 byte long",
	.is_flat = true,
	.read = read_bigint,
	.may_begin = bigint_may_begin,
	.print = print_int,
	.constants = 1 << LITERAL_INTEGER,
	.json_expected = "a bigint value",
	.json_number = JSON_LONG,
	.compare = number_compare,
	.order = number_flip_sign,
	.order_back = number_flip_sign,
};

const struct native_type native_counter = {
	.type = { .kind = TYPE_COUNTER, .depth = 1 },
	.name = "counter",
	.class = "CounterColumnType",
	.is_number = true,
	.length = 8,
	.wrong_length = "Expected 8 or 0 byte long",
	.read = read_bigint,
	.may_begin = bigint_may_begin,
	.print = print_int,
	.constants = 1 << LITERAL_INTEGER,
	.json_expected = "a bigint value",
	.json_number = JSON_LONG,
	.compare = number_compare,
	.order = number_flip_sign,
	.order_back = number_flip_sign,
};

/* ----------------------------------------------------------------- boolean */
static bool begins_word(struct bytes text, const char *word)
{
	return text.len <= strlen(word) &&
	       !strncasecmp((const char *)text.ptr, word, text.len);
}

static int read_boolean(struct buf *out, struct bytes text,
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

static bool boolean_may_begin(struct bytes text)
{
	return begins_word(text, "true") || begins_word(text, "false");
}

static void print_boolean(struct buf *out, struct bytes value)
{
	buf_add_str(out, value.ptr[0] ? "true" : "false");
}

static int compare_boolean(struct bytes a, struct bytes b)
{
	return !!a.ptr[0] - !!b.ptr[0];
}

/* Any byte but 0 is true. */
static void order_boolean(uint8_t *bytes)
{
	bytes[0] = !!bytes[0];
}

const struct native_type native_boolean = {
	.type = { .kind = TYPE_BOOLEAN, .depth = 1 },
	.name = "boolean",
	.class = "BooleanType",
	.length = 1,
	.wrong_length = "Expected 1 or 0 byte value",
	.is_flat = true,
	.read = read_boolean,
	.may_begin = boolean_may_begin,
	.print = print_boolean,
	.constants = 1 << LITERAL_BOOLEAN,
	.casts_to_text = true,
	.json_expected = "a boolean value",
	.json_empty = JSON_EMPTY_FALSE,
	.compare = compare_boolean,
	.order = order_boolean,
	.is_ambiguous = true,
};
