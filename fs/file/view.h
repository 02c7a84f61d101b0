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
 * once; so is a call by path that comes by what is gone. The kernel then looks
 * the whole path up again, on behalf of the same thread, which has left its
 * wish (wish.h), and tries a second and last time. That must not fail because
 * of others, whatever they do meanwhile and however long it takes: the file
 * that the look finds is held, for an open of the kind that was told, or as a
 * writer does where the call was not an open yet; and an open by what the look
 * found is let in. A further look drops what the wish held before: an open that
 * never came must not be answered later. wish.h has what holds for callers whose
 * thread is unknown.
 *
 * Any thread; all calls but view_applies take the stripe of the node's name.
 */
#ifndef FS_FILE_VIEW_H
#define FS_FILE_VIEW_H
#include "fs/file/handle.h"

/* The value as the readers of a node see it. */
struct view_version {
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
 * moved: the kernel's node is one that a rename left; h->moved is set.
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
/* Set the attributes of n for the kernel: those of its readers. True if it has
 * writers. */
bool view_fill(struct fs *fs, struct node *n, struct child *c);
/*
 * Tell the kernel to drop its copies of n (bits: enum armed), changed by op (or
 * NULL). Returns the number of the last notice, or 0.
 */
uint64_t view_changed(struct fs *fs, struct op *op, struct node *n,
		      uint32_t bits);
/*
 * stat_lookup, of a LOOKUP: for a thread that was told to look again a file's
 * node is held, until it opens it.
 */
int view_look(struct op *op, struct node *dir, struct bytes name,
	      struct child *c, struct node **n);
/*
 * Look *n up once more, for an open that follows in the same call: it will
 * fit.
 * As view_look.
 */
int view_look_to_open(struct op *op, struct node *dir, struct bytes name,
		      bool writer, struct child *c, struct node **n);
/* The file *n is being made, for an open to write that follows in the same call:
 * it will fit. *n may become another node of the name. */
void view_hold_new(struct op *op, struct node **n);
/* True if this request for the attributes of n is the first since its thread,
 * which was told to look again, has found it: it is of the same call. */
bool view_asks(struct op *op, struct node *n);
/*
 * Handle a request for the attributes of n, which no longer exists, whose
 * caller may be about to open it or to make it. 0, with *c: it is its second try; as the look found it, if this is the first
 * request (view_asks), else as the name is now. -ESTALE: it shall look again;
 * -ENOENT: it did, and the name is missing.
 */
int view_missed(struct op *op, struct node *n, bool first,
		struct child *c);
/* Return what to answer to a call by dir (or a file), whose table is gone: -ESTALE, or
 * -ENOENT if the caller has looked again. */
int view_lost(struct op *op, struct node *dir);
/* Drop wishes that nobody came for. all: every one, at the end. */
void view_expire(struct fs *fs, int64_t now_s, bool all);
void view_version_free(struct fs *fs, struct view_version *v);
#endif
