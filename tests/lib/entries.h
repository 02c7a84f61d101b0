/*
 * Random entries of a table, in key order, with which sources are compared:
 * partitions with static rows, rows, deletions of ranges and of partitions.
 */
#ifndef TESTS_LIB_ENTRIES_H
#define TESTS_LIB_ENTRIES_H
#include "store/row/iterator.h"
#include "tests/lib/random.h"

struct entries {
	struct entry *entries;
	size_t count;
	struct arena arena;	/* of all they point to */
};
struct entries_shape {
	uint32_t partitions;
	uint32_t rows;		/* of a partition, at most */
	uint32_t value;		/* bytes, at most */
	bool bounds;
	bool same_partitions;	/* in every set; rows then meet by chance */
};
void entries_make(struct entries *e, struct random *rng,
		  const struct entries_shape *shape);
void entries_free(struct entries *e);
/* Return the number of entries with a smaller key. */
size_t entries_find(const struct entries *e, struct bytes key);
/* Return the deletion in force just before entry i (which may be count). */
struct deletion entries_in_force(const struct entries *e, size_t i);
/* Assert that they are equal in key, kind and contents. */
void entries_assert_equal(const struct entry *a, const struct entry *b);
#endif
