/*
 * Readers and writers of a value are kept apart. The kernel has one size and
 * one set of pages for a node, and changes them one after the other: a reader
 * of pages beside a writer would see a cut, empty or mixed text. So a node is
 * held either by readers or by writers:
 *
 *   held by readers   it never changes: its text and attributes are those that
 *                     its first reader found. A change of the value gives the
 *                     name another node, and this one is past: its readers go
 *                     on with it, and it goes with the last of them.
 *   held by writers   it has no pages, and its size is nobody else's matter.
 *                     Of a file that each open has alone (file_kind.alone)
 *                     any open is such a hold, and there is one at a time.
 *   held by nobody    a change drops pages and attributes; until the kernel has
 *                     been told, no reader takes hold of it.
 *
 * An open that does not fit, or comes upon a value that is gone, is answered
 * ESTALE once. The kernel then looks the name up again, on behalf of the same
 * thread, which has left its wish: what it finds is held until it opens it. So no
 * open fails for another's sake. A look that finds another value drops what a
 * wish held before: an open that never came must not be answered later.
 *
 * Any thread; all calls but view_applies take the stripe of the node's name.
 */
#ifndef FS_FILE_VIEW_H
#define FS_FILE_VIEW_H
#include "fs/file/handle.h"

/* What the readers of a node see. */
struct version {
	struct buf text;
	struct shares shares;	/* of who holds it */
	struct child child;	/* its attributes; without the value */
	uint64_t hash;		/* of a text that the kernel may keep */
};

/* Is it a value's file? Others are read directly, and what they show is their
 * own matter; of those some are held alone. */
bool view_applies(const struct node *n);
/*
 * An open takes hold of the handle's node: 0, and then h->hold says how (not at
 * all where nothing else was possible: that reader has its own copy). -ESTALE: see
 * above. moved: the kernel's node is one that a rename left.
 */
int view_open(struct op *op, struct handle *h, bool moved);
void view_close(struct fs *fs, struct handle *h);
/* Of a reader that let go, and begins anew: 0 when it holds its node again. */
int view_hold_again(struct op *op, struct handle *h);
/* Has it readers that hold it? */
bool view_is_read(struct fs *fs, struct node *n);
/* The same, and *c becomes what they see of it. */
bool view_shows(struct fs *fs, struct node *n, struct child *c);
/* Has it writers? */
bool view_is_written(struct fs *fs, struct node *n);
/* The kernel is to be given these attributes of n: those of its readers. */
void view_fill(struct fs *fs, struct node *n, struct child *c);
/*
 * What the kernel may hold of n (bits: enum armed) is no longer so, by op (or
 * NULL). The number of the last notice, or 0.
 */
uint64_t view_changed(struct fs *fs, struct op *op, struct node *n,
		      uint32_t bits);
/*
 * lookup_child, of a LOOKUP: for a thread that was told to look again the node is
 * held, until it opens it.
 */
int view_look(struct op *op, struct node *dir, struct bytes name,
	      struct child *c, struct node **n);
/*
 * The caller asks for the attributes of n, a file that is not there any more, and
 * may be about to open it or to make it: 0 where it is held for that; -ESTALE:
 * it shall look again; -ENOENT where it did.
 */
int view_missed(struct op *op, struct node *n);
/* Wishes that nobody came for go. All: at the end. */
void view_expire(struct fs *fs, int64_t now_s, bool all);
void version_free(struct fs *fs, struct version *v);
#endif
