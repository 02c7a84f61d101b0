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
#ifndef FS_FILE_RETRY_H
#define FS_FILE_RETRY_H
#include "fs/op/op.h"

/* The wish of a call that was told to look again. */
enum retry_call {
	RETRY_ANY,	/* it may open the file yet, either way */
	RETRY_TO_READ, RETRY_TO_WRITE,
};
struct retry {
	struct retry *next;
	pid_t thread;
	uid_t uid;		/* the user who holds `found` */
	enum retry_call call;
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
bool retry_is_unknown(const struct op *op);
/* Note that an unknown caller is told to look again. */
void retry_note_unknown(struct op *op);
/* True if an unknown caller was told in the last minute. */
bool retry_unknown_are_recent(const struct op *op);
/* Mark the node that the look of an unknown caller found; for a minute it is
 * marked. Of a file under its stripe. */
void retry_mark(struct op *op, struct node *n);
bool retry_is_marked(const struct op *op, const struct node *n);
/* Remove the retry of op's thread from the list, and return it; or NULL. */
struct retry *retry_take(struct op *op);
/* Put it on the list. */
void retry_insert(struct fs *fs, struct retry *r);
/* Tell op to look again, and add a retry of its thread, which has none, by n.
 * -ESTALE; -EBUSY: it is not told, as the user has too many. */
int retry_add(struct op *op, struct node *n, enum retry_call call);
/* True if its look found n, or what n was before a rename. */
bool retry_found(const struct retry *r, const struct node *n);
/* Drop what it found, which is not held. */
void retry_drop_found(struct fs *fs, struct retry *r);
/* Free it: what it found is not held. */
void retry_free(struct fs *fs, struct retry *r);
/* Remove those that nobody comes for any more from the list, and return them.
 * all: every one. */
struct retry *retry_take_old(struct fs *fs, int64_t now_s, bool all);
#endif
