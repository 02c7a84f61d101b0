/*
 * A batch: changes to one or more partitions of one or more tables, applied all
 * or none. It is built as bytes (the format is in mutation.c; a commit log
 * record is one batch) so that applying costs a copy.
 */
#ifndef STORE_ROW_MUTATION_H
#define STORE_ROW_MUTATION_H
#include "store/row/row.h"

struct batch {
	struct buf bytes;
	uint32_t op_count;
	bool schema;		/* a change of the schema: wanted on a full disk */
};
#define BATCH_INIT ((struct batch){ BUF_INIT, 0, false })

/* Free the operations; or drop them, and keep the memory for others. */
void batch_release(struct batch *b);
void batch_clear(struct batch *b);
/* Add what is in row to the row at key of table (an engine table number). */
void batch_add_row(struct batch *b, uint32_t table, struct bytes key,
		   const struct row *row);
/* Delete the keys >= from and < to, which are bounds of one partition. */
void batch_add_range(struct batch *b, uint32_t table, struct bytes from,
		     struct bytes to, struct deletion deletion);

struct batch_op {
	uint32_t table;
	struct bytes key;
	struct bytes row;		/* encoded; null: a range deletion */
	struct bytes to;		/* of a range deletion */
	struct deletion deletion;
};
/* Walk over a batch: 1 with *op, 0 at the end, -EUCLEAN. */
int batch_next(struct reader *r, struct batch_op *op);
#endif
