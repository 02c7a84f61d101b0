/*
 * Admit an open that does not fit those who hold the file (view.h), after a
 * second look.
 *
 * An open that does not fit, or finds the value removed, is answered ESTALE
 * once; so is a call by path that comes by a node that is gone. The thread is
 * noted as a retry (retry.h). The kernel then looks the whole path up again for
 * the same thread, and tries a second and last time. This try must not fail
 * because of others, whatever they do meanwhile and however long it takes: the
 * file that the look finds is held, as the open needs it that was refused, or,
 * if the call was no open, as a writer does; and an open of the node that the
 * look found is admitted. A further look drops what the retry held before, as
 * that open has not come and must not be answered later. For callers whose
 * thread is unknown see retry.h.
 *
 * Any thread; the stripe of a node's name is taken inside.
 */
#ifndef FS_FILE_VIEW_LOOK_H
#define FS_FILE_VIEW_LOOK_H
#include "fs/file/handle.h"

/*
 * Hold the handle's node for an open: 0, and h->hold says how (HOLD_NONE if
 * nothing else was possible: that reader has its own copy). -ESTALE: see above.
 * moved: the kernel's node is one that a rename left; h->moved is set.
 */
int view_open(struct op *op, struct handle *h, bool moved);
/*
 * Look up a name as stat_lookup does, for a LOOKUP: if the thread was told to
 * look again, a file's node is held until the thread opens it.
 */
int view_look(struct op *op, struct node *dir, struct bytes name,
	      struct child *c, struct node **n);
/*
 * Look *n up once more, so that an open which follows in the same call fits.
 * Returns as view_look.
 */
int view_look_to_open(struct op *op, struct node *dir, struct bytes name,
		      bool writer, struct child *c, struct node **n);
/* Hold the file *n, which is being made, so that an open to write which follows
 * in the same call fits. *n may become another node of the name. */
void view_hold_new(struct op *op, struct node **n);
/* True if this request for the attributes of n is the first since its thread,
 * which was told to look again, has found it: it is of the same call. */
bool view_asks(struct op *op, struct node *n);
/*
 * Answer a request for the attributes of n, which no longer exists, whose
 * caller may be about to open it or to make it. At its second try 0, with *c:
 * as the look found it, if this is the first request (view_asks), else as the
 * name is now. -ESTALE: it shall look again; -ENOENT: it did, and the name is
 * missing.
 */
int view_missed(struct op *op, struct node *n, bool first,
		struct child *c);
/* Return what to answer to a call by dir (or a file), whose table is gone:
 * -ESTALE, or -ENOENT if the caller has looked again. */
int view_lost(struct op *op, struct node *dir);
/* Drop retries that nobody came for. all: every one, at the end. */
void view_expire(struct fs *fs, int64_t now_s, bool all);
#endif
