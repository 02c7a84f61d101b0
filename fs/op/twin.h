/*
 * The trees of the mount and of .json show the same data by nodes of their own.
 * The kernel keeps nothing of the nodes in .json; what is changed by path there
 * is told to the tree of the mount here, where the store's observer cannot.
 * Any thread.
 */
#ifndef FS_OP_TWIN_H
#define FS_OP_TWIN_H
#include "fs/op/op.h"

/* Return the node in memory that has the path of n in the other tree: a reference,
 * or NULL. */
struct node *twin_of(struct fs *fs, struct node *n);
/* Tell the kernel that the attributes of n's twin changed, if n is in .json. */
void twin_changed(struct op *op, struct node *n);
/* True if the hints of this node of a table hold for it itself. */
bool twin_is_self(const struct node *table);
/*
 * Return the node of the table whose hints hold for `table`: of one in .json, and
 * of one that was renamed, the mount's present one, made where it is not in memory;
 * else itself. A reference; NULL: it has none now, or no memory.
 */
struct node *twin_table(struct op *op, struct node *table,
			const struct table *t);
/* Return the mount's present node of the table, made where it is not in memory: a
 * reference; NULL: it has none, or no memory. */
struct node *twin_find_table(struct op *op, const struct table *t);
/* True if the op changes something by a path in .json. */
bool twin_is_needed(const struct op *op);
#endif
