/*
 * Values that an index refuses: the write fails. Such values from before the
 * index are skipped when it is built.
 */
#ifndef STORE_INDEX_REFUSE_H
#define STORE_INDEX_REFUSE_H
#include "store/row/row.h"
#include "store/schema/schema.h"

/*
 * Append to why an SAI index refuses a vector of floats, in Cassandra's words;
 * nothing where it takes it. Called also for a vector that is searched.
 */
void index_refuses_vector(struct buf *why, const struct index *index,
			  struct bytes vector);
/*
 * Check the row with this cell, as it is written: append to why an index of the
 * table refuses it. *late: a client of Cassandra sees a write that failed, not
 * one that is invalid. 0, -EINVAL: it is refused; -ENOMEM, -EUCLEAN.
 */
int index_check_row(struct buf *why, bool *late, struct arena *arena,
		    const struct table *t, const struct row *row);
#endif
