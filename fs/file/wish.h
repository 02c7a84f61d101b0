/*
 * Wishes: view.h tells of them. A thread has one at most. Threads that cannot
 * be told apart (of another namespace) have one for each name.
 */
#ifndef FS_FILE_WISH_H
#define FS_FILE_WISH_H
#include "fs/op/op.h"

/* The call that was told to look again. */
enum wishes {
	WISHES_ANY,	/* it may open the file yet, either way */
	WISHES_TO_READ, WISHES_TO_WRITE,
};
struct wish {
	struct wish *next;
	pid_t thread;		/* 0: unknown */
	uid_t uid;		/* who holds */
	enum wishes call;
	bool looked;		/* since it was told */
	bool holds;		/* found: to read, or else as a writer does */
	bool asks;		/* the attributes of found come next, if at all */
	struct node *asked;	/* by which it was told: a reference */
	struct node *found;	/* by its look: a reference; or NULL */
	struct child child;	/* the attributes of found then; no value */
	int64_t since_s, until_s;
	struct charge charge;	/* of one node */
};

/* Remove the wish of op's thread from the list, and return it; or NULL. dir,
 * name: of the file that it came for. */
struct wish *wish_take(struct op *op, const struct node *dir,
		       struct bytes name);
/* Put it on the list. */
void wish_list(struct fs *fs, struct wish *w);
/* Add a wish of op's thread, which has none, by n. -ESTALE; -EBUSY: the user
 * has too many. */
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
