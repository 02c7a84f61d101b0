/*
 * The upper half of the hash (sstable_key_hash) picks the line, by a
 * multiplication instead of a division: line = half * lines >> 32. With half as
 * many lines the same key goes to line / 2, so a filter made too large is
 * folded by joining neighbours.
 *
 * In the line a probe is nine bits, the lowest of the remixed hash first; the
 * eighth to the fourteenth are of what is left, mixed with the hash, and remixed
 * again. Bit b of a line is bit b % 8 of byte b / 8. All this is on disk.
 */
#include "store/sstable/bloom.h"

#include <errno.h>

#define FOLDS 6		/* lines are a multiple of 2^FOLDS when expected */

static uint32_t line_of(uint64_t hash, uint32_t lines)
{
	return (uint32_t)((hash >> 32) * lines >> 32);
}

/* Nine bits of a remixed hash for each probe. */
static uint64_t remix(uint64_t x)
{
	x *= 0x9fb21c651e98df25u;
	return x ^ x >> 35;
}

static void set_bits(uint8_t *line, uint64_t hash, uint32_t probes)
{
	uint64_t bits = remix(hash);
	uint32_t i;

	for (i = 0; i < probes; i++, bits >>= 9) {
		if (i == 7)
			bits = remix(bits ^ hash);
		line[(bits & 511) >> 3] |= (uint8_t)(1u << (bits & 7));
	}
}

bool bloom_may_contain(const struct bloom *f, uint64_t hash)
{
	const uint8_t *line;
	uint64_t bits;
	uint32_t i;

	if (!f->line_count)
		return true;
	line = f->lines + (size_t)line_of(hash, f->line_count) * BLOOM_LINE;
	bits = remix(hash);
	for (i = 0; i < f->probes; i++, bits >>= 9) {
		if (i == 7)
			bits = remix(bits ^ hash);
		if (!(line[(bits & 511) >> 3] & 1u << (bits & 7)))
			return false;
	}
	return true;
}

int bloom_parse(struct bloom *f, struct bytes stored)
{
	*f = (struct bloom){ NULL, 0, 0 };
	if (!stored.len)
		return 0;
	if (stored.len < 8)
		return -EUCLEAN;
	f->line_count = get_le32(stored.ptr);
	f->probes = get_le32(stored.ptr + 4);
	f->lines = stored.ptr + 8;
	if (!f->line_count || !f->probes || f->probes > 14 ||
	    (uint64_t)f->line_count * BLOOM_LINE != stored.len - 8)
		return -EUCLEAN;
	return 0;
}

/* -------------------------------------------------------------- building */
static uint64_t lines_for(uint64_t keys, uint32_t bits)
{
	uint64_t lines;

	if (keys > (uint64_t)1 << 36)
		keys = (uint64_t)1 << 36;
	lines = (keys * bits + BLOOM_LINE * 8 - 1) / (BLOOM_LINE * 8);
	if (lines > UINT32_MAX / 2)
		lines = UINT32_MAX / 2;
	return lines ? lines : 1;
}

void bloom_builder_init(struct bloom_builder *b, uint32_t bits,
			uint64_t expected)
{
	uint64_t lines, unit = 1u << FOLDS;

	*b = (struct bloom_builder){ .hashes = BUF_INIT };
	b->bits = bits ? bits : BLOOM_DEFAULT_BITS;
	if (b->bits > 20)
		b->bits = 20;
	b->probes = b->bits * 69 / 100;
	if (!b->probes)
		b->probes = 1;
	if (!expected)
		return;
	lines = (lines_for(expected, b->bits) + unit - 1) & ~(unit - 1);
	if (!buf_reserve(&b->hashes, lines * BLOOM_LINE)) {
		b->failed = true;
		return;
	}
	memset(b->hashes.ptr, 0, lines * BLOOM_LINE);
	b->hashes.len = lines * BLOOM_LINE;
	b->line_count = (uint32_t)lines;
}

void bloom_builder_release(struct bloom_builder *b)
{
	buf_release(&b->hashes);
}

void bloom_builder_add(struct bloom_builder *b, uint64_t hash)
{
	b->keys++;
	if (b->failed)
		return;
	if (!b->line_count) {
		buf_add_le64(&b->hashes, hash);
		return;
	}
	set_bits(b->hashes.ptr +
		 (size_t)line_of(hash, b->line_count) * BLOOM_LINE,
		 hash, b->probes);
}

static void fold(struct bloom_builder *b)
{
	uint8_t *lines = b->hashes.ptr;
	size_t i, j;

	b->line_count /= 2;
	for (i = 0; i < b->line_count; i++)
		for (j = 0; j < BLOOM_LINE; j++)
			lines[i * BLOOM_LINE + j] =
				lines[2 * i * BLOOM_LINE + j] |
				lines[(2 * i + 1) * BLOOM_LINE + j];
	b->hashes.len = (size_t)b->line_count * BLOOM_LINE;
}

static int finish_collected(struct bloom_builder *b, struct buf *out)
{
	uint64_t lines = lines_for(b->keys, b->bits);
	size_t size = lines * BLOOM_LINE, i;
	uint8_t *begin;

	buf_add_le32(out, (uint32_t)lines);
	buf_add_le32(out, b->probes);
	if (!buf_reserve(out, size))
		return -ENOMEM;
	begin = out->ptr + out->len;
	memset(begin, 0, size);
	for (i = 0; i < b->hashes.len; i += 8) {
		uint64_t hash = get_le64(b->hashes.ptr + i);

		set_bits(begin + (size_t)line_of(hash, (uint32_t)lines) *
					 BLOOM_LINE, hash, b->probes);
	}
	out->len += size;
	return 0;
}

int bloom_builder_finish(struct bloom_builder *b, struct buf *out)
{
	uint64_t wanted = lines_for(b->keys, b->bits);

	if (b->failed || b->hashes.failed)
		return -ENOMEM;
	if (!b->keys)
		return 0;
	if (!b->line_count)
		return finish_collected(b, out);
	while (b->line_count % 2 == 0 && b->line_count / 2 >= wanted)
		fold(b);
	buf_add_le32(out, b->line_count);
	buf_add_le32(out, b->probes);
	buf_add_bytes(out, buf_bytes(&b->hashes));
	return out->failed ? -ENOMEM : 0;
}
