/*
 * A blocked Bloom filter: each key sets some bits of one 64-byte line, so that
 * a probe touches one cache line. Callers pass key hashes (sstable_key_hash),
 * which they compute once for all files.
 */
#ifndef STORE_SSTABLE_BLOOM_H
#define STORE_SSTABLE_BLOOM_H
#include "store/base/bytes.h"

#define BLOOM_LINE 64
#define BLOOM_DEFAULT_BITS 10

/* As stored, without the 8 bytes in front of the lines. */
struct bloom {
	const uint8_t *lines;
	uint32_t line_count;	/* 0: no filter, everything may be there */
	uint32_t probes;
};

/* False: no key of that hash was added. */
bool bloom_may_contain(const struct bloom *f, uint64_t hash);
/* Open a stored filter, whose bytes must live as long. 0 or -EUCLEAN. */
int bloom_parse(struct bloom *f, struct bytes stored);

/*
 * Build a filter. With an expected number of keys (an upper estimate) bits are
 * set at once, and the lines folded at the end when there were far fewer;
 * without, hashes are collected first.
 */
struct bloom_builder {
	struct buf hashes;	/* or lines when line_count is not 0 */
	uint32_t line_count, probes, bits;
	uint64_t keys;
	bool failed;
};
void bloom_builder_init(struct bloom_builder *b, uint32_t bits,
			uint64_t expected);
void bloom_builder_release(struct bloom_builder *b);
void bloom_builder_add(struct bloom_builder *b, uint64_t hash);
/* Append the stored form to out. 0 or -ENOMEM. */
int bloom_builder_finish(struct bloom_builder *b, struct buf *out);
#endif
