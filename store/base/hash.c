/* Open addressing. It is never more than half full. */
#include "store/base/hash.h"

#include <xxhash.h>

static struct hash_place *find(struct hash *h, struct bytes key)
{
	uint64_t at = XXH3_64bits(key.ptr, key.len);

	for (;; at++) {
		struct hash_place *place = &h->places[at & (h->size - 1)];

		h->probes++;
		if (bytes_is_null(place->key) || bytes_equal(place->key, key))
			return place;
	}
}

static bool grow(struct hash *h, struct arena *arena)
{
	struct hash more = { .count = h->count, .probes = h->probes };

	if (h->size > UINT32_MAX / 2)
		return false;
	more.size = h->size ? 2 * h->size : 16;
	more.places = arena_zalloc(arena, more.size, sizeof(*more.places));
	if (!more.places)
		return false;
	for (uint32_t i = 0; i < h->size; i++)
		if (!bytes_is_null(h->places[i].key))
			*find(&more, h->places[i].key) = h->places[i];
	*h = more;
	return true;
}

struct hash_place *hash_place(struct hash *h, struct arena *arena,
			      struct bytes key)
{
	struct hash_place *place;

	if (2 * (uint64_t)h->count >= h->size && !grow(h, arena))
		return NULL;
	place = find(h, key);
	if (bytes_is_null(place->key)) {
		place->key = arena_copy(arena, key);
		if (bytes_is_null(place->key))
			return NULL;
		h->count++;
	}
	return place;
}
