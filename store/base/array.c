#include "store/base/array.h"

#include <string.h>

#include "store/base/alloc.h"

#define FIRST_ROOM 8		/* elements */

void *array_insert(void *array, size_t count, size_t size, size_t at)
{
	uint8_t *grown = mem_resize(array, count + 1, size);

	if (grown)
		memmove(grown + (at + 1) * size, grown + at * size,
			(count - at) * size);
	return grown;
}

void *array_grow(void *array, size_t count, size_t size, size_t *room)
{
	size_t more = *room ? *room * 2 : FIRST_ROOM;
	void *grown = array;

	if (count == *room) {
		grown = more > *room ? mem_resize(array, more, size) : NULL;
		if (grown)
			*room = more;
	}
	return grown;
}

void array_remove(void *array, size_t count, size_t size, size_t at, size_t n)
{
	uint8_t *from = array;

	if (n)
		memmove(from + at * size, from + (at + n) * size,
			(count - at - n) * size);
}
