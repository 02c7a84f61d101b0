/* Between the files of fs/ itself: what the kinds do not call. */
#ifndef FS_OP_INNER_H
#define FS_OP_INNER_H
#include <stdlib.h>

#include "fs/file/handle.h"
#include "fs/file/unkeyed.h"
#include "fs/file/view.h"
#include "fs/op/op.h"
#include "fs/op/times.h"

void op_pool_release(struct fs *fs);
/* file/keep.c: n is not kept any more. */
void keep_ended(struct fs *fs, struct node *n);
bool op_is_fresh(const struct op *op);
void node_path(struct buf *out, struct node *n, const char *name);
/* By number, behind forwards: a reference, or NULL. */
struct node *fs_node(struct fs *fs, uint64_t id);
/* As the kind's stat; kept directories are there though nothing is stored. */
int node_stat(struct op *op, struct node *n, struct child *out);
/* The child of that name and its node (a reference also with some errors). */
int lookup_child(struct op *op, struct node *dir, struct bytes name,
		 struct child *c, struct node **out);
/* The times of a child that were set beside the data. */
int child_set_times(struct op *op, struct node *dir, struct child *c);
/* What is known of one that the store has nothing of. */
void kept_child(struct op *op, struct node *n, struct child *out);
/* tree/listing.c: a name that was cut is looked for among those that begin
 * so. */
int lookup_cut(struct op *op, struct node *dir, struct bytes name,
	       struct child *c);
/* Directories that are open let go of moments of the store that have passed. */
void listings_rest(struct fs *fs);
void fill_attr(struct op *op, struct node *n, struct child *c,
	       struct stat *attr, double *timeout_s);
/* Counts the node and arms what the reply lets the kernel keep. */
void fill_entry(struct op *op, struct node *n, struct child *c,
		struct fs_entry *entry);

/* fs/store_observer.c: what the store changes becomes notices. */
void observe_start(struct fs *fs);
void observe_stop(struct fs *fs);
/* kernel.c */
/* The kernel's view of n changed (bits: enum armed); the caller waits for it
 * where it may. */
void op_notify(struct op *op, struct node *n, uint32_t bits);
/* The kernel drops the attributes of n before the reply. */
void op_drop_attributes(struct op *op, struct node *n);
/*
 * The caller's answer waits until the kernel has dropped the name of n: true, where
 * it is below a directory that the kernel has locked for the call (to remove or
 * rename a directory it locks that one too: not then), or statements changed it.
 */
bool op_drops_name(struct op *op, const struct node *n);
/* Wait while the name of the file is being taken from it (fs/call_names.c). */
void fs_wait_left(struct fs *fs, struct node *n);
/* The same as op_notify, of no op. */
void fs_notify(struct fs *fs, struct node *n, uint32_t bits);
/* Everything in memory below n, and n itself. */
void op_notify_below(struct op *op, struct node *n);
/* file/unopened.c: the descriptor of one that mknod made and nobody has opened
 * yet: the caller's from now on. NULL: it is none of these. */
struct handle *made_take(struct fs *fs, const struct node *n);
/* h takes a place among them; what had it before is given back, or NULL. */
struct handle *made_remember(struct fs *fs, struct handle *h);
/* Before a directory is listed or goes: those in it that stay unopened are
 * closed. */
void made_settle(struct op *op, const struct node *dir);
#endif
