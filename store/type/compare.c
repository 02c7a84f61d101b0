/*
 * The order of values, as Cassandra's comparators have it. ordered.c says the
 * same in bytes; tests hold the two together.
 */
#include "store/type/type.h"

#include <math.h>

#include "store/type/big_integer.h"
#include "store/type/ordered.h"
#include "store/type/uuid.h"

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Big-endian two's complement of 1 to 8 bytes. */
static int64_t signed_of(struct bytes v)
{
	uint64_t n = v.ptr[0] & 0x80 ? UINT64_MAX : 0;
	size_t i;

	for (i = 0; i < v.len; i++)
		n = n << 8 | v.ptr[i];
	return (int64_t)n;
}

static int compare_signed(struct bytes a, struct bytes b)
{
	int64_t x, y;

	if (a.len > 8 || b.len > 8)
		return bytes_compare(a, b);
	x = signed_of(a);
	y = signed_of(b);
	return (x > y) - (x < y);
}

static int compare_varint(struct bytes a, struct bytes b)
{
	bool negative = a.ptr[0] & 0x80;

	if (negative != (b.ptr[0] >> 7))
		return negative ? -1 : 1;
	a = big_trim(a);
	b = big_trim(b);
	if (a.len != b.len)
		return (a.len > b.len) != negative ? 1 : -1;
	return memcmp(a.ptr, b.ptr, a.len);
}

static int compare_decimal(struct bytes a, struct bytes b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;
	int order;

	if (a.len > 4 && b.len > 4 && !memcmp(a.ptr, b.ptr, 4))
		return compare_varint(bytes_of(a.ptr + 4, a.len - 4),
				      bytes_of(b.ptr + 4, b.len - 4));
	ordered_add_decimal(&x, a);
	ordered_add_decimal(&y, b);
	order = bytes_compare(buf_bytes(&x), buf_bytes(&y));
	buf_release(&x);
	buf_release(&y);
	return order;
}

static double float_of(enum type_kind kind, struct bytes v)
{
	double d;
	float f;

	if (kind == TYPE_DOUBLE && v.len == 8) {
		uint64_t bits = get_be64(v.ptr);

		memcpy(&d, &bits, 8);
		return d;
	}
	if (kind == TYPE_FLOAT && v.len == 4) {
		uint32_t bits = get_be32(v.ptr);

		memcpy(&f, &bits, 4);
		return (double)f;
	}
	return 0;
}

/* -0.0 is less than 0.0, NaN is more than all else and equal to itself. */
static int compare_float(enum type_kind kind, struct bytes a, struct bytes b)
{
	double x = float_of(kind, a), y = float_of(kind, b);

	if (isnan(x) || isnan(y))
		return !!isnan(x) - !!isnan(y);
	if (x != y)
		return x < y ? -1 : 1;
	return !!signbit(y) - !!signbit(x);
}

static int compare_uuid(enum type_kind kind, struct bytes a, struct bytes b)
{
	uint8_t x[16], y[16];

	if (a.len != 16 || b.len != 16)
		return bytes_compare(a, b);
	uuid_order(x, kind, a.ptr);
	uuid_order(y, kind, b.ptr);
	return memcmp(x, y, 16);
}

/* Element-wise; what ends first is less. Missing fields have come as null. */
static int compare_parts(const struct type *t, struct bytes a, struct bytes b)
{
	struct type_parts x, y;
	struct bytes part_a, part_b;
	uint32_t i;

	if (type_parts_begin(&x, t, a) || type_parts_begin(&y, t, b))
		return bytes_compare(a, b);
	for (i = 0;; i++) {
		bool more_a = type_parts_next(&x, &part_a) > 0;
		bool more_b = type_parts_next(&y, &part_b) > 0;
		int order;

		if (!more_a || !more_b)
			return more_a - more_b;
		order = type_compare(type_part(t, i), part_a, part_b);
		if (order)
			return order;
	}
}

const struct type *type_part(const struct type *t, uint32_t index)
{
	switch (t->kind) {
	case TYPE_MAP:
		return t->parts[index % 2];
	case TYPE_TUPLE:
	case TYPE_UDT:
		return t->parts[index];
	default:
		return t->parts[0];
	}
}

int type_compare(const struct type *t, struct bytes a, struct bytes b)
{
	if (!a.ptr || !b.ptr)
		return !!a.ptr - !!b.ptr;
	if (!a.len || !b.len)
		return !!a.len - !!b.len;
	switch (t->kind) {
	case TYPE_BOOLEAN:
		return !!a.ptr[0] - !!b.ptr[0];
	case TYPE_TINYINT:
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT:
	case TYPE_COUNTER:
	case TYPE_TIMESTAMP:
		return compare_signed(a, b);
	case TYPE_VARINT:
		return compare_varint(a, b);
	case TYPE_DECIMAL:
		return compare_decimal(a, b);
	case TYPE_FLOAT:
	case TYPE_DOUBLE:
		return compare_float(t->kind, a, b);
	case TYPE_UUID:
	case TYPE_TIMEUUID:
		return compare_uuid(t->kind, a, b);
	case TYPE_DATE:
	case TYPE_TIME:
		if (a.len == 8 && b.len == 8)
			return compare_u64(get_be64(a.ptr), get_be64(b.ptr));
		return bytes_compare(a, b);
	case TYPE_ASCII:
	case TYPE_BLOB:
	case TYPE_DURATION:
	case TYPE_EMPTY:
	case TYPE_INET:
	case TYPE_TEXT:
		return bytes_compare(a, b);
	default:
		return compare_parts(t, a, b);
	}
}
