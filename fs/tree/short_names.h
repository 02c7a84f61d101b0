/*
 * Shortened names of a table's partitions. A shortened name has only the
 * beginning of its key, and partitions are not in the order of their keys. So
 * the first lookup of such a name in a table collects the tokens of all
 * partitions that have one, by one pass over the table; the observer of the
 * store adds later ones. They stay in memory. An entry may be of a removed
 * partition. Any thread.
 */
#ifndef FS_TREE_SHORT_NAMES_H
#define FS_TREE_SHORT_NAMES_H
#include "fs/op/op.h"

struct short_names;
/*
 * Find the tokens of the partitions that may have this name: an array in the
 * op's arena. 1; 0: unknown, as there are too many names or no memory; -errno.
 */
int short_names_find(struct op *op, struct node *table, struct bytes name,
	      int64_t **tokens, size_t *count);
/* Note that something was written to the partition. */
void short_names_add(struct fs *fs, struct node *table, const struct table *t,
	      struct bytes partition_key);
void short_names_free(struct fs *fs, struct short_names *names);
#endif
