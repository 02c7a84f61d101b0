/* Files that mknod made, and nobody has opened yet. Any thread. */
#ifndef FS_FILE_UNOPENED_H
#define FS_FILE_UNOPENED_H
#include "fs/op/op.h"

/* Take the descriptor of a file that mknod made and nobody has
 * opened yet: the caller's from now on. NULL: it has none. */
struct handle *unopened_take(struct fs *fs, const struct node *n);
/* Remember h as such a descriptor; returns the one that it replaces, which the
 * caller closes, or NULL. */
struct handle *unopened_remember(struct fs *fs, struct handle *h);
/* Before a directory is listed or removed: close those in it that were not
 * opened. */
void unopened_close_all(struct op *op, const struct node *dir);
#endif
