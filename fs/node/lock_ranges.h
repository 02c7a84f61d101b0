/*
 * The locks that a file has, of one sort (of flock or of fcntl): a list of
 * ranges, in no order. An owner's ranges do not overlap, and those of one type
 * do not touch. A lock of flock is a range of all bytes.
 *
 * All calls under the lock of the table (locks.h).
 */
#ifndef FS_NODE_LOCK_RANGES_H
#define FS_NODE_LOCK_RANGES_H
#include "fs/node/account.h"
#include "fs/node/call.h"

struct lock {
	struct lock *next;
	struct fs_lock is;
	const void *by;			/* the open file that set it last */
	struct charge charge;
};

/* Return the first lock of the list l that excludes this one, or NULL. To go
 * on, search in the list after it. */
const struct lock *lock_find_excluding(const struct lock *l,
				       const struct fs_lock *lock);
/* Set a lock that nothing excludes, or drop its range (FS_LOCK_NONE), for the
 * open file `by` and at the cost of uid. 0, or -ENOLCK: too many, or no
 * memory. */
int lock_set(struct lock **held, struct accounts *accounts,
	     const struct fs_lock *wanted, const void *by, uid_t uid);
/* Drop all locks of that owner. */
void lock_drop_owner(struct lock **at, struct accounts *accounts,
		     uint64_t owner);
#endif
