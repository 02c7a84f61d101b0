/*
 * Wishes: the list of threads that were told to look again, see view_look.h. A
 * thread has at most one.
 *
 * Callers whose thread is unknown (the pid namespace of the mount does not see
 * them) cannot be told apart, and have none. In the minute after one of them
 * was told to look again, each look of theirs may be its look, and marks the
 * node that it finds: a call by a marked node is not told to look again. So
 * that it can be let in, a marked file has writers only: it had no readers when
 * it was marked, and gets none. An unknown reader can always be let in, with a
 * copy.
 */
#ifndef FS_FILE_WISH_H
#define FS_FILE_WISH_H
#include "fs/op/op.h"

/* What the call wants that was told to look again. */
enum wishes {
	WISHES_ANY,	/* it may open the file yet, either way */
	WISHES_TO_READ, WISHES_TO_WRITE,
};
struct wish {
	struct wish *next;
	pid_t thread;
	uid_t uid;		/* the user who holds `found` */
	enum wishes call;
	bool looked;		/* since it was told */
	bool holds;		/* found: to read, or else as a writer does */
	bool asks;		/* a request for found's attributes may follow */
	struct node *asked;	/* by which it was told: a reference */
	struct node *found;	/* by its look: a reference; or NULL */
	struct child child;	/* the attributes of found then; no value */
	int64_t since_s;
	struct charge charge;	/* of one node */
};

/* True if the thread of the caller is unknown. */
bool wish_is_unknown(const struct op *op);
/* Note that an unknown caller is told to look again. */
void wish_tell_unknown(struct op *op);
/* True if an unknown caller was told in the last minute. */
bool wish_unknown_are_told(const struct op *op);
/* Mark the node that the look of an unknown caller found; for a minute it is
 * marked. Of a file under its stripe. */
void wish_mark(struct op *op, struct node *n);
bool wish_is_marked(const struct op *op, const struct node *n);
/* Remove the wish of op's thread from the list, and return it; or NULL. */
struct wish *wish_take(struct op *op);
/* Put it on the list. */
void wish_list(struct fs *fs, struct wish *w);
/* Tell op to look again, and add a wish of its thread, which has none, by n.
 * -ESTALE; -EBUSY: it is not told, as the user has too many. */
int wish_add(struct op *op, struct node *n, enum wishes call);
/* True if its look found n, or what n was before a rename. */
bool wish_found(const struct wish *w, const struct node *n);
/* Drop what it found, which is not held. */
void wish_lose(struct fs *fs, struct wish *w);
/* Free it: what it found is not held. */
void wish_free(struct fs *fs, struct wish *w);
/* Remove those that nobody comes for any more from the list, and return them.
 * all: every one. */
struct wish *wish_take_old(struct fs *fs, int64_t now_s, bool all);
#endif
