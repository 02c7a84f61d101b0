/*
 * Values as bytes that memcmp orders. After the lead byte:
 *
 *   fixed width   big-endian, the sign bit flipped where there is one; floats
 *                 with all bits flipped where negative, one NaN
 *   uuid          version nibble first, then the time of version 1; timeuuid
 *                 its time, then the rest with each byte's sign flipped
 *   text, blob    the bytes; 00 ends them. Zeros inside: 00, an FE for each
 *                 further one, FF. Zeros at the end: 00, an FE for each, 00.
 *                 No zeros at the end: 00 00
 *   varint        80 + n - 1 (positive) or 7F - (n - 1) for n bytes up to 120,
 *                 else F8 or 07 and n (inverted where negative) in 4 bytes;
 *                 then the n bytes
 *   decimal       ordered_decimal.c
 *   the others    each part as a component with a lead byte, then 38. Nulls at
 *                 the end of a tuple or user type are left out, so that a type
 *                 that got another field still finds its values.
 *
 * Every form ends itself: none is the begin of another.
 */
#include "store/type/ordered.h"

#include <errno.h>

#include "store/type/big_integer.h"
#include "store/type/compound_codec.h"
#include "store/type/uuid.h"

#define LEAD_END 0x38
#define LEAD_NULL 0x3e
#define LEAD_EMPTY 0x3f
#define LEAD_VALUE 0x40
#define LEAD_EMPTY_REVERSED 0x41
#define LEAD_NULL_REVERSED 0x42
#define VARINT_SHORT 120

static bool has_sign(enum type_kind kind)
{
	return kind == TYPE_TINYINT || kind == TYPE_SMALLINT ||
	       kind == TYPE_INT || kind == TYPE_BIGINT ||
	       kind == TYPE_COUNTER || kind == TYPE_TIMESTAMP;
}

static void flip_float(uint8_t *bytes, uint32_t width, bool back)
{
	bool flip_all = !!(bytes[0] & 0x80) != back;
	uint32_t i;

	for (i = 0; flip_all && i < width; i++)
		bytes[i] = (uint8_t)~bytes[i];
	if (!flip_all)
		bytes[0] ^= 0x80;
}

static bool is_nan(const uint8_t *bytes, uint32_t width)
{
	uint64_t bits;

	if (width == 4)
		return (get_be32(bytes) & 0x7fffffff) > 0x7f800000;
	bits = get_be64(bytes) & INT64_MAX;
	return bits > 0x7ff0000000000000;
}

/* Bytes of another length were never stored: cut or filled, not trusted. */
static void add_fixed(struct buf *out, enum type_kind kind, uint32_t width,
		      struct bytes value)
{
	uint8_t bytes[16] = { 0 };

	memcpy(bytes, value.ptr, value.len < width ? value.len : width);
	if (kind == TYPE_FLOAT || kind == TYPE_DOUBLE) {
		if (is_nan(bytes, width)) {
			memset(bytes, 0, width);
			bytes[0] = 0x7f;
			bytes[1] = width == 4 ? 0xc0 : 0xf8;
		}
		flip_float(bytes, width, false);
	} else if (kind == TYPE_UUID || kind == TYPE_TIMEUUID) {
		uint8_t uuid[16];

		memcpy(uuid, bytes, 16);
		uuid_order(bytes, kind, uuid);
	} else if (kind == TYPE_BOOLEAN) {
		bytes[0] = !!bytes[0];
	} else if (has_sign(kind)) {
		bytes[0] ^= 0x80;
	}
	buf_add(out, bytes, width);
}

static int read_fixed(struct buf *out, enum type_kind kind, uint32_t width,
		      struct reader *r, uint8_t mask)
{
	struct bytes from = read_bytes(r, width);
	uint8_t bytes[16], uuid[16];
	uint32_t i;

	if (r->failed)
		return -EUCLEAN;
	if (!out)
		return 0;
	for (i = 0; i < width; i++)
		bytes[i] = from.ptr[i] ^ mask;
	if (kind == TYPE_FLOAT || kind == TYPE_DOUBLE) {
		flip_float(bytes, width, true);
	} else if (kind == TYPE_UUID || kind == TYPE_TIMEUUID) {
		memcpy(uuid, bytes, 16);
		uuid_order_back(bytes, kind, uuid);
	} else if (has_sign(kind)) {
		bytes[0] ^= 0x80;
	}
	buf_add(out, bytes, width);
	return 0;
}

static void add_filled(struct buf *out, uint8_t byte, size_t count)
{
	if (!buf_reserve(out, count))
		return;
	if (count)
		memset(out->ptr + out->len, byte, count);
	out->len += count;
}

static void add_escaped(struct buf *out, struct bytes value)
{
	const uint8_t *at = value.ptr, *end = value.ptr + value.len, *zero;

	while ((zero = memchr(at, 0, (size_t)(end - at)))) {
		size_t zeros = 1;

		while (zero + zeros < end && !zero[zeros])
			zeros++;
		buf_add(out, at, (size_t)(zero - at) + 1);
		at = zero + zeros;
		if (at == end) {
			add_filled(out, 0xfe, zeros);
			buf_add_byte(out, 0);
			return;
		}
		add_filled(out, 0xfe, zeros - 1);
		buf_add_byte(out, 0xff);
	}
	buf_add(out, at, (size_t)(end - at));
	buf_add(out, "\0\0", 2);
}

static void add_masked(struct buf *out, const uint8_t *from, size_t len,
		       uint8_t mask)
{
	size_t i;

	if (!mask) {
		buf_add(out, from, len);
	} else if (buf_reserve(out, len)) {
		for (i = 0; i < len; i++)
			out->ptr[out->len++] = from[i] ^ mask;
	}
}

static int read_escaped(struct buf *out, struct reader *r, uint8_t mask)
{
	for (;;) {
		const uint8_t *zero = memchr(r->ptr, mask, reader_left(r));
		size_t zeros = 0;
		uint8_t byte;

		if (!zero)
			return -EUCLEAN;
		if (out)
			add_masked(out, r->ptr, (size_t)(zero - r->ptr), mask);
		r->ptr = zero + 1;
		while ((byte = read_byte(r) ^ mask) == 0xfe && !r->failed)
			zeros++;
		if (r->failed || (byte && byte != 0xff))
			return -EUCLEAN;
		if (out)
			add_filled(out, 0, zeros + !!byte);
		if (!byte)
			return 0;
	}
}

static void add_varint(struct buf *out, struct bytes value)
{
	struct bytes v = big_trim(value);
	uint8_t flip = v.ptr[0] & 0x80 ? 0xff : 0;

	if (v.len <= VARINT_SHORT) {
		buf_add_byte(out, (uint8_t)(0x80 + v.len - 1) ^ flip);
	} else {
		buf_add_byte(out, 0xf8 ^ flip);
		buf_add_be32(out, (uint32_t)v.len ^ (flip ? UINT32_MAX : 0));
	}
	buf_add_bytes(out, v);
}

static int read_varint_bytes(struct buf *out, struct reader *r, uint8_t mask)
{
	uint8_t lead = read_byte(r) ^ mask;
	uint8_t flip = lead & 0x80 ? 0 : 0xff;
	struct bytes v;
	size_t len;

	lead ^= flip;
	if (r->failed || lead > 0xf8)
		return -EUCLEAN;
	len = lead - 0x80u + 1;
	if (lead == 0xf8)
		len = read_be32(r) ^ (flip ^ mask ? UINT32_MAX : 0);
	v = read_bytes(r, len);
	if (r->failed || !v.len)
		return -EUCLEAN;
	if (out)
		add_masked(out, v.ptr, v.len, mask);
	return 0;
}

static void add_body(struct buf *out, const struct type *t, struct bytes value);

static void add_component(struct buf *out, const struct type *t,
			  struct bytes value)
{
	if (!value.len) {
		buf_add_byte(out, value.ptr ? LEAD_EMPTY : LEAD_NULL);
		return;
	}
	buf_add_byte(out, LEAD_VALUE);
	add_body(out, t, value);
}

static void add_parts(struct buf *out, const struct type *t, struct bytes value)
{
	bool fields = t->kind == TYPE_TUPLE || t->kind == TYPE_UDT;
	struct type_parts p;
	struct bytes part;
	uint32_t i = 0, nulls = 0;

	if (type_parts_begin(&p, t, value))
		p.count = p.index = 0;
	for (; type_parts_next(&p, &part) > 0; i++) {
		if (fields && !part.ptr) {
			nulls++;
			continue;
		}
		add_filled(out, LEAD_NULL, nulls);
		nulls = 0;
		add_component(out, type_part(t, i), part);
	}
	buf_add_byte(out, LEAD_END);
}

static void add_body(struct buf *out, const struct type *t, struct bytes value)
{
	switch (t->kind) {
	case TYPE_ASCII:
	case TYPE_BLOB:
	case TYPE_DURATION:
	case TYPE_EMPTY:
	case TYPE_INET:
	case TYPE_TEXT:
		add_escaped(out, value);
		return;
	case TYPE_VARINT:
		add_varint(out, value);
		return;
	case TYPE_DECIMAL:
		ordered_add_decimal(out, value);
		return;
	default:
		if (t->kind < TYPE_NATIVE_COUNT)
			add_fixed(out, t->kind, type_fixed_length(t), value);
		else
			add_parts(out, t, value);
	}
}

void type_ordered_append(struct buf *out, const struct type *t,
			 struct bytes value, bool reversed)
{
	size_t start = out->len, i;

	add_component(out, t, value);
	if (!reversed || out->failed)
		return;
	if (!value.len)
		out->ptr[start] = value.ptr ? LEAD_EMPTY_REVERSED :
					      LEAD_NULL_REVERSED;
	for (i = start + 1; i < out->len; i++)
		out->ptr[i] = (uint8_t)~out->ptr[i];
}

static int read_body(struct buf *out, const struct type *t, struct reader *r,
		     uint8_t mask);

/* One field, element, key or value, after its lead; its length goes before. */
static int read_part(struct buf *out, const struct type *t, uint32_t index,
		     uint8_t lead, struct reader *r, uint8_t mask)
{
	bool fields = t->kind == TYPE_TUPLE || t->kind == TYPE_UDT;
	const struct type *part = type_part(t, index);
	size_t start = out ? out->len : 0;
	int err = 0;

	if (lead != LEAD_VALUE && lead != LEAD_EMPTY &&
	    (lead != LEAD_NULL || !fields))
		return -EUCLEAN;
	if (out && t->kind != TYPE_VECTOR)
		buf_add_be32(out, lead == LEAD_NULL ? UINT32_MAX : 0);
	if (lead == LEAD_VALUE)
		err = read_body(out, part, r, mask);
	if (err || !out || out->failed || lead == LEAD_NULL)
		return err;
	if (t->kind != TYPE_VECTOR) {
		put_be32(out->ptr + start, (uint32_t)(out->len - start - 4));
	} else if (!type_vector_is_flat(t)) {
		uint8_t vint[9];
		size_t length = out->len - start;
		size_t size = vint_encode(vint, length);

		if (!buf_reserve(out, size))
			return 0;
		memmove(out->ptr + start + size, out->ptr + start, length);
		memcpy(out->ptr + start, vint, size);
		out->len += size;
	}
	return 0;
}

static int read_parts(struct buf *out, const struct type *t, struct reader *r,
		      uint8_t mask)
{
	bool fields = t->kind == TYPE_TUPLE || t->kind == TYPE_UDT;
	uint32_t most = fields ? t->part_count :
			t->kind == TYPE_VECTOR ? t->dimension : INT32_MAX;
	size_t start = out ? out->len : 0;
	uint32_t count = 0;
	uint8_t lead;
	int err;

	if (out && type_is_collection(t))
		buf_add_be32(out, 0);
	while ((lead = read_byte(r) ^ mask) != LEAD_END && !r->failed) {
		if (count == most)
			return -EUCLEAN;
		err = read_part(out, t, count++, lead, r, mask);
		if (err)
			return err;
	}
	if (r->failed || (t->kind == TYPE_VECTOR && count != most) ||
	    (t->kind == TYPE_MAP && count % 2))
		return -EUCLEAN;
	for (; out && fields && count < most; count++)
		buf_add_be32(out, UINT32_MAX);
	if (out && !out->failed && type_is_collection(t))
		put_be32(out->ptr + start,
			 t->kind == TYPE_MAP ? count / 2 : count);
	return 0;
}

/* out NULL: only step over it. */
static int read_body(struct buf *out, const struct type *t, struct reader *r,
		     uint8_t mask)
{
	switch (t->kind) {
	case TYPE_ASCII:
	case TYPE_BLOB:
	case TYPE_DURATION:
	case TYPE_EMPTY:
	case TYPE_INET:
	case TYPE_TEXT:
		return read_escaped(out, r, mask);
	case TYPE_VARINT:
		return read_varint_bytes(out, r, mask);
	case TYPE_DECIMAL:
		return ordered_read_decimal(out, r, mask);
	default:
		if (t->kind < TYPE_NATIVE_COUNT)
			return read_fixed(out, t->kind, type_fixed_length(t),
					  r, mask);
		return read_parts(out, t, r, mask);
	}
}

static int read_component(struct buf *out, bool *is_null, const struct type *t,
			  struct reader *r, bool reversed)
{
	uint8_t lead = read_byte(r);

	*is_null = lead == (reversed ? LEAD_NULL_REVERSED : LEAD_NULL);
	if (r->failed)
		return -EUCLEAN;
	if (*is_null || lead == (reversed ? LEAD_EMPTY_REVERSED : LEAD_EMPTY))
		return 0;
	if (lead != LEAD_VALUE)
		return -EUCLEAN;
	return read_body(out, t, r, reversed ? 0xff : 0);
}

int type_ordered_decode(struct buf *out, bool *is_null, const struct type *t,
			struct reader *r, bool reversed)
{
	return read_component(out, is_null, t, r, reversed);
}

size_t type_ordered_slice(struct bytes *value, const struct type *t,
			  struct bytes from, bool reversed)
{
	const uint8_t *text = from.ptr + 1, *zero;

	if (reversed || from.len < 3 || *from.ptr != LEAD_VALUE ||
	    (t->kind != TYPE_TEXT && t->kind != TYPE_ASCII &&
	     t->kind != TYPE_BLOB))
		return 0;
	zero = memchr(text, 0, from.len - 2);
	if (!zero || zero[1])
		return 0;
	*value = bytes_of(text, (size_t)(zero - text));
	return value->len + 3;
}

int type_ordered_skip(struct reader *r, const struct type *t, bool reversed)
{
	bool is_null;

	return read_component(NULL, &is_null, t, r, reversed);
}

bool type_ordered_exact(const struct type *t)
{
	uint32_t i;

	switch (t->kind) {
	case TYPE_BOOLEAN:	/* any byte but 0 is true */
	case TYPE_DECIMAL:
	case TYPE_DOUBLE:	/* NaN has many bytes */
	case TYPE_FLOAT:
	case TYPE_TUPLE:	/* may be cut short */
	case TYPE_UDT:
	case TYPE_VARINT:	/* may be longer than it must */
		return false;
	default:
		for (i = 0; i < t->part_count; i++)
			if (!type_ordered_exact(t->parts[i]))
				return false;
		return true;
	}
}
