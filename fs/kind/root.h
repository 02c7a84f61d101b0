/* The root: a directory of keyspaces, and of objects reached only by name. */
#ifndef FS_KIND_ROOT_H
#define FS_KIND_ROOT_H
#include "fs/op/place.h"

extern const struct node_ops kind_root;

/* Describe it, with these ops. 0 or -errno. */
int root_child(struct op *op, struct child *out, const struct node_ops *ops);
/* Of it, and of the directory of a snapshot: set the time, that of the last
 * keyspace made, unless another was set since; 0 or -errno. Look up a keyspace, or its
 * definition; step through the keyspaces. As node_ops.lookup and next. */
int root_set_time(struct op *op, struct child *out);
int root_lookup_keyspace(struct op *op, struct node *dir, struct bytes name,
			 struct child *out);
int root_next(struct op *op, struct listing *l, struct buf *name,
	      struct child *out);
#endif
