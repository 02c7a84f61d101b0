/*
 * What is known of a node without reading: what was read after a moment is still
 * so while known_is_same of it, since all of it is in one partition, whose changes
 * the engine counts before and after anybody can see them. Any thread.
 */
#ifndef FS_OP_KNOWN_H
#define FS_OP_KNOWN_H
#include "fs/op/op.h"

/* Return the present moment of the place of n, a cell's file or a directory in a
 * partition. state 0: it is of no use. */
struct node_moment known_moment(struct op *op, struct node *n);
/* True if nothing that a read of n shows has changed since; but something may
 * have ended, which is the caller's to know. */
bool known_is_same(const struct op *op, const struct node *n,
		   const struct node_moment *m);
/* Set what node_know noted, if it is still so and has no end. */
bool known_now(struct op *op, struct node *n, struct node_known *known);
#endif
