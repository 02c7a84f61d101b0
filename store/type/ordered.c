#include "store/type/ordered.h"

#include <errno.h>

#include "store/type/compare.h"
#include "store/type/compound_codec.h"
#include "store/type/native.h"
#include "store/type/type.h"

#define LEAD_END 0x38
#define LEAD_NULL 0x3e
#define LEAD_EMPTY 0x3f
#define LEAD_VALUE 0x40
#define LEAD_EMPTY_REVERSED 0x41
#define LEAD_NULL_REVERSED 0x42

/* Bytes of another length were never stored: cut or filled, not trusted. */
static void add_fixed(struct buf *out, const struct native_type *n,
		      struct bytes value)
{
	uint8_t bytes[NATIVE_LENGTH_MAX] = { 0 };

	memcpy(bytes, value.ptr, value.len < n->length ? value.len : n->length);
	if (n->order)
		n->order(bytes);
	buf_add(out, bytes, n->length);
}

static int read_fixed(struct buf *out, const struct native_type *n,
		      struct reader *r, uint8_t mask)
{
	struct bytes from = read_bytes(r, n->length);
	uint8_t bytes[NATIVE_LENGTH_MAX];
	uint32_t i;

	if (r->failed)
		return -EUCLEAN;
	if (!out)
		return 0;
	for (i = 0; i < n->length; i++)
		bytes[i] = from.ptr[i] ^ mask;
	if (n->order_back)
		n->order_back(bytes);
	buf_add(out, bytes, n->length);
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
	const struct native_type *n = native_types[t->kind];

	if (!n)
		add_parts(out, t, value);
	else if (n->length)
		add_fixed(out, n, value);
	else if (n->add_ordered)
		n->add_ordered(out, value);
	else
		add_escaped(out, value);
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
		size_t size = compound_encode_vint(vint, length);

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
	const struct native_type *n = native_types[t->kind];

	if (!n)
		return read_parts(out, t, r, mask);
	if (n->length)
		return read_fixed(out, n, r, mask);
	if (n->read_ordered)
		return n->read_ordered(out, r, mask);
	return read_escaped(out, r, mask);
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
	const struct native_type *n = native_types[t->kind];
	uint32_t i;

	if (n)
		return !n->is_ambiguous;
	if (t->kind == TYPE_TUPLE || t->kind == TYPE_UDT)
		return false;		/* may be cut short */
	for (i = 0; i < t->part_count; i++)
		if (!type_ordered_exact(t->parts[i]))
			return false;
	return true;
}
