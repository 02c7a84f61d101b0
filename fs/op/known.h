/*
 * Data that is known without being read again. Data of one partition that was
 * read after a moment is valid as long as known_is_same is true of that moment:
 * the engine counts each change of a partition before and after anybody can see
 * it. Nodes know their attributes (node_know); the small rows that were read
 * last are kept whole, for the next reads of their cells. Any thread.
 */
#ifndef FS_OP_KNOWN_H
#define FS_OP_KNOWN_H
#include "fs/op/op.h"
#include "fs/op/place.h"

/* Return the present moment of a place in a partition, which is to be read. state
 * 0: it is of no use. */
struct node_moment known_moment_at(const struct op *op, const struct place *p);
/* The same of a partition that a cursor has read, which was opened when the state
 * of the whole store was `since`: the state is 0 if anything has changed. */
struct node_moment known_moment_since(const struct op *op, const struct table *t,
				      struct bytes partition_key,
				      uint64_t since);
/* True if n is of a kind of which anything may be known. */
bool known_may_be(const struct node *n);
/* True if nothing that a read of n shows was written since. The caller checks
 * that nothing has expired. */
bool known_is_same(const struct op *op, const struct node *n,
		   const struct node_moment *m);
/* Set *known to what node_know noted of n. True: it is still valid, and does
 * not expire. */
bool known_now(struct op *op, struct node *n, struct node_known *known);

/*
 * Read these columns (as in a query) of the row that p is, or is in, as
 * table_read does: the present ones. Returns 1 with *row, whose memory is the
 * op's, and, if m is not NULL, with *m, the moment after which it was read; 0:
 * there is no row; -errno. To find out whether and how long the row exists, ask
 * for all columns: it may exist by a cell of another column that expires.
 */
int known_row(struct op *op, const struct place *p, uint64_t columns,
	      struct row_view *row, struct node_moment *m);
/* The same for all columns; in a table that stores times of directories
 * row->attribute is read, too (times_of_listed). */
int known_row_timed(struct op *op, struct node *table, const struct place *p,
		    struct row_view *row, struct node_moment *m);
/* The same of the cell that p is. */
int known_cell(struct op *op, const struct place *p, struct cell_view *cell,
	       struct node_moment *m);
/* Release the rows that the op holds, at its end. */
void known_end(struct op *op);
void known_row_free(struct known_row *k);
void known_init(struct fs *fs);
/* Free the rows that are kept, at the end. */
void known_release(struct fs *fs);
#endif
