/*
 * What an index refuses to take: the write of it fails. Values that are there
 * before the index are passed over when it is built.
 */
#ifndef STORE_INDEX_REFUSE_H
#define STORE_INDEX_REFUSE_H
#include "store/row/row.h"
#include "store/schema/schema.h"

/*
 * Append to why what is wrong with a vector of floats for an SAI index, in
 * Cassandra's words; nothing where it takes it. Asked of what is looked for, too.
 */
void index_refuses_vector(struct buf *why, const struct index *index,
			  struct bytes vector);
/*
 * The row with this cell, as it is written: append to why what an index of the
 * table has against it. *late: a client of Cassandra sees a write that failed,
 * not one that is invalid. 0, -EINVAL: it is refused; -ENOMEM, -EUCLEAN.
 */
int index_check_row(struct buf *why, bool *late, struct arena *arena,
		    const struct table *t, const struct row *row);
#endif
