/* Moves of a cell: to another column, to another partition of a schemaless
 * table, or to an editor's backup. */
#ifndef FS_KIND_CELL_MOVE_H
#define FS_KIND_CELL_MOVE_H
#include "store/base/bytes.h"

struct child;
struct node;
struct op;

/* The call of struct node_ops, for kinds that are a cell too. */
int cell_rename(struct op *op, struct node *n, struct node *dir,
		struct bytes name, struct node *replaced, struct child *target);
#endif
