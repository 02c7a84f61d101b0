/*
 * The cache's inside: what sstables ask of it. sstable.h has the rest.
 */
#ifndef STORE_SSTABLE_CACHE_H
#define STORE_SSTABLE_CACHE_H
#include <pthread.h>

#include "store/sstable/block.h"
#include "store/sstable/pool.h"
#include "store/sstable/sstable.h"

/* Return a name for an open sstable's blocks. The cache uses no name twice. */
uint64_t block_cache_owner(struct block_cache *c);

/*
 * Return the owner's block of that index, with a reference (block_put). If it
 * is not cached, load makes it with one reference, which get takes over; other
 * readers wait meanwhile. keep false: a loaded block is not cached. No lock is
 * held during load. 0 or load's error.
 */
struct block_load {
	int (*load)(struct block **out, const struct block_load *load);
	struct sstable *sstable;
	uint32_t block;
};
int block_cache_get(struct block **out, struct block_cache *c, uint64_t owner,
		    const struct block_load *load, bool keep);
/* Return the descriptors of the sstables that share the cache; NULL for
 * NULL. */
struct file_pool *block_cache_files(struct block_cache *c);
/* The open sstables that share the cache, by number: sstable.c finds in them the
 * one that is open already. */
#define OPEN_BUCKETS 256
struct open_sstables {
	pthread_mutex_t lock;
	struct sstable *buckets[OPEN_BUCKETS];	/* under lock */
};
struct open_sstables *block_cache_sstables(struct block_cache *c);
/* NULL is accepted. */
void block_put(struct block *b);
/* Drop the blocks of an owner that is closed; those in use are freed by their
 * last put. */
void block_cache_forget(struct block_cache *c, uint64_t owner);
/* A cache of decoded blocks, bounded by bytes, and of open files, bounded by
 * the process's limit, shared by all tables. Without one a file stays open.
 * Threads: all calls from any. */
int block_cache_new(struct block_cache **out, size_t bytes);
void block_cache_free(struct block_cache *c);
/* Count so many bytes more that an open sstable holds, its filters and its
 * index: blocks have the rest of the bound, but at least an eighth of it; the
 * same bytes less. NULL is accepted. */
void block_cache_hold(struct block_cache *c, size_t bytes);
void block_cache_let_go(struct block_cache *c, size_t bytes);
struct block_cache_stats {
	uint64_t hits, misses, bytes, capacity, dropped;	/* bytes in all */
	uint64_t held;		/* by open sstables; capacity is without these */
};
void block_cache_stats(struct block_cache *c, struct block_cache_stats *stats);
#endif
