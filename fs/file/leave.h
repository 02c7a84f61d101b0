/*
 * A file loses its name in two steps: the store is changed, and then the name
 * is taken from the node. The kernel has the name until after both. An open for
 * writing in between, when the file is seen to be removed already, would write
 * into a file without a name: such opens wait for the second step.
 */
#ifndef FS_FILE_LEAVE_H
#define FS_FILE_LEAVE_H
#include "store/base/bytes.h"

struct fs;
struct node;
struct op;
struct write_buffer;

/* Begin before the store is changed, and end after the name is taken. NULL is
 * accepted. */
void leave_begin(struct node *n);
void leave_end(struct fs *fs, struct node *n);
/* Wait while the file's name is being removed. */
void leave_wait(struct fs *fs, struct node *n);
/*
 * Load the text that a file's descriptors go on with when its name is removed;
 * null: none needs it, as readers that hold it have its text. text owns the
 * bytes. Later opens of a document come by another node, and read what is
 * stored then.
 */
struct bytes leave_text(struct op *op, struct node *n,
			const struct write_buffer *buffer, struct buf *text);
#endif
