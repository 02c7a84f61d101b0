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
/* Tell the kernel to drop its copies of n and of all nodes in memory below
 * it. */
void kernel_notify_below(struct fs *fs, struct op *op, struct node *n);
/* The kernel's view of n changed (bits: enum armed); the caller waits for it if
 * it may. */
void op_notify(struct op *op, struct node *n, uint32_t bits);
/* True if it can make the kernel drop attributes without a notice; op: or NULL. */
bool op_drops_at_once(const struct op *op);
/* Make the kernel drop the attributes of n before the reply. */
void op_drop_attributes(struct op *op, struct node *n);
/* The same of the node to which n lost its name, if it did: a call on n, which is
 * open still, has set what the name shows. */
void op_drop_named(struct op *op, struct node *n);
/*
 * Let the caller's reply wait until the kernel has dropped the name of n. True
 * if it does: below a directory that the kernel has locked for the call (to
 * remove or rename a directory it locks that one too: not then), or if
 * statements changed it.
 */
bool op_drops_name(struct op *op, const struct node *n);
/* The same as op_notify, without an op. */
void kernel_notify_alone(struct fs *fs, struct node *n, uint32_t bits);
/* Notify everything in memory below n. */
void op_notify_inside(struct op *op, struct node *n);
/* The same, and n itself. */
void op_notify_below(struct op *op, struct node *n);
/*
 * Record that dir's attributes and listing change. At the end of the op the
 * kernel is told to drop its copies, unless the call itself (by path) makes it
 * do so; told_to says which other copies it may have (fs/store_observer.c).
 */
void op_alters(struct op *op, struct node *dir);
/* Record that the call is by path in dir (at most two), which the kernel has by
 * that number: it notes that itself, where it is the directory's own. */
void op_by_path(struct op *op, struct node *dir, uint64_t number);
/* Record that the caller gets the attributes of n, and may keep them. */
void op_note_told(struct op *op, struct node *n);
/* At the end, with the result: drop copies that others than the caller may
 * have. */
void op_tell_altered(struct op *op, int err);
#endif
