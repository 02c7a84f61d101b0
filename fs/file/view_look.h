/*
 * Let in what does not fit those who hold a file (view.h), at its second look.
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
 * Any thread; the stripe of a node's name is taken inside.
 */
#ifndef FS_FILE_VIEW_LOOK_H
#define FS_FILE_VIEW_LOOK_H
#include "fs/file/handle.h"

/*
 * Hold the handle's node for an open: 0, and h->hold says how (not at all where
 * nothing else was possible: that reader has its own copy). -ESTALE: see above.
 * moved: the kernel's node is one that a rename left; h->moved is set.
 */
int view_open(struct op *op, struct handle *h, bool moved);
/*
 * stat_lookup, of a LOOKUP: for a thread that was told to look again a file's
 * node is held, until it opens it.
 */
int view_look(struct op *op, struct node *dir, struct bytes name,
	      struct child *c, struct node **n);
/*
 * Look *n up once more, for an open that follows in the same call: it will
 * fit. As view_look.
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
 * caller may be about to open it or to make it. 0, with *c: it is its second
 * try; as the look found it, if this is the first request (view_asks), else as
 * the name is now. -ESTALE: it shall look again; -ENOENT: it did, and the name
 * is missing.
 */
int view_missed(struct op *op, struct node *n, bool first,
		struct child *c);
/* Return what to answer to a call by dir (or a file), whose table is gone:
 * -ESTALE, or -ENOENT if the caller has looked again. */
int view_lost(struct op *op, struct node *dir);
/* Drop wishes that nobody came for. all: every one, at the end. */
void view_expire(struct fs *fs, int64_t now_s, bool all);
#endif
