/*
 * A query directory: a name that begins with '@' in a table, a partition or a
 * prefix (query/terms.h). Looking it up parses the name; listing it runs a
 * SELECT, and gives a link for each row. It is never listed itself, the kernel
 * keeps nothing of it, and nothing can be changed in it.
 */
#ifndef FS_KIND_QUERY_H
#define FS_KIND_QUERY_H
#include "fs/op/place.h"

/* Describe the query of that name in dir. -ENOENT: it is none. */
int query_child(struct op *op, struct node *dir, struct bytes name,
		struct child *out);
#endif
