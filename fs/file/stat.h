/*
 * The attributes of nodes as they are now, and lookups of children by name.
 * Calls return 0 or -errno if nothing else is said. Any thread.
 */
#ifndef FS_FILE_STAT_H
#define FS_FILE_STAT_H
#include "fs/op/op.h"

/* Get the attributes of n, as the kind's stat does; a kept directory exists
 * though nothing of it is stored. */
int stat_node(struct op *op, struct node *n, struct child *out);
/* The same of a file, and append the committed text to which they belong: both
 * were read after out->moment. */
int stat_and_load(struct op *op, struct node *n, struct child *out,
		  struct buf *text);
/* Look up the child of that name and its node (a reference also with some
 * errors). */
int stat_lookup(struct op *op, struct node *dir, struct bytes name,
		struct child *c, struct node **out);
/* The same by the path of dir, which is gone itself: in the directory that has
 * it now. -EACCES: the caller may not know. */
int stat_lookup_by_path(struct op *op, const struct node *dir,
			struct bytes name, struct child *c, struct node **out);
/* Note that n has the attributes *c, which were read after c->moment. */
void stat_know(struct op *op, struct node *n, const struct child *c);
/* Set a child's times to those that were set beside the data. */
int stat_set_times(struct op *op, struct node *dir, struct child *c);
/* Note that a writer of n, a file, may change the size that the kernel has. */
void stat_note_resized(struct node *n);
/* Set what is known of a directory of which nothing is stored. */
void stat_of_kept(struct op *op, struct node *n, struct child *out);
void stat_fill_attr(struct op *op, struct node *n, struct child *c,
		    struct stat *attr, double *timeout_s);
/* Count the node, and arm what the reply lets the kernel keep. */
void stat_fill_entry(struct op *op, struct node *n, struct child *c,
		     struct fs_entry *entry);
/* The same for a number beside that of n: the kernel keeps nothing by it. */
void stat_fill_alias(struct op *op, struct node *n, struct node *alias,
		     struct child *c, struct fs_entry *entry);
/* After a write that set the time of op->touched: note that this directory
 * exists, does not expire, and has that time, so that it is not read until the
 * table changes. */
void stat_know_touched(struct op *op);
#endif
