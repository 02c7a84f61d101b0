/* Calls between the files of fs/ itself, which the kinds do not use. */
#ifndef FS_OP_INNER_H
#define FS_OP_INNER_H
#include <stdlib.h>

#include "fs/file/handle.h"
#include "fs/file/unkeyed.h"
#include "fs/file/view.h"
#include "fs/op/op.h"
#include "fs/op/times.h"

void op_pool_release(struct fs *fs);
/* file/keep.c: n is no longer kept. */
void keep_ended(struct fs *fs, struct node *n);
bool op_is_fresh(const struct op *op);
void node_path(struct buf *out, struct node *n, const char *name);
/* Find by number, following forwards: a reference, or NULL. */
struct node *fs_node(struct fs *fs, uint64_t id);
/* As the kind's stat; kept directories exist though nothing is stored. */
int node_stat(struct op *op, struct node *n, struct child *out);
/* Look up the child of that name and its node (a reference also with some
 * errors). */
int lookup_child(struct op *op, struct node *dir, struct bytes name,
		 struct child *c, struct node **out);
/* Set a child's times to those that were set beside the data. */
int child_set_times(struct op *op, struct node *dir, struct child *c);
/* Set what is known of a directory of which nothing is stored. */
void kept_child(struct op *op, struct node *n, struct child *out);
/* tree/listing.c: look up a shortened name, among the names with that begin. */
int lookup_cut(struct op *op, struct node *dir, struct bytes name,
	       struct child *c);
/* Let open directories release moments of the store that have passed. */
void listings_rest(struct fs *fs);
void fill_attr(struct op *op, struct node *n, struct child *c,
	       struct stat *attr, double *timeout_s);
/* Count the node, and arm what the reply lets the kernel keep. */
void fill_entry(struct op *op, struct node *n, struct child *c,
		struct fs_entry *entry);

/* fs/store_observer.c: begin to make notices of the store's changes. */
void observe_start(struct fs *fs);
void observe_stop(struct fs *fs);
/* kernel.c */
/* The kernel's view of n changed (bits: enum armed); the caller waits for it if
 * it may. */
void op_notify(struct op *op, struct node *n, uint32_t bits);
/* Make the kernel drop the attributes of n before the reply. */
void op_drop_attributes(struct op *op, struct node *n);
/*
 * Let the caller's reply wait until the kernel has dropped the name of n. True
 * if it does: below a directory that the kernel has locked for the call (to
 * remove or rename a directory it locks that one too: not then), or if
 * statements changed it.
 */
bool op_drops_name(struct op *op, const struct node *n);
/* Wait while the file's name is being removed (fs/call_names.c). */
void fs_wait_left(struct fs *fs, struct node *n);
/* The same as op_notify, without an op. */
void fs_notify(struct fs *fs, struct node *n, uint32_t bits);
/* Notify everything in memory below n, and n itself. */
void op_notify_below(struct op *op, struct node *n);
/* file/unopened.c: take the descriptor of a file that mknod made and nobody has
 * opened yet: the caller's from now on. NULL: it has none. */
struct handle *made_take(struct fs *fs, const struct node *n);
/* Remember h as one of them; returns the one that it replaces, or NULL. */
struct handle *made_remember(struct fs *fs, struct handle *h);
/* Before a directory is listed or removed: close those in it that were not
 * opened. */
void made_settle(struct op *op, const struct node *dir);
#endif
