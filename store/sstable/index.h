/*
 * The block index: which block may hold a key. It is pinned in memory while the
 * sstable is open: heads as numbers side by side, key bytes in a pool.
 */
#ifndef STORE_SSTABLE_INDEX_H
#define STORE_SSTABLE_INDEX_H
#include "store/row/row.h"

/* -------------------------------------------------------------- building */
struct index_builder {
	struct buf bytes;		/* as stored */
	struct buf last;		/* the separator before */
	uint64_t count;
};
/* Free the memory of one that was set to zeros and used. */
void index_builder_release(struct index_builder *b);
/*
 * A block of `stored` bytes begins with first_key, the block before it ended
 * with last_key (empty: there is none), and open is in force between them.
 */
void index_builder_add(struct index_builder *b, struct bytes last_key,
		       struct bytes first_key, uint64_t stored,
		       struct deletion open);

/* --------------------------------------------------------------- reading */
struct index_open {		/* blocks at whose start a deletion is in force */
	uint32_t block;
	struct deletion deletion;
};
struct block_index {
	uint32_t count;
	size_t prefix_len;	/* what all separators share */
	uint64_t *heads;	/* 8 bytes of each after the prefix */
	uint64_t *offsets;	/* count + 1 */
	uint64_t *keys;		/* count + 1, into the pool */
	struct buf pool;
	struct index_open *opens;
	uint32_t open_count;
	size_t memory;
};
/* stored is not needed afterwards; blocks begin at offset begin and end at
 * end. 0, -EUCLEAN with *why, -ENOMEM. */
int block_index_read(struct block_index *x, struct bytes stored, uint64_t count,
		     uint64_t begin, uint64_t end, const char **why);
void block_index_release(struct block_index *x);
/* Return the last block whose separator is <= key; 0 when there is none. */
uint32_t block_index_find(const struct block_index *x, struct bytes key);
static inline struct bytes block_index_key(const struct block_index *x,
					   uint32_t i)
{
	return bytes_of(x->pool.ptr + x->keys[i],
			(size_t)(x->keys[i + 1] - x->keys[i]));
}
struct deletion block_index_open(const struct block_index *x, uint32_t block);
#endif
