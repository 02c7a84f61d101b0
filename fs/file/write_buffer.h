/*
 * Write buffers: the text of a file as its writers see it, shared by their
 * descriptors. handle.h has the states.
 */
#ifndef FS_FILE_WRITE_BUFFER_H
#define FS_FILE_WRITE_BUFFER_H
#include "fs/file/handle.h"

/*
 * True if a value is pending. Then *size is its length if the caller's process
 * has it open for writing; for others the committed value counts.
 */
bool buffer_size(struct op *op, struct node *n, uint64_t *size);
/* The same by a writer's descriptor. */
void buffer_handle_size(struct handle *h, uint64_t *size);
/* True if a value is pending that the caller's process has open. */
bool buffer_is_callers(struct op *op, struct node *n);
/* Separate the buffer from its name, which is another file's now: its
 * descriptors go on with it alone. */
void buffer_leave_name(struct fs *fs, struct node *n);
/* True if the file exists only as a pending one. */
bool buffer_is_new(struct fs *fs, struct node *n);
/* True if its file is open for writing. */
bool buffer_is_there(struct fs *fs, struct node *n);
/*
 * Stop commits of n's pending value until buffer_release: from the change in
 * the store that removes or renames the file until its descriptors know of it.
 * Adds a user to its buffer, which is made if there was none, and locks it;
 * NULL without memory. One call at a time may hold two, as the kernel holds both
 * directories.
 */
struct write_buffer *buffer_hold(struct fs *fs, struct node *n) UNCHECKED;
void buffer_release(struct fs *fs, struct node *n,
		    struct write_buffer *buffer) UNCHECKED;
/* True if a descriptor has the held buffer. A reader's counts too. */
bool buffer_is_open(const struct write_buffer *buffer);
/* Give up a descriptor's buffer. True: it was the last user. */
bool buffer_give_handle(struct fs *fs, struct handle *h);
/* Make a held buffer an orphan, as its name was removed: its descriptors go on
 * with the text that was there (or null). make: also if no writer has it open,
 * for readers. */
void buffer_orphan(struct op *op, struct node *n, struct write_buffer *buffer,
		   struct bytes text, bool make) UNCHECKED;
/* Take the times that set has (NULL: none) into *how. */
void buffer_take_times(struct store_how *how, const struct store_how *set);
/*
 * Set times that are stored with a pending value: true if one is pending. set:
 * the times to take (NULL: none); now: those that will be stored (or NULL).
 */
bool buffer_how(struct op *op, struct node *n, const struct store_how *set,
		struct store_how *now);
/* Make a buffer without a name, with one user. NULL: no memory. */
struct write_buffer *buffer_new(void);
/* Free its text; its memory is kept only if it is little. */
void buffer_forget(struct fs *fs, struct write_buffer *buffer);
/* Return the node's buffer with one more user, or NULL; make: make it if there
 * is none. */
struct write_buffer *buffer_take(struct fs *fs, struct node *n, bool make);
/* Drop one user; true: it was the last, and the buffer is freed. */
bool buffer_give(struct fs *fs, struct node *n, struct write_buffer *buffer);
/* Load the committed text; truncate to size bytes, or fill with zeros up to
 * there; write data at offset. REQUIRES the buffer's lock. */
int buffer_load(struct op *op, struct node *n, struct write_buffer *buffer);
int buffer_truncate(struct op *op, struct node *n, struct write_buffer *buffer,
		    uint64_t size);
int buffer_write(struct op *op, struct node *n, struct write_buffer *buffer,
		 uint64_t offset, struct bytes data);
#endif
