/*
 * The key of a row in its directory: each key column as a read-only file (not
 * listed), and @key if the directory's name was shortened. A directory that was
 * made under a shortened name has no key until its @key is written.
 */
#ifndef FS_KIND_KEY_H
#define FS_KIND_KEY_H
#include "fs/op/place.h"

extern const struct node_ops kind_key_column;
/* Look up the @key of a directory with a shortened name. */
int key_file_lookup(struct op *op, struct node *dir, struct child *out);
/* The same, existing or not. */
int key_file_child(struct op *op, struct node *dir, struct child *out);
#endif
