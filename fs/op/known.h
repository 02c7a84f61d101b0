/*
 * Know without reading: data that was read after a moment is still so while
 * known_is_same of it, since all of it is in one partition, whose changes the
 * engine counts before and after anybody can see them. Nodes know their
 * attributes (node_know); the last small rows that were read are kept whole, for
 * who asks for one of their cells next. Any thread.
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
/* True if nothing that a read of n shows has changed since; but something may
 * have ended, which is the caller's to know. */
bool known_is_same(const struct op *op, const struct node *n,
		   const struct node_moment *m);
/* Set what node_know noted, if it is still so and has no end. */
bool known_now(struct op *op, struct node *n, struct node_known *known);

/*
 * Read these columns (as in a query) of the row that p is, or is in, as
 * table_read does: as it is now. Returns 1 with *row, whose memory is the op's,
 * and, if m is not NULL, *m: it was read after that moment; 0: there is none;
 * -errno. A row may be there by a cell that ends and is none of these columns:
 * who asks whether it is there asks for all.
 */
int known_row(struct op *op, const struct place *p, uint64_t columns,
	      struct row_view *row, struct node_moment *m);
/* The same of all columns, and of a table in which times of directories are stored
 * row->attribute, too (times_of_listed). */
int known_row_timed(struct op *op, struct node *table, const struct place *p,
		    struct row_view *row, struct node_moment *m);
/* The same of the cell that p is. */
int known_cell(struct op *op, const struct place *p, struct cell_view *cell,
	       struct node_moment *m);
/* Let go the rows that the op holds, at its end. */
void known_end(struct op *op);
void known_row_free(struct known_row *k);
void known_init(struct fs *fs);
/* Free the rows that are kept, at the end. */
void known_release(struct fs *fs);
#endif
