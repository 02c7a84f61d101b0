/*
 * One block of an sstable: built by the writer, and in memory, decoded and
 * checked, for readers. format.h has the layout.
 */
#ifndef STORE_SSTABLE_BLOCK_H
#define STORE_SSTABLE_BLOCK_H
#include <stdatomic.h>

#include "store/row/iterator.h"
#include "store/sstable/format.h"

/* -------------------------------------------------------------- building */
struct block_builder {
	struct buf contents;		/* room for a header, entries so far */
	struct buf restarts;		/* 4 bytes each */
	struct buf first_key, last_key;
	uint32_t count;			/* entries */
	bool has_bounds;
};

/* Free the memory; or drop the rows, and keep it for the next block. */
void block_builder_release(struct block_builder *b);
void block_builder_clear(struct block_builder *b);
/* Add an entry, whose key must be greater than the last one. */
void block_builder_add(struct block_builder *b, const struct entry *entry);
static inline size_t block_builder_size(const struct block_builder *b)
{
	return b->contents.len + b->restarts.len * 3 + BLOCK_TRAILER_SIZE;
}
/*
 * Append what ends the contents: 0 or -ENOMEM (now or before). They begin at
 * BLOCK_HEADER_SIZE of b->contents: the room in front is for the block's header.
 */
int block_builder_finish(struct block_builder *b);

/* --------------------------------------------------------------- reading */
/* Immutable once parsed; shared between threads by reference. */
struct block {
	atomic_uint refs;
	atomic_bool used;	/* since the clock's hand went by: cache.c */
	bool has_bounds;
	uint32_t prefix_len, restart_count;
	const uint8_t *entries, *entries_end;
	const uint8_t *restarts, *heads;
	struct bytes first_key;
	size_t memory;		/* bytes of this allocation */
	uint8_t data[];
};

/* Make a block with room for size bytes of data and one reference. NULL: no
 * memory. */
struct block *block_new(size_t size);
/*
 * Parse the contents in b->data. 0, or -EUCLEAN with *why when they are not
 * those of a block. Exported for tests.
 */
int block_parse(struct block *b, struct bytes contents, const char **why);
/*
 * Make a block of the len bytes that a file stores, header first, which passed
 * their checksum; stored, with its one reference, is taken over. 0; -EUCLEAN
 * with *why; -ENOMEM.
 */
int block_decode(struct block **out, struct block *stored, size_t len,
		 const char **why);

static inline uint32_t block_restart(const struct block *b, uint32_t i)
{
	return get_le32(b->restarts + 4 * (size_t)i);
}

/*
 * Walk over the entries of a block. The key is put together in `key`, all else
 * points into the block. Zero it (CURSOR_INIT) before the first use.
 */
struct block_cursor {
	const struct block *block;
	const uint8_t *next;		/* the entry that comes next */
	uint32_t next_restart;		/* first restart at or after next */
	const uint8_t *restart_at;	/* its entry; the end when there is none */
	struct buf key;
	struct entry sought;		/* the last that a seek looked at */
	bool kept;			/* next returns it */
};
#define CURSOR_INIT ((struct block_cursor){ .key = BUF_INIT })

/* Free its buffers. */
void block_cursor_release(struct block_cursor *c);
/* Go to a restart of the block; next returns its entry. */
void block_cursor_start(struct block_cursor *c, const struct block *b,
			uint32_t restart);
/* 1 with *entry (until the next call), 0 at the end, -EUCLEAN, -ENOMEM. */
int block_cursor_next(struct block_cursor *c, struct entry *entry);
/*
 * Go to the first entry with a key >= key, so that next returns it. *in_force
 * becomes the deletion of the last bound before it, and stays as it is when
 * there is none.
 */
int block_cursor_seek(struct block_cursor *c, const struct block *b,
		      struct bytes key, struct deletion *in_force);

/*
 * Find the row at key: 1 with *row, 0 when it is not here; *in_force as above,
 * a bound at key itself included. Allocates nothing. -EUCLEAN.
 */
int block_lookup(const struct block *b, struct bytes key, struct bytes *row,
		 struct deletion *in_force);
/* Return the last restart whose key is <= key; 0 when there is none. */
uint32_t block_find_restart(const struct block *b, struct bytes key);
#endif
