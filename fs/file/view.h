/*
 * Keep readers and writers of a value apart. The kernel has one size and one
 * set of pages for a node, and changes them one after the other: a reader of
 * pages beside a writer would see a truncated, empty or mixed text. So a node
 * is held either by readers or by writers:
 *
 *   held by readers   it never changes: its text and attributes are those that
 *                     its first reader found. A change of the value gives the
 *                     name another node, and this one is past: its readers go
 *                     on with it, and it is freed with the last of them.
 *   held by writers   it has no pages, and its size matters to nobody else.
 *                     Of a file that each open has alone (file_kind.alone)
 *                     any open is such a hold, and there is one at a time.
 *   held by nobody    a change drops pages and attributes; until the kernel has
 *                     been told, no reader takes hold of it.
 *
 * An open that does not fit, or finds the value removed, is answered ESTALE
 * once. The kernel then looks the name up again, on behalf of the same thread,
 * which has left its wish: the node that it finds is held until it opens it. So
 * no open fails because of another. A look that finds another value drops the
 * node that a wish held before: an open that never came must not be answered
 * later.
 *
 * Any thread; all calls but view_applies take the stripe of the node's name.
 */
#ifndef FS_FILE_VIEW_H
#define FS_FILE_VIEW_H
#include "fs/file/handle.h"

/* The value as the readers of a node see it. */
struct version {
	struct buf text;
	struct shares shares;	/* of its holders */
	struct child child;	/* its attributes; without the value */
	uint64_t hash;		/* of a text that the kernel may keep */
};

/* True for a value's file. Others are read directly, without holds; some of
 * those are held alone. */
bool view_applies(const struct node *n);
/*
 * Hold the handle's node for an open: 0, and h->hold says how (not at all where
 * nothing else was possible: that reader has its own copy). -ESTALE: see above.
 * moved: the kernel's node is one that a rename left.
 */
int view_open(struct op *op, struct handle *h, bool moved);
void view_close(struct fs *fs, struct handle *h);
/* Hold it again for a reader that released it and begins anew: 0 when it
 * does. */
int view_hold_again(struct op *op, struct handle *h);
/* True if readers hold it. */
bool view_is_read(struct fs *fs, struct node *n);
/* The same, and *c is set to what they see of it. */
bool view_shows(struct fs *fs, struct node *n, struct child *c);
/* True if it has writers. */
bool view_is_written(struct fs *fs, struct node *n);
/* Set the attributes of n for the kernel: those of its readers. */
void view_fill(struct fs *fs, struct node *n, struct child *c);
/*
 * Tell the kernel to drop its copies of n (bits: enum armed), changed by op (or
 * NULL). Returns the number of the last notice, or 0.
 */
uint64_t view_changed(struct fs *fs, struct op *op, struct node *n,
		      uint32_t bits);
/*
 * stat_lookup, of a LOOKUP: for a thread that was told to look again the node
 * is held, until it opens it.
 */
int view_look(struct op *op, struct node *dir, struct bytes name,
	      struct child *c, struct node **n);
/*
 * Handle a request for the attributes of n, a file that no longer exists, whose
 * caller may be about to open it or to make it: 0 where it is held for that;
 * -ESTALE: it shall look again; -ENOENT where it did.
 */
int view_missed(struct op *op, struct node *n);
/* Drop wishes that nobody came for. all: every one, at the end. */
void view_expire(struct fs *fs, int64_t now_s, bool all);
void view_version_free(struct fs *fs, struct version *v);
#endif
