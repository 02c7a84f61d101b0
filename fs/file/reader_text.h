/*
 * The texts of readers, as they opened them: a large one is shared, and memory
 * is given back. The caller has the handle's lock.
 */
#ifndef FS_FILE_READER_TEXT_H
#define FS_FILE_READER_TEXT_H
#include "fs/file/handle.h"

/*
 * A large text as readers of a node opened it, shared by all that opened the
 * same text.
 */
struct pin {
	unsigned users;			/* under the node's stripe */
	struct shares shares;		/* of its readers */
	struct buf text;
};

#define TEXT_SPARE 4096		/* bytes kept for the next text, uncharged */

/* Release a text that may have been large: it counts for fs_large_freed. */
void text_free(struct fs *fs, struct buf *text);
/* Shrink its memory to its length, which is charged, or to a little more. */
void text_fit(struct fs *fs, struct buf *text);
/* Charge a reader's text, and share it if it is large. Errors as charge_set. */
int pin_share(struct fs *fs, struct handle *h);
/* Give back h's pin, if it has one. */
void pin_give(struct fs *fs, struct handle *h);
/* Free the text that the handle has of its own. */
void reader_text_drop(struct fs *fs, struct handle *h);
/* Append at most size bytes of text from offset on. */
void text_slice(struct buf *out, struct bytes text, uint64_t offset,
		size_t size);
#endif
