#include "fs/node/lock_ranges.h"

#include <errno.h>

#include "store/base/alloc.h"

static bool overlaps(const struct fs_lock *a, const struct fs_lock *b)
{
	return a->start <= b->end && b->start <= a->end;
}

const struct lock *lock_find_excluding(const struct lock *l,
				       const struct fs_lock *lock)
{
	for (; l; l = l->next)
		if (l->is.owner != lock->owner && overlaps(&l->is, lock) &&
		    (l->is.type == FS_LOCK_WRITE ||
		     lock->type == FS_LOCK_WRITE))
			return l;
	return NULL;
}

static void lock_free(struct accounts *accounts, struct lock *l)
{
	if (l)
		charge_end(accounts, &l->charge);
	mem_free(l);
}

static struct lock *lock_new(struct accounts *accounts, uid_t uid)
{
	struct lock *l = mem_zalloc(1, sizeof(*l));

	if (!l || charge_set(accounts, &l->charge, RESOURCE_LOCKS, uid, 1)) {
		mem_free(l);
		return NULL;
	}
	return l;
}

/* True if it splits a lock of its owner, of another type, which goes on at both
 * sides of it. */
static bool splits(const struct lock *l, const struct fs_lock *lock)
{
	for (; l; l = l->next)
		if (l->is.owner == lock->owner && l->is.type != lock->type &&
		    l->is.start < lock->start && l->is.end > lock->end)
			return true;
	return false;
}

/* Cut the range of `lock` out of l. If l goes on at both sides, its right part
 * is *right, which becomes NULL. True: nothing is left of l. */
static bool cut_out(struct lock *l, const struct fs_lock *lock,
		    struct lock **right)
{
	if (l->is.start < lock->start && l->is.end > lock->end) {
		(*right)->is = l->is;
		(*right)->by = l->by;
		(*right)->is.start = lock->end + 1;
		(*right)->next = l->next;
		l->next = *right;
		*right = NULL;
		l->is.end = lock->start - 1;
	} else if (l->is.start < lock->start) {
		l->is.end = lock->start - 1;
	} else if (l->is.end > lock->end) {
		l->is.start = lock->end + 1;
	} else {
		return true;
	}
	return false;
}

/* Cut its range out of the owner's locks of another type (right: a spare lock
 * for cut_out). Those of its type that touch it become part of it. */
static void make_room(struct lock **at, struct accounts *accounts,
		      struct fs_lock *lock, struct lock **right)
{
	struct lock *l;
	bool goes;

	while ((l = *at)) {
		goes = false;
		if (l->is.owner != lock->owner) {
			/* another's */
		} else if (l->is.type == lock->type) {
			goes = l->is.start <= lock->end + 1 &&
			       lock->start <= l->is.end + 1;
			if (goes && l->is.start < lock->start)
				lock->start = l->is.start;
			if (goes && l->is.end > lock->end)
				lock->end = l->is.end;
		} else if (overlaps(&l->is, lock)) {
			goes = cut_out(l, lock, right);
		}
		if (goes) {
			*at = l->next;
			lock_free(accounts, l);
		} else {
			at = &l->next;
		}
	}
}

int lock_set(struct lock **held, struct accounts *accounts,
	     const struct fs_lock *wanted, const void *by, uid_t uid)
{
	struct lock *fresh = NULL, *right = NULL;
	bool cuts = splits(*held, wanted);
	struct fs_lock lock = *wanted;

	if (lock.type != FS_LOCK_NONE && !(fresh = lock_new(accounts, uid)))
		return -ENOLCK;
	if (cuts && !(right = lock_new(accounts, uid))) {
		lock_free(accounts, fresh);
		return -ENOLCK;
	}
	make_room(held, accounts, &lock, &right);
	lock_free(accounts, right);
	if (!fresh)
		return 0;
	fresh->is = lock;
	fresh->by = by;
	fresh->next = *held;
	*held = fresh;
	return 0;
}

void lock_drop_owner(struct lock **at, struct accounts *accounts,
		     uint64_t owner)
{
	struct lock *l;

	while ((l = *at)) {
		if (l->is.owner != owner) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		lock_free(accounts, l);
	}
}
