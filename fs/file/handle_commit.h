/*
 * When what was written through open files becomes the value: at a flush, a
 * sync, the last close, a truncation by path, and before a look at a file whose
 * writer seems to have closed it.
 *
 * Any thread. All may return what the kind's store returns: 0 or -errno.
 */
#ifndef FS_FILE_HANDLE_COMMIT_H
#define FS_FILE_HANDLE_COMMIT_H
#include "fs/file/handle.h"

/* Commit what all writers have written so far. 0, or the first error. */
int handles_commit(struct op *op);
/* True if truncating the file to 0 and closing it stores the empty value. */
bool handle_takes_empty(struct op *op, struct node *n);
/* Truncate: through h, if it is open to write; else (h may be NULL) by path:
 * load, set the size, commit. moved: the kernel's node is one that a rename
 * left. */
int handle_truncate(struct op *op, struct node *n, bool moved, struct handle *h,
		    uint64_t size);
/* Commit the held buffer of a file of which nothing is stored yet, or of a temporary
 * one, whose text may replace another's, before it is moved. Others are left as they
 * are. */
int handle_commit_new(struct op *op, struct node *n,
		      struct write_buffer *buffer) UNCHECKED;
/* Set the times of pending values, as buffer_how does: of a document too, whose
 * descriptors have a buffer each. False: none is pending. */
bool handles_how(struct op *op, struct node *n, const struct store_how *set,
		 struct store_how *now);
/*
 * Commit the pending empty values in the directory n, or of the file n, that
 * seem to be closed already. Called before n is looked at.
 */
void handles_commit_empty(struct op *op, struct node *n);
/* The same for one descriptor that is closed, before it leaves its list: other
 * calls find either it there, or the value that it stored. */
void handle_commit_empty(struct op *op, struct handle *h);
/* Note that the handle was written to or truncated. REQUIRES its buffer's
 * lock. */
void handle_changed(struct fs *fs, struct handle *h, bool truncated);
/* True if an open has made a file in the directory that is not committed
 * yet. */
bool handles_have_new(struct op *op, struct node *dir);
/* The changes by a writer since the last commit that become the value. */
enum commit {
	COMMIT_WRITTEN,		/* writes */
	COMMIT_ALL,		/* writes and truncations */
	COMMIT_EMPTY,		/* only a waiting empty value: h->counted */
};
int handle_commit(struct op *op, struct handle *h, enum commit what);
/* Note that no op could begin: a write commits nothing more then, and what a flush
 * left is not stored by the release. */
void handle_has_no_op(struct handle *h, bool writes);
/* Commit as a FLUSH does. */
int handle_flush(struct op *op, struct handle *h);
/* Close its last descriptor: commit what is left, and give up its buffer. */
int handle_finish(struct op *op, struct handle *h);
#endif
