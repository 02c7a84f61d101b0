/*
 * The members that directories which exist only in memory have in common: their
 * children are nodes that are kept, and the store has nothing of them. Members
 * of struct node_ops; any thread.
 */
#ifndef FS_KIND_MEMORY_DIRECTORY_H
#define FS_KIND_MEMORY_DIRECTORY_H
#include "fs/op/op.h"

struct listing;

/* As the members of struct node_ops of these names. The child is a kept node of
 * that name, or -ENOENT. */
int memory_directory_lookup(struct op *op, struct node *dir, struct bytes name,
			    struct child *out);
/* It has the owner of its table, or keyspace. */
int memory_directory_stat(struct op *op, struct node *n, struct child *out);
int memory_directory_next(struct op *op, struct listing *l, struct buf *name,
			  struct child *out);
int memory_directory_rmdir(struct op *op, struct node *n);
#endif
