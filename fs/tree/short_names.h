/*
 * Shortened names of a table's partitions. A shortened name has only the
 * beginning of its key, and partitions are not in the order of their keys. So a
 * table that was asked for such a name remembers in memory the token of each
 * partition that has one; they are found by one pass over all partitions and
 * updated by the observer. Entries may be of removed partitions. Any thread.
 */
#ifndef FS_TREE_SHORT_NAMES_H
#define FS_TREE_SHORT_NAMES_H
#include "fs/op/op.h"

struct short_names;
/*
 * Find where the partition of this name may be: *tokens from the op's arena. 1;
 * 0: not known, as there are too many or no memory; -errno.
 */
int short_names_find(struct op *op, struct node *table, struct bytes name,
	      int64_t **tokens, size_t *count);
/* Note that something was written to the partition. */
void short_names_add(struct fs *fs, struct node *table, const struct table *t,
	      struct bytes partition_key);
void short_names_free(struct fs *fs, struct short_names *names);
#endif
