/*
 * Directories that are kept though nothing of them is stored: see keep.c. Any
 * thread.
 */
#ifndef FS_FILE_KEEP_H
#define FS_FILE_KEEP_H
#include "fs/op/op.h"

/*
 * Keep a directory although the store has nothing of it. If the caller may have
 * no more of them (-EMFILE, -ENOSPC, -ENOMEM, without a reason) it is not kept,
 * and goes with its last row.
 */
int keep_directory(struct op *op, struct node *n);
/* The same for all directories above it, up to the table. */
int keep_up(struct op *op, struct node *n);
/* Keep n, which keeper pays for (NULL: what it holds is charged elsewhere). In a
 * table that was dropped nothing is kept. */
void keep_for(struct op *op, struct node *n, struct account *keeper);
/* True if there is a kept child, or an open file that is not committed yet. */
int keep_has_children(struct op *op, struct node *n);
/* n is no longer kept. */
void keep_ended(struct fs *fs, struct node *n);
#endif
