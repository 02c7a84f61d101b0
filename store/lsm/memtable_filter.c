/*
 * A key sets six bits of one line of 64 bytes. With more than 42 keys to a line
 * (12 bits each) a filter of four times as many lines is made from the tree and
 * replaces it; the old one stays unchanged for its readers, and is freed with
 * the arena.
 */
#include "store/lsm/memtable_filter.h"

#include <errno.h>
#include <stdatomic.h>
#include <xxhash.h>

#define FEWEST 1024		/* keys; with fewer a tree is as good */
#define KEYS_PER_LINE 42
#define PROBES 6

struct filter_lines {
	uint64_t count;		/* a power of two */
	_Atomic uint64_t words[];	/* 8 to a line */
};

static uint64_t hash_of(struct bytes key)
{
	return XXH3_64bits(key.ptr, key.len);
}

static uint64_t first_word(const struct filter_lines *lines, uint64_t hash)
{
	return (hash >> 54 ^ hash) % lines->count * 8;
}

/* Return the bits of the probes, nine for each, above the bits that mostly
 * choose the line. */
static uint64_t bits_of(uint64_t hash)
{
	return hash * 0x9fb21c651e98df25u >> 8;
}

static void set_bits(struct filter_lines *lines, uint64_t hash)
{
	_Atomic uint64_t *line = &lines->words[first_word(lines, hash)];
	uint64_t bits = bits_of(hash);
	int i;

	for (i = 0; i < PROBES; i++, bits >>= 9) {
		_Atomic uint64_t *word = &line[bits >> 6 & 7];
		uint64_t now = atomic_load_explicit(word, memory_order_relaxed);

		atomic_store_explicit(word, now | (uint64_t)1 << (bits & 63),
				      memory_order_relaxed);
	}
}

bool filter_may_contain(const struct memtable_filter *f, struct bytes key)
{
	struct filter_lines *lines = atomic_load_explicit(&f->lines,
							  memory_order_acquire);
	const _Atomic uint64_t *line;
	uint64_t bits, hash;
	int i;

	if (!lines)
		return true;
	hash = hash_of(key);
	line = &lines->words[first_word(lines, hash)];
	bits = bits_of(hash);
	for (i = 0; i < PROBES; i++, bits >>= 9)
		if (!(atomic_load_explicit(&line[bits >> 6 & 7],
					   memory_order_relaxed) >>
		      (bits & 63) & 1))
			return false;
	return true;
}

static int grow(struct memtable_filter *f, const struct tree *t, uint64_t count,
		struct arena *arena)
{
	struct filter_lines *lines;
	struct tree_item *item;
	struct tree_cursor c;

	lines = arena_zalloc(arena, 1, sizeof(*lines) + count * 64);
	if (!lines)
		return -ENOMEM;
	lines->count = count;
	tree_cursor_seek(&c, t, BYTES_NULL, false);
	while ((item = tree_cursor_next(&c)))
		set_bits(lines, hash_of(tree_item_key(item)));
	atomic_store_explicit(&f->lines, lines, memory_order_release);
	return 0;
}

int filter_add(struct memtable_filter *f, const struct tree *t, uint64_t count,
	       struct bytes key, struct arena *arena)
{
	struct filter_lines *lines = atomic_load_explicit(&f->lines,
							  memory_order_relaxed);

	if (!lines && count < FEWEST)
		return 0;
	if (!lines || count > lines->count * KEYS_PER_LINE)
		return grow(f, t, lines ? lines->count * 4 : 64, arena);
	set_bits(lines, hash_of(key));
	return 0;
}
