/*
 * A partition of a table with clustering columns, and each prefix of them: a
 * directory of the next column's values. It exists while a row below it (or
 * a static cell of the partition) is live, or while it is kept.
 */
#ifndef FS_KIND_PARTITION_H
#define FS_KIND_PARTITION_H
#include "fs/op/place.h"

extern const struct node_ops kind_partition;
/* Set q to the rows below a place that is no row; its slice is the caller's. */
void partition_query(struct query *q, const struct place *p,
		     struct slice *slice);
/* Describe what is at a place in the table of that node, by its first row.
 * -ENOENT: nothing is live. */
int partition_stat_place(struct op *op, struct node *table,
			 const struct place *p, struct child *out);
int partition_lookup(struct op *op, struct node *dir, struct bytes name,
		     struct child *out);
/* Describe the child of a key's name, existing or not (unkeyed: a shortened
 * name). */
int partition_child(struct op *op, struct node *dir, struct bytes name,
		    struct child *out);
/* Check that a name may be made. -EINVAL: rows exist with another spelling of
 * it. */
int partition_check_new(struct op *op, struct node *dir, const struct child *c);
/* Check that a directory that a rename replaces is empty: -ENOTEMPTY. */
int partition_check_empty(struct op *op, struct node *n);
int partition_create(struct op *op, struct node *dir, struct bytes name,
		     struct child *out);
int partition_mkdir(struct op *op, struct node *dir, struct bytes name,
		    mode_t mode, struct child *out, bool *keep);
int partition_rmdir(struct op *op, struct node *n);
#endif
