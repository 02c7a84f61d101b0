/*
 * A table as a sorted array, with which the engine's answers are compared. It
 * has partitions of 16 places each; a place is the key of a row or of a bound.
 */
#ifndef TESTS_LIB_MODEL_H
#define TESTS_LIB_MODEL_H
#include "store/row/iterator.h"
#include "store/row/mutation.h"
#include "tests/lib/random.h"

#define MODEL_PARTITION 16
struct model_place {
	struct bytes key;
	bool is_row;
	struct row row;			/* merged of all; ROW_NONE: nothing */
	struct deletion force;		/* from here to the next place */
};
struct model {
	struct arena arena;
	uint32_t count;
	struct model_place *places;
};

void model_init(struct model *m, uint32_t partitions);
void model_release(struct model *m);
/* Copy the data; the rows stay those of `from`, which must live longer. */
void model_copy(struct model *to, const struct model *from);
void model_clear(struct model *m);

/* Make some change at a random place: in the model and, as one of `table`, in
 * the batch. */
void model_random_change(struct model *m, struct random *rng,
			 struct batch *batch, uint32_t table);
/* Merge the data of b into a. */
void model_merge(struct model *a, const struct model *b);

/*
 * Seek the iterator to a place (m->count: the end), and assert that all that
 * follows is as in the model. covered: it applies deletions to rows, as a merge
 * does.
 */
void model_check(const struct model *m, struct iterator *it, bool reverse,
		 uint32_t from, bool covered);
/* Get the row at a place, with the deletion in force applied. False: nothing is
 * left. */
bool model_row(const struct model *m, uint32_t place, struct arena *arena,
	       struct row *row);
/* Return the model as a source of entries; it must outlive the iterator. */
struct iterator *model_iterate(const struct model *m, bool reverse);
#endif
