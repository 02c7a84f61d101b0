#include "store/base/arena.h"

#include <stdarg.h>
#include <stdio.h>

#include "store/base/alloc.h"

struct arena_chunk {
	struct arena_chunk *older;
	size_t size;
	uint8_t memory[];
};

#define FIRST_CHUNK 1024
#define LARGEST_CHUNK (256 * 1024)
#define HUGE_CHUNK ((2 << 20) - sizeof(struct arena_chunk))

void arena_release(struct arena *a)
{
	struct arena_chunk *chunk, *older;
	struct arena empty = ARENA_INIT;

	empty.limit = a->limit;
	empty.huge = a->huge;
	for (chunk = a->chunks; chunk; chunk = older) {
		older = chunk->older;
		mem_free(chunk);
	}
	*a = empty;
}

void arena_clear(struct arena *a)
{
	struct arena_chunk *kept = a->chunks;

	if (kept && !kept->older && kept->size <= LARGEST_CHUNK) {
		a->next = kept->memory;
		a->failed = false;
		return;
	}
	if (!kept || kept->size > LARGEST_CHUNK) {
		arena_release(a);
		return;
	}
	a->chunks = kept->older;
	arena_release(a);
	kept->older = NULL;
	a->chunks = kept;
	a->next = kept->memory;
	a->end = kept->memory + kept->size;
	a->total = sizeof(*kept) + kept->size;
}

static bool add_chunk(struct arena *a, size_t size)
{
	size_t grown = a->chunks ? a->chunks->size * 2 : FIRST_CHUNK;
	struct arena_chunk *chunk;

	if (grown > LARGEST_CHUNK)
		grown = a->huge && a->total > HUGE_CHUNK ? HUGE_CHUNK :
							  LARGEST_CHUNK;
	if (grown < size)
		grown = size;
	if (a->limit && (grown > a->limit || a->total > a->limit - grown))
		return false;
	chunk = grown == HUGE_CHUNK ?
			mem_alloc_huge(sizeof(*chunk) + grown) :
			mem_alloc(sizeof(*chunk) + grown);
	if (!chunk)
		return false;
	chunk->older = a->chunks;
	chunk->size = grown;
	a->chunks = chunk;
	a->next = chunk->memory;
	a->end = chunk->memory + grown;
	a->total += sizeof(*chunk) + grown;
	return true;
}

void *arena_grow(struct arena *a, size_t size)
{
	if (a->failed || size > SIZE_MAX / 4 ||
	    !add_chunk(a, size ? (size + 7) & ~(size_t)7 : 8)) {
		a->failed = true;
		return NULL;
	}
	return arena_alloc(a, size);
}

void *arena_zalloc(struct arena *a, size_t count, size_t size)
{
	size_t bytes;
	void *ptr;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		a->failed = true;
		return NULL;
	}
	ptr = arena_alloc(a, bytes);
	if (ptr)
		memset(ptr, 0, bytes);
	return ptr;
}

struct bytes arena_copy(struct arena *a, struct bytes b)
{
	uint8_t *ptr;

	if (!b.ptr)
		return BYTES_NULL;
	ptr = arena_alloc(a, b.len + 1);
	if (!ptr)
		return BYTES_NULL;
	if (b.len)
		memcpy(ptr, b.ptr, b.len);
	ptr[b.len] = 0;
	return bytes_of(ptr, b.len);
}

char *arena_strdup(struct arena *a, const char *s)
{
	return (char *)(uintptr_t)arena_copy(a, bytes_str(s)).ptr;
}

char *arena_format(struct arena *a, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = len < 0 ? NULL : arena_alloc(a, (size_t)len + 1);
	if (!text) {
		a->failed = true;
		return NULL;
	}
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}
