/*
 * Locks of files: those of flock, and those of fcntl, which are of ranges of
 * bytes. The kernel would keep them by node, but a name may have several nodes
 * (file/view.h). So they are kept here, by what is open: a lock_file is a file
 * as long as somebody has it open, whatever nodes show it. A rename takes it
 * along; one that is removed or replaced keeps its locks, and the name gets
 * another.
 *
 * A lock has an owner, a number of the kernel's: a process, or an open file (of
 * flock, and of fcntl's F_OFD_SETLK, which are not told from a process's). Who
 * has to wait holds no thread: `done` tells when the lock is his. Waiters of
 * ranges that wait for each other are found, unless very many locks are on the
 * way.
 *
 * Any thread. The lock is a leaf above that of the accounts; `done` is called
 * without it.
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

#define LOCK_HASH 1024		/* a power of 2 */
#define LOCK_KNOWN 65536	/* the same */

struct locks {
	struct node_table *nodes;
	struct accounts *accounts;
	/* Tells a waiter that he has his lock (0), or why he gets none. */
	void (*done)(void *waiter, int err);
	struct mutex lock;		/* of all below, and all files */
	struct lock_file *files[LOCK_HASH];	/* that have a name */
	struct lock_wait *waits, **last_wait;	/* in the order they came */
	bool stopped;
	/* Bits of the numbers of files that had locks of ranges. */
	uint64_t known[LOCK_KNOWN / 64];
};

void locks_init(struct locks *t, struct node_table *nodes,
		struct accounts *accounts,
		void (*done)(void *waiter, int err));
/* All files are closed. */
void locks_release(struct locks *t);
/* End all waits with -ENOLCK; nobody waits from now on. */
void locks_stop(struct locks *t);

/* Return the file that n shows, until locks_close; NULL without memory. */
struct lock_file *locks_open(struct locks *t, struct node *n);
/* The open file `by` is closed: the locks of all owners that set one by it
 * go. f: NULL is accepted. */
void locks_close(struct locks *t, struct lock_file *f, const void *by);
/* True if it has, or its name may have had, locks of ranges: closing a
 * descriptor of it then drops those of the process. */
bool locks_are_known(struct locks *t, const struct lock_file *f);

/* Return the number of the path that leads to n now: before it is renamed. */
uint64_t locks_path(struct node *n);
/* The file of that number is at n's path now. What was there has no name. */
void locks_move(struct locks *t, uint64_t from, struct node *n);
/* A directory was renamed, and the files below it. */
void locks_move_below(struct locks *t);
/* The file at n's path is being removed. */
void locks_remove(struct locks *t, struct node *n);

#define LOCKS_WAITS 1
/*
 * Set a lock, or drop it, for the open file `by` and at the cost of uid. 0;
 * -ENOLCK: too many, or no memory; and if another holds one that excludes it:
 * without a waiter -EAGAIN; else -EDEADLK: that one waits for this owner;
 * -EINTR: `interrupted` says so of the waiter (it must not call this table);
 * LOCKS_WAITS: done(waiter, …) follows, or has come already.
 */
int locks_set(struct locks *t, struct lock_file *f, const struct fs_lock *lock,
	      const void *by, uid_t uid, void *waiter,
	      bool (*interrupted)(void *waiter));
/* Set *lock to one that excludes it, or its type to none. */
void locks_test(struct locks *t, struct lock_file *f, struct fs_lock *lock);
/* Drop all locks of ranges of that owner. */
void locks_drop(struct locks *t, struct lock_file *f, uint64_t owner);
/* End his wait with -EINTR, if he waits. */
void locks_interrupt(struct locks *t, void *waiter);
#endif
