/*
 * Directories that are kept though nothing of them is stored: see keep.c. Any
 * thread.
 */
#ifndef FS_FILE_KEEP_H
#define FS_FILE_KEEP_H
#include "fs/op/op.h"

/*
 * Keep a directory although the store has nothing of it, at the caller's cost.
 * -ENOSPC (the caller has too many) and -ENOMEM come without a reason: then it
 * is not kept, and is gone after its last row.
 */
int keep_directory(struct op *op, struct node *n);
/* The same for n and all directories above it, up to the table. */
int keep_up(struct op *op, struct node *n);
/* Keep n at the cost of keeper, who was charged for it (NULL: the contents of n
 * are charged elsewhere). In a table that was dropped nothing is kept. */
void keep_for(struct op *op, struct node *n, struct account *keeper);
/* True if there is a kept child, or an open file that is not committed yet. */
int keep_has_children(struct op *op, struct node *n);
/* Give back the charge for n, which is no longer kept. */
void keep_ended(struct fs *fs, struct node *n);
#endif
