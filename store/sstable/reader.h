/*
 * An open sstable's inside, for the files of this folder that read it.
 */
#ifndef STORE_SSTABLE_READER_H
#define STORE_SSTABLE_READER_H
#include "store/sstable/bloom.h"
#include "store/sstable/cache.h"
#include "store/sstable/index.h"
#include "store/sstable/pool.h"
#include "store/sstable/stats.h"

struct sstable {
	atomic_uint refs;
	atomic_bool dropped;
	_Atomic uint64_t damage;	/* the offset and one; 0: none known */
	atomic_uint marks;		/* enum sstable_mark */
	struct pooled_file file;
	uint32_t table;			/* 0: not known */
	uint64_t seed;
	uint64_t blocks_end;
	struct block_cache *cache;	/* may be NULL */
	uint64_t owner;			/* our name in the cache */
	struct sstable *next_open, **open_link;	/* in the cache, under its lock */
	struct block_index index;
	struct buf filters;		/* both, as stored */
	struct bloom partitions, rows;
	struct stats stats;
	size_t held;			/* bytes of filters and index */
};

/* Return block i with a reference (block_put), and cache it if keep says so. */
int sstable_block(struct block **out, struct sstable *t, uint32_t i, bool keep);
/* Read block i from the file and check it, whatever the cache has. */
int sstable_read_block(struct block **out, struct sstable *t, uint32_t i);
/* Report damage in block i and remember it; returns -EUCLEAN. */
int sstable_block_corrupt(struct sstable *t, uint32_t i, const char *why);
#endif
