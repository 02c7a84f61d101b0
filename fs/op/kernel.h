/*
 * What the kernel holds of nodes: it is told to drop what is not so any more.
 * Any thread; no lock of the caller's is needed.
 */
#ifndef FS_OP_KERNEL_H
#define FS_OP_KERNEL_H
#include "fs/op/op.h"

#define ARMED_ALL (ARMED_NAME | ARMED_ATTRIBUTES | ARMED_PAGES | ARMED_OWNER)

/*
 * What the kernel may hold of n (bits: enum armed) is no longer so, by op (or
 * NULL). Descriptors may be open under the number that it had before a rename.
 */
void kernel_notify(struct fs *fs, struct op *op, struct node *n,
		   uint32_t bits);
/* All of n, and of everything in memory below it. */
void kernel_notify_below(struct fs *fs, struct op *op, struct node *n);
#endif
