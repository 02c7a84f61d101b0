/*
 * Tell the kernel to drop its copies of nodes that changed. Any thread; no lock
 * of the caller's is needed.
 */
#ifndef FS_OP_KERNEL_H
#define FS_OP_KERNEL_H
#include "fs/op/op.h"

#define ARMED_ALL (ARMED_NAME | ARMED_ATTRIBUTES | ARMED_PAGES | ARMED_OWNER)

/*
 * Tell the kernel to drop its copies of n (bits: enum armed), changed by op (or
 * NULL). Descriptors may be open under the number that it had before a rename.
 */
void kernel_notify(struct fs *fs, struct op *op, struct node *n,
		   uint32_t bits);
/* The same for all of n, and everything in memory below it. */
void kernel_notify_below(struct fs *fs, struct op *op, struct node *n);
#endif
