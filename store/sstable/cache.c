/*
 * Decoded blocks, bounded by bytes, in shards with a lock each. Eviction moves
 * round the blocks like a clock's hand, and passes over a block once if it was
 * used since the last round. A block that a reader holds is never freed; the
 * cache only releases its own reference, so bytes in use may for a moment
 * exceed the bound.
 *
 * An entry without a block is being loaded by a thread: others wait for it.
 */
#include "store/sstable/cache.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "store/base/alloc.h"

#define SHARDS 16
#define FIRST_BUCKETS 256

struct slot {			/* all under the shard's lock */
	struct slot *chain;
	struct slot *before, *after;	/* the clock's ring */
	uint64_t owner;
	uint32_t index;
	uint32_t waiting;	/* for the load; the slot stays until they left */
	struct block *block;	/* NULL while it is loaded */
	int err;		/* of the load */
	bool loading;
};

/* A chain of slots, and the block of it that was read last: mostly it is read
 * again, and then no slot is looked at. */
struct cache_bucket {
	struct slot *chain;
	struct block *block;		/* NULL: none remembered */
	uint64_t owner;
	uint32_t index;
};

struct shard {
	pthread_mutex_t lock;
	pthread_cond_t loaded;
	struct cache_bucket *buckets;		/* a power of two */
	size_t bucket_count, count;
	struct slot *hand;
	size_t bytes, capacity;
	uint64_t hits, misses;
	uint64_t dropped;	/* bytes that left it */
};

struct block_cache {
	atomic_uint_fast64_t owners;
	size_t bytes;			/* the bound */
	pthread_mutex_t holding;	/* taken before those of shards */
	size_t held;			/* under holding */
	struct file_pool *files;
	struct open_sstables open;
	struct shard shards[SHARDS];
};

int block_cache_new(struct block_cache **out, size_t bytes)
{
	struct block_cache *c = mem_zalloc(1, sizeof(*c));
	int i;

	if (!c)
		return -ENOMEM;
	pthread_mutex_init(&c->open.lock, NULL);
	pthread_mutex_init(&c->holding, NULL);
	c->bytes = bytes;
	for (i = 0; i < SHARDS; i++) {
		struct shard *s = &c->shards[i];

		pthread_mutex_init(&s->lock, NULL);
		pthread_cond_init(&s->loaded, NULL);
		s->capacity = bytes / SHARDS;
		s->bucket_count = FIRST_BUCKETS;
		s->buckets = mem_zalloc(FIRST_BUCKETS, sizeof(*s->buckets));
		if (!s->buckets) {
			block_cache_free(c);
			return -ENOMEM;
		}
	}
	if (file_pool_new(&c->files, 0)) {
		block_cache_free(c);
		return -ENOMEM;
	}
	*out = c;
	return 0;
}

struct file_pool *block_cache_files(struct block_cache *c)
{
	return c ? c->files : NULL;
}

struct open_sstables *block_cache_sstables(struct block_cache *c)
{
	return c ? &c->open : NULL;
}

uint64_t block_cache_owner(struct block_cache *c)
{
	return c ? atomic_fetch_add(&c->owners, 1) + 1 : 0;
}

void block_put(struct block *b)
{
	if (b && atomic_fetch_sub_explicit(&b->refs, 1,
					   memory_order_acq_rel) == 1)
		mem_free(b);
}

static uint64_t hash_of(uint64_t owner, uint32_t index)
{
	uint64_t x = (owner * 0x9e3779b97f4a7c15u) ^
		     ((uint64_t)index * 0xd6e8feb86659fd93u);

	return x ^ x >> 31;
}

static struct shard *shard_of(struct block_cache *c, uint64_t hash)
{
	return &c->shards[hash & (SHARDS - 1)];
}

static struct cache_bucket *bucket_of(struct shard *s, uint64_t hash)
{
	return &s->buckets[(hash >> 8) & (s->bucket_count - 1)];
}

static struct slot **find(struct shard *s, uint64_t owner, uint32_t index,
			  uint64_t hash)
{
	struct slot **at = &bucket_of(s, hash)->chain;

	while (*at && ((*at)->owner != owner || (*at)->index != index))
		at = &(*at)->chain;
	return at;
}

/* Take a slot out of its shard; the caller frees it. */
static void unlink_slot(struct shard *s, struct slot *slot)
{
	uint64_t hash = hash_of(slot->owner, slot->index);

	bucket_of(s, hash)->block = NULL;
	*find(s, slot->owner, slot->index, hash) = slot->chain;
	if (s->hand == slot)
		s->hand = slot->after == slot ? NULL : slot->after;
	slot->before->after = slot->after;
	slot->after->before = slot->before;
	s->count--;
	if (slot->block) {
		s->bytes -= slot->block->memory;
		s->dropped += slot->block->memory;
		block_put(slot->block);
	}
}

static void evict(struct shard *s)
{
	/* Go round twice: the first round takes the marks off, the second finds
	 * a block. */
	size_t steps = 2 * s->count;

	while (s->bytes > s->capacity && s->hand && steps--) {
		struct slot *slot = s->hand;

		s->hand = slot->after;
		if (slot->loading || slot->waiting || !slot->block ||
		    atomic_exchange_explicit(&slot->block->used, false,
					     memory_order_relaxed))
			continue;
		unlink_slot(s, slot);
		mem_free(slot);
	}
}

/* Blocks have this part of the bound in any case. */
#define LEAST_PART 8

/* Give the shards what is not held. REQUIRES holding. */
static void share_out(struct block_cache *c)
{
	size_t least = c->bytes / LEAST_PART, rest;
	int i;

	rest = c->held < c->bytes - least ? c->bytes - c->held : least;
	for (i = 0; i < SHARDS; i++) {
		struct shard *s = &c->shards[i];

		pthread_mutex_lock(&s->lock);
		s->capacity = rest / SHARDS;
		evict(s);
		pthread_mutex_unlock(&s->lock);
	}
}

void block_cache_hold(struct block_cache *c, size_t bytes)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->holding);
	c->held += bytes;
	share_out(c);
	pthread_mutex_unlock(&c->holding);
}

void block_cache_let_go(struct block_cache *c, size_t bytes)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->holding);
	c->held -= bytes;
	share_out(c);
	pthread_mutex_unlock(&c->holding);
}

/* Add buckets if there is memory; without, chains only get longer. */
static void grow(struct shard *s)
{
	size_t wanted = s->bucket_count * 2, i;
	struct cache_bucket *fresh = mem_zalloc(wanted, sizeof(*fresh));

	if (!fresh)
		return;
	for (i = 0; i < s->bucket_count; i++) {
		struct slot *slot = s->buckets[i].chain, *chain;

		for (; slot; slot = chain) {
			uint64_t hash = hash_of(slot->owner, slot->index);
			struct slot **to =
				&fresh[(hash >> 8) & (wanted - 1)].chain;

			chain = slot->chain;
			slot->chain = *to;
			*to = slot;
		}
	}
	mem_free(s->buckets);
	s->buckets = fresh;
	s->bucket_count = wanted;
}

/* Insert a slot that loads into the shard, where the hand comes last. */
static void link_slot(struct shard *s, struct slot *slot, struct slot **at)
{
	slot->chain = *at;
	*at = slot;
	if (s->hand) {
		slot->after = s->hand;
		slot->before = s->hand->before;
		slot->before->after = slot;
		slot->after->before = slot;
	} else {
		slot->before = slot->after = slot;
		s->hand = slot;
	}
	s->count++;
	if (s->count > s->bucket_count)
		grow(s);
}

static struct block *block_get(struct block *b)
{
	atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
	if (!atomic_load_explicit(&b->used, memory_order_relaxed))
		atomic_store_explicit(&b->used, true, memory_order_relaxed);
	return b;
}

/* Wait while another thread loads it. Under the shard's lock. */
static int wait_for(struct block **out, struct shard *s, struct slot *slot)
{
	int err;

	slot->waiting++;
	while (slot->loading)
		pthread_cond_wait(&s->loaded, &s->lock);
	slot->waiting--;
	err = slot->err;
	if (!err)
		*out = block_get(slot->block);
	/* A slot whose load failed is not in the table any more: the last
	 * waiting thread frees it. */
	else if (!slot->waiting)
		mem_free(slot);
	return err;
}

static int load_into(struct block **out, struct shard *s, struct slot *slot,
		     const struct block_load *load)
{
	struct block *b = NULL;
	int err;

	pthread_mutex_unlock(&s->lock);
	err = load->load(&b, load);
	pthread_mutex_lock(&s->lock);
	slot->loading = false;
	slot->err = err;
	if (err) {
		unlink_slot(s, slot);
		if (!slot->waiting)
			mem_free(slot);
	} else if (b->memory > s->capacity / 2 && !slot->waiting) {
		/* A block that would push out all others is not cached: only
		 * this reader has it. */
		unlink_slot(s, slot);
		mem_free(slot);
		*out = b;
	} else {
		slot->block = b;
		s->bytes += b->memory;
		*out = block_get(b);
		if (s->bytes > s->capacity)
			evict(s);
	}
	pthread_cond_broadcast(&s->loaded);
	return err;
}

int block_cache_get(struct block **out, struct block_cache *c, uint64_t owner,
		    const struct block_load *load, bool keep)
{
	uint64_t hash = hash_of(owner, load->block);
	struct cache_bucket *bucket;
	struct slot **at, *slot;
	struct shard *s;
	int err = 0;

	if (!c)
		return load->load(out, load);
	s = shard_of(c, hash);
	pthread_mutex_lock(&s->lock);
	bucket = bucket_of(s, hash);
	if (bucket->block && bucket->index == load->block &&
	    bucket->owner == owner) {
		s->hits++;
		*out = block_get(bucket->block);
		pthread_mutex_unlock(&s->lock);
		return 0;
	}
	at = find(s, owner, load->block, hash);
	slot = *at;
	if (slot) {
		s->hits++;
		if (slot->loading) {
			err = wait_for(out, s, slot);
		} else {
			*out = block_get(slot->block);
			bucket->block = slot->block;
			bucket->owner = owner;
			bucket->index = load->block;
		}
		pthread_mutex_unlock(&s->lock);
		return err;
	}
	s->misses++;
	slot = keep ? mem_zalloc(1, sizeof(*slot)) : NULL;
	if (!slot) {
		pthread_mutex_unlock(&s->lock);
		return load->load(out, load);
	}
	slot->owner = owner;
	slot->index = load->block;
	slot->loading = true;
	link_slot(s, slot, at);
	err = load_into(out, s, slot, load);
	pthread_mutex_unlock(&s->lock);
	return err;
}

static void forget_in(struct shard *s, uint64_t owner)
{
	size_t steps = s->count;
	struct slot *slot = s->hand, *after;

	for (; steps--; slot = after) {
		after = slot->after;
		if (owner && slot->owner != owner)
			continue;
		unlink_slot(s, slot);
		mem_free(slot);
	}
}

void block_cache_forget(struct block_cache *c, uint64_t owner)
{
	int i;

	if (!c || !owner)
		return;
	for (i = 0; i < SHARDS; i++) {
		pthread_mutex_lock(&c->shards[i].lock);
		forget_in(&c->shards[i], owner);
		pthread_mutex_unlock(&c->shards[i].lock);
	}
}

void block_cache_free(struct block_cache *c)
{
	int i;

	if (!c)
		return;
	pthread_mutex_destroy(&c->open.lock);
	pthread_mutex_destroy(&c->holding);
	for (i = 0; i < SHARDS; i++) {
		struct shard *s = &c->shards[i];

		forget_in(s, 0);
		mem_free(s->buckets);
		pthread_cond_destroy(&s->loaded);
		pthread_mutex_destroy(&s->lock);
	}
	file_pool_free(c->files);
	mem_free(c);
}

void block_cache_stats(struct block_cache *c, struct block_cache_stats *stats)
{
	int i;

	memset(stats, 0, sizeof(*stats));
	pthread_mutex_lock(&c->holding);
	stats->held = c->held;
	pthread_mutex_unlock(&c->holding);
	for (i = 0; i < SHARDS; i++) {
		struct shard *s = &c->shards[i];

		pthread_mutex_lock(&s->lock);
		stats->hits += s->hits;
		stats->misses += s->misses;
		stats->bytes += s->bytes;
		stats->capacity += s->capacity;
		stats->dropped += s->dropped;
		pthread_mutex_unlock(&s->lock);
	}
}
