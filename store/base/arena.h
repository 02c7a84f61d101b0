/*
 * An arena: memory that dies together (a statement, a mutation, a query).
 * Allocations are 8-byte aligned. One thread at a time. The first allocation
 * that fails, for want of memory or at the limit, sets failed; every later one
 * fails too.
 */
#ifndef STORE_BASE_ARENA_H
#define STORE_BASE_ARENA_H
#include "store/base/bytes.h"

struct arena_chunk;
struct arena {
	struct arena_chunk *chunks;	/* newest first */
	uint8_t *next, *end;		/* free space of the newest */
	size_t total;			/* bytes taken from the heap */
	size_t limit;			/* of total; 0: none */
	bool failed;
	bool huge;			/* it will grow large: in huge pages */
};
#define ARENA_INIT ((struct arena){ NULL, NULL, NULL, 0, 0, false, false })

/* Limit and huge stay. */
void arena_release(struct arena *a);
/* Drop everything but the newest chunk, which is used again. */
void arena_clear(struct arena *a);
/* arena_alloc where the newest chunk has no room. */
void *arena_grow(struct arena *a, size_t size);
/* size bytes, not cleared; NULL and failed when there is no memory. */
static inline void *arena_alloc(struct arena *a, size_t size)
{
	/* The pointer is valid for size 0 too. */
	size_t taken = size ? (size + 7) & ~(size_t)7 : 8;
	uint8_t *ptr = a->next;

	if (a->failed || taken < size || taken > (size_t)(a->end - ptr))
		return arena_grow(a, size);
	a->next = ptr + taken;
	return ptr;
}
void *arena_zalloc(struct arena *a, size_t count, size_t size);
/* Return a copy, with a 0 byte after it. Null stays null; BYTES_NULL when
 * failed. */
struct bytes arena_copy(struct arena *a, struct bytes b);
char *arena_strdup(struct arena *a, const char *s);
char *arena_format(struct arena *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
#endif
