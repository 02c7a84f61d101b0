/*
 * Taking compound values apart and putting them together. The forms are those
 * of the native protocol, integers big-endian:
 *
 *   list, set   int32 n, then n times int32 length and bytes
 *   map         the same with 2n parts: key, value, key, value
 *   tuple, UDT  each field int32 length and bytes; -1 is null; fields at the
 *               end may be missing, and are null
 *   vector      flat: the elements side by side; else each after its length as
 *               an unsigned vint (1 bits at the begin of the first byte count
 *               the bytes that follow it)
 */
#include "store/type/compound_codec.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/type/compare.h"
#include "store/type/type.h"

static uint64_t read_vint(struct reader *r)
{
	uint8_t first = read_byte(r);
	unsigned more = 0, i;
	uint64_t v;

	while (more < 8 && first & (0x80u >> more))
		more++;
	v = more < 7 ? first & (0x7fu >> more) : 0;
	for (i = 0; i < more; i++)
		v = v << 8 | read_byte(r);
	return v;
}

size_t compound_encode_vint(uint8_t out[9], uint64_t v)
{
	unsigned more = 0, i;

	while (more < 8 && v >> (7 * (more + 1)))
		more++;
	for (i = more; i > 0; i--, v >>= 8)
		out[i] = (uint8_t)v;
	out[0] = (uint8_t)(0xff00u >> more | v);
	return more + 1;
}

int type_parts_begin(struct type_parts *p, const struct type *t,
		     struct bytes value)
{
	uint64_t count;

	*p = (struct type_parts){ .type = t, .reader = reader_of(value) };
	switch (t->kind) {
	case TYPE_LIST:
	case TYPE_SET:
	case TYPE_MAP:
		count = read_be32(&p->reader);
		if (t->kind == TYPE_MAP)
			count *= 2;
		if (p->reader.failed || count > reader_left(&p->reader) / 4)
			return -EUCLEAN;
		p->count = (uint32_t)count;
		return 0;
	case TYPE_TUPLE:
	case TYPE_UDT:
		p->count = t->part_count;
		return 0;
	case TYPE_VECTOR:
		p->count = t->dimension;
		return 0;
	default:
		return -EUCLEAN;
	}
}

static struct bytes next_sized(struct reader *r)
{
	uint32_t length = read_be32(r);

	if (length == UINT32_MAX && !r->failed)
		return BYTES_NULL;
	return read_bytes(r, length);
}

static struct bytes next_element(struct type_parts *p)
{
	const struct type *element = p->type->parts[0];
	size_t length;

	if (type_vector_is_flat(p->type))
		length = type_fixed_length(element);
	else
		length = read_vint(&p->reader);
	return read_bytes(&p->reader, length);
}

int type_parts_next(struct type_parts *p, struct bytes *part)
{
	bool fields = p->type->kind == TYPE_TUPLE || p->type->kind == TYPE_UDT;
	bool nullable = fields || p->type->kind == TYPE_LIST ||
			(p->type->kind == TYPE_MAP && p->index % 2);
	struct reader *r = &p->reader;

	if (p->index == p->count)
		return reader_left(r) ? -EUCLEAN : 0;
	p->index++;
	if (fields && !reader_left(r)) {
		*part = BYTES_NULL;
		return 1;
	}
	*part = p->type->kind == TYPE_VECTOR ? next_element(p) : next_sized(r);
	/* Only fields may be null, and what a SELECT made: ttl(c), {'a': v}. */
	return r->failed || (!part->ptr && !nullable) ? -EUCLEAN : 1;
}

void type_build(struct buf *out, const struct type *t,
		const struct bytes *parts, size_t part_count)
{
	bool flat = t->kind == TYPE_VECTOR && type_vector_is_flat(t);
	size_t i;

	if (type_is_collection(t))
		buf_add_be32(out, (uint32_t)(t->kind == TYPE_MAP ?
					     part_count / 2 : part_count));
	for (i = 0; i < part_count; i++) {
		uint8_t vint[9];

		if (t->kind == TYPE_VECTOR && !flat)
			buf_add(out, vint,
				compound_encode_vint(vint, parts[i].len));
		else if (t->kind != TYPE_VECTOR)
			buf_add_be32(out, parts[i].ptr ?
				     (uint32_t)parts[i].len : UINT32_MAX);
		buf_add_bytes(out, parts[i]);
	}
}

/*
 * Merge sort, stable, of entries of width parts by their first part. spare has
 * the room of parts. Its depth is the logarithm of count.
 */
static void sort(const struct type *key, struct bytes *parts,
		 struct bytes *spare, size_t count, size_t width)
{
	size_t half = count / 2, left = 0, right = half, to;

	if (count < 2)
		return;
	sort(key, parts, spare, half, width);
	sort(key, parts + half * width, spare, count - half, width);
	if (type_compare(key, parts[(half - 1) * width],
			 parts[half * width]) <= 0)
		return;
	memcpy(spare, parts, half * width * sizeof(*parts));
	for (to = 0; left < half; to++) {
		bool take_right = right < count &&
			type_compare(key, parts[right * width],
				     spare[left * width]) < 0;
		size_t from = take_right ? right++ : left++;

		memcpy(parts + to * width,
		       (take_right ? parts : spare) + from * width,
		       width * sizeof(*parts));
	}
}

int type_build_sorted(struct buf *out, const struct type *t,
		      struct bytes *parts, size_t part_count)
{
	size_t width = t->kind == TYPE_MAP ? 2 : 1;
	size_t count = part_count / width, from, to = 0;
	struct bytes *spare = mem_zalloc(part_count / 2 + 1, sizeof(*spare));

	if (!spare)
		return -ENOMEM;
	sort(t->parts[0], parts, spare, count, width);
	mem_free(spare);
	for (from = 0; from < count; from++) {
		bool again = to && !type_compare(t->parts[0],
						 parts[(to - 1) * width],
						 parts[from * width]);

		if (!again)
			parts[to++ * width] = parts[from * width];
		if (width == 2)
			parts[to * 2 - 1] = parts[from * 2 + 1];
	}
	type_build(out, t, parts, to * width);
	return 0;
}
