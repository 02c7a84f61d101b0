/*
 * Cut names of a table's partitions: a name that was cut says no more of its key
 * than how it begins, and partitions are not in the order of their keys. So a
 * table that was asked for one remembers in memory the token of each partition
 * with such a name, found by one look at them all and kept in step by the
 * observer. Entries may be of what is gone. Any thread.
 */
#ifndef FS_TREE_SHORT_NAMES_H
#define FS_TREE_SHORT_NAMES_H
#include "fs/op/op.h"

struct cuts;
/*
 * Where the partition of this name may be: *tokens from the op's arena. 1; 0:
 * not known, as there are too many or no memory; -errno.
 */
int cuts_find(struct op *op, struct node *table, struct bytes name,
	      int64_t **tokens, size_t *count);
/* Something was written to the partition. */
void cuts_add(struct fs *fs, struct node *table, const struct table *t,
	      struct bytes partition_key);
void cuts_free(struct fs *fs, struct cuts *cuts);
#endif
