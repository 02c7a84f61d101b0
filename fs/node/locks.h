/*
 * Locks of files: those of flock, and those of fcntl, which are of ranges of
 * bytes. The kernel would keep them by node, but a name may have several nodes
 * (file/view.h). So they are kept here, by what is open: a lock_file is a file
 * as long as somebody has it open, whatever nodes show it. A rename takes it
 * along; one that is removed or replaced keeps its locks, and the name gets
 * another.
 *
 * A lock has an owner, a number of the kernel's: a process, or an open file (of
 * flock, and of fcntl's F_OFD_SETLK, which cannot be told from a process). A
 * waiter blocks no thread: `done` is called when it has its lock. A wait for a
 * range is refused if its waiters would wait for each other, unless the search
 * for that would have to look at very many locks.
 *
 * Any thread. Under the table's lock only that of the accounts is taken; `done`
 * is called without it.
 */
#ifndef FS_NODE_LOCKS_H
#define FS_NODE_LOCKS_H
#include "fs/node/call.h"
#include "store/base/lock.h"

struct accounts;
struct lock_file;
struct lock_wait;
struct node;
struct node_table;

#define LOCK_HASH 1024		/* chains of files; a power of 2 */
#define LOCK_KNOWN 65536	/* bits; a power of 2 */

struct locks {
	struct node_table *nodes;
	struct accounts *accounts;
	/* Tell a waiter that it has its lock (0), or why it gets none. */
	void (*done)(void *waiter, int err);
	struct mutex lock;		/* of all below, and all files */
	struct lock_file *files[LOCK_HASH];	/* that have a name */
	struct lock_wait *waits, **last_wait;	/* in the order they came */
	bool stopped;
	/* A set of hashes of the paths that had locks of ranges: never less. */
	uint64_t known[LOCK_KNOWN / 64];
};

/* Make an empty table, which uses the nodes, the accounts and done until its
 * release. */
void locks_init(struct locks *t, struct node_table *nodes,
		struct accounts *accounts,
		void (*done)(void *waiter, int err));
/* Release the table, of which all files are closed. */
void locks_release(struct locks *t);
/* End all waits with -ENOLCK; nobody waits from now on. */
void locks_stop(struct locks *t);

/* Return the file that n shows, until locks_close; NULL without memory. *known:
 * it has, or its path may have had, locks of ranges. Then each close of a
 * descriptor must drop those of its process (locks_drop). */
struct lock_file *locks_open(struct locks *t, struct node *n, bool *known);
/* Close f for the open file `by`: drop all locks of each owner that set one
 * through it. f: NULL is accepted. */
void locks_close(struct locks *t, struct lock_file *f, const void *by);

/* Return the number of the path that leads to n now. */
uint64_t locks_path(struct node *n);
/* Note that the file at the path `from` (of locks_path, before the rename) has
 * n's path now. A file that was there loses its name. */
void locks_move(struct locks *t, uint64_t from, struct node *n);
/* Give the files below renamed directories their new paths. */
void locks_move_below(struct locks *t);
/* Take the name from the file at n's path, which is being removed. */
void locks_remove(struct locks *t, struct node *n);

#define LOCKS_WAITS 1
/*
 * Set a lock, or drop it, for the open file `by` and at the cost of uid.
 * Returns 0, or -ENOLCK: too many, or no memory. If another owner's lock
 * excludes it: -EAGAIN without a waiter, -EDEADLK if that owner waits for this
 * one, -EINTR if `interrupted` (which must not call this table) is true of the
 * waiter, else LOCKS_WAITS: done(waiter, …) is called later, or was called
 * already.
 */
int locks_set(struct locks *t, struct lock_file *f, const struct fs_lock *lock,
	      const void *by, uid_t uid, void *waiter,
	      bool (*interrupted)(void *waiter));
/* Set *lock to a held lock that excludes it, or its type to FS_LOCK_NONE. */
void locks_test(struct locks *t, struct lock_file *f, struct fs_lock *lock);
/* Drop all locks of ranges of that owner. */
void locks_drop(struct locks *t, struct lock_file *f, uint64_t owner);
/* End the waiter's wait with -EINTR, if it waits. */
void locks_interrupt(struct locks *t, void *waiter);
#endif
