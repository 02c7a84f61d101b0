/*
 * Arrays: room for more at the end; for those that are kept in order, find a
 * place, open it, close it. No locks.
 */
#ifndef STORE_BASE_ARRAY_H
#define STORE_BASE_ARRAY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the element comes before the key. */
typedef bool (*array_before)(const void *element, const void *key);

/* Return the place of the first of count elements, of size bytes each, that does
 * not come before the key; count: all do. */
static inline size_t array_find(const void *array, size_t count, size_t size,
				const void *key, array_before before)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (before((const uint8_t *)array + middle * size, key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Make room for one more element, whose bytes are not set, at `at` of count. The
 * array (NULL: none yet) is from mem_alloc() and may move: return where it is
 * now. NULL: want of memory, and the array is as it was.
 */
void *array_insert(void *array, size_t count, size_t size, size_t at);
/*
 * Make room for one more element, whose bytes are not set, after the count that
 * the array has. *room is the number of elements that it has memory for; where
 * it is full it doubles. The array (NULL with *room 0: none yet) is from
 * mem_alloc() and may move: return where it is now. NULL: want of memory, and
 * the array and *room are as they were.
 */
void *array_grow(void *array, size_t count, size_t size, size_t *room);
/* Take n of the count elements away, from `at` on. The array does not move. */
void array_remove(void *array, size_t count, size_t size, size_t at, size_t n);
#endif
