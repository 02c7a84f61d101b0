/*
 * A table of keys by their bytes, each with what its user keeps there. Its
 * memory is an arena's and goes with that. One thread at a time.
 */
#ifndef STORE_BASE_HASH_H
#define STORE_BASE_HASH_H
#include "store/base/arena.h"

struct hash_place {
	struct bytes key;		/* null: the place is free */
	void *value;
};
/* Zeroed: empty. */
struct hash {
	struct hash_place *places;
	uint32_t count, size;		/* size: a power of two */
	uint64_t probes;		/* places that were looked at */
};

/*
 * Return the place of a key (not null). A new key is copied, and its value is
 * NULL. The place is valid until the next key is added. NULL without memory.
 */
struct hash_place *hash_place(struct hash *h, struct arena *arena,
			      struct bytes key);
#endif
