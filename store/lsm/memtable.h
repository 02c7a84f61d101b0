/*
 * A memtable holds the newest writes of one table in memory: rows, merged as
 * they come in, and deletions of ranges as bounds that never overlap.
 *
 * One writer at a time (the lsm's write lock). It adds the operations of a
 * batch, which no reader sees, and then commits or takes them back. Readers
 * take no lock. An iterator shows the data of the moment it was made; lookup
 * that of the last commit.
 */
#ifndef STORE_LSM_MEMTABLE_H
#define STORE_LSM_MEMTABLE_H
#include "store/row/iterator.h"
#include "store/row/mutation.h"

struct memtable;

/* The caller gets the first reference. 0 or -ENOMEM. */
int memtable_new(struct memtable **out);
struct memtable *memtable_get(struct memtable *m);
void memtable_put(struct memtable *m);

/* Add an operation, for the writer. After an error (-ENOMEM; -EUCLEAN: an
 * invalid row or range) roll back. */
int memtable_add(struct memtable *m, const struct batch_op *op);
void memtable_commit(struct memtable *m);
void memtable_rollback(struct memtable *m);

/*
 * Look up the row at key: 1 with *row, encoded, which lives as long as the
 * memtable; 0 when there is none. *in_force is the range deletion there in any
 * case; it is not applied to the row yet. A large row that grew by small steps
 * is in several parts, which are to be merged: while *more is not NULL,
 * memtable_next_part returns the next.
 */
struct memtable_part;
int memtable_lookup(const struct memtable *m, struct bytes key,
		    struct bytes *row, const struct memtable_part **more,
		    struct deletion *in_force);
struct bytes memtable_next_part(const struct memtable_part **more);
/* Iterate. The iterator holds a reference. 0 or -ENOMEM. */
int memtable_iterate(struct iterator **out, struct memtable *m, bool reverse);

/* Mark it as no longer a part of its table: iterators report its memory
 * then. */
void memtable_mark_replaced(struct memtable *m);
/* Any thread, at any time. */
size_t memtable_memory(const struct memtable *m);
bool memtable_is_empty(const struct memtable *m);
bool memtable_has_bounds(const struct memtable *m);
uint64_t memtable_row_count(const struct memtable *m);
uint64_t memtable_tombstones(const struct memtable *m);
/* Return the range of timestamps. min > max: it is empty. */
void memtable_timestamps(const struct memtable *m, int64_t *min, int64_t *max);
/* True if it may hold something of the partition (token and escaped key). */
bool memtable_may_contain_partition(const struct memtable *m,
				    struct bytes partition);
#endif
