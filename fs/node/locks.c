#include "fs/node/locks.h"

#include <errno.h>
#include <string.h>

#include "fs/node/account.h"
#include "fs/node/lock_ranges.h"
#include "fs/node/node.h"
#include "store/base/alloc.h"

struct lock_file {
	uint64_t path;			/* of its name; see locks_path */
	bool named;
	struct node *node;		/* at that path: a reference */
	unsigned users;
	/* Those of fcntl, those of flock. An owner's ranges do not overlap, and
	 * those of one type do not touch. */
	struct lock *held[2];
	unsigned waiters;
	struct lock_file *next;		/* of its hash */
};

struct lock_wait {
	struct lock_wait *next;
	struct lock_file *file;
	struct fs_lock wants;
	const void *by;
	uid_t uid;
	void *waiter;
	int err;			/* its answer */
	struct charge charge;
	bool seen;			/* by the present search for a cycle */
	struct lock_wait *next_seen;
};

/* How many locks a search for waiters that wait for each other looks at. */
#define SEARCH_MAX 100000

void locks_init(struct locks *t, struct node_table *nodes,
		struct accounts *accounts,
		void (*done)(void *waiter, int err))
{
	memset(t, 0, sizeof(*t));
	t->nodes = nodes;
	t->accounts = accounts;
	t->done = done;
	t->last_wait = &t->waits;
	mutex_init(&t->lock);
}

void locks_release(struct locks *t)
{
	mutex_release(&t->lock);
}

/* ------------------------------------------------------------------- files */
/* True if n, or a directory above it, has another path than when it was made. */
static bool was_moved(const struct node *n)
{
	for (; n; n = n->parent)
		if (atomic_load(&n->forward))
			return true;
	return false;
}

uint64_t locks_path(struct node *n)
{
	uint64_t above;

	if (!was_moved(n))
		return n->ino;
	n = node_now(n);
	if (!n->parent)
		return n->ino;
	above = locks_path(n->parent);
	return above == n->parent->ino ? n->ino :
					 node_ino(above, node_name(n));
}

static struct lock_file **find_file(struct locks *t, uint64_t path)
	REQUIRES(&t->lock)
{
	struct lock_file **at = &t->files[path % LOCK_HASH];

	while (*at && (*at)->path != path)
		at = &(*at)->next;
	return at;
}

static void remove_name(struct locks *t, struct lock_file *f) REQUIRES(&t->lock)
{
	struct lock_file **at = &t->files[f->path % LOCK_HASH];

	if (!f->named)
		return;
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	f->named = false;
}

/* Give f the path as its name; another file that had it loses it. */
static void set_name(struct locks *t, struct lock_file *f, uint64_t path)
	REQUIRES(&t->lock)
{
	struct lock_file **at = find_file(t, path);

	if (*at)
		remove_name(t, *at);
	at = &t->files[path % LOCK_HASH];
	f->path = path;
	f->named = true;
	f->next = *at;
	*at = f;
}

static uint64_t known_bit(const struct lock_file *f)
{
	return UINT64_C(1) << (f->path % 64);
}

static uint64_t *known_word(struct locks *t, const struct lock_file *f)
{
	return &t->known[f->path % LOCK_KNOWN / 64];
}

struct lock_file *locks_open(struct locks *t, struct node *n, bool *known)
{
	uint64_t path = locks_path(n);
	struct lock_file *f;

	mutex_lock(&t->lock);
	f = *find_file(t, path);
	if (!f && (f = mem_zalloc(1, sizeof(*f)))) {
		f->node = node_get(node_now(n));
		set_name(t, f, path);
	}
	if (f)
		f->users++;
	*known = f && (f->held[0] || (*known_word(t, f) & known_bit(f)));
	mutex_unlock(&t->lock);
	return f;
}

void locks_move(struct locks *t, uint64_t from, struct node *n)
{
	uint64_t to = locks_path(n);
	struct node *now = node_now(n), *before = NULL;
	struct lock_file *f, *replaced;

	if (from == to)
		return;
	mutex_lock(&t->lock);
	replaced = *find_file(t, to);
	if (replaced)
		remove_name(t, replaced);
	f = *find_file(t, from);
	if (f) {
		remove_name(t, f);
		set_name(t, f, to);
		if (f->held[0])
			*known_word(t, f) |= known_bit(f);
		before = f->node;
		f->node = node_get(now);
	}
	mutex_unlock(&t->lock);
	node_put(t->nodes, before);
}

void locks_move_below(struct locks *t)
{
	struct lock_file *moved = NULL, *f, *next;
	size_t i;

	mutex_lock(&t->lock);
	for (i = 0; i < LOCK_HASH; i++)
		for (f = t->files[i]; f; f = next) {
			next = f->next;
			if (locks_path(f->node) == f->path)
				continue;
			remove_name(t, f);
			f->next = moved;
			moved = f;
		}
	for (; moved; moved = next) {
		next = moved->next;
		set_name(t, moved, locks_path(moved->node));
		if (moved->held[0])
			*known_word(t, moved) |= known_bit(moved);
	}
	mutex_unlock(&t->lock);
}

void locks_remove(struct locks *t, struct node *n)
{
	uint64_t path = locks_path(n);
	struct lock_file *f;

	mutex_lock(&t->lock);
	f = *find_file(t, path);
	if (f)
		remove_name(t, f);
	mutex_unlock(&t->lock);
}

/* ----------------------------------------------------------------- waiters */
static bool is_excluded(const struct lock_file *f, const struct fs_lock *lock)
{
	return lock->type != FS_LOCK_NONE &&
	       lock_find_excluding(f->held[lock->flock], lock);
}

/* Set a lock that nothing excludes, or drop one. 0 or -ENOLCK. */
static int apply(struct locks *t, struct lock_file *f,
		 const struct fs_lock *lock, const void *by, uid_t uid)
	REQUIRES(&t->lock)
{
	int err = lock_set(&f->held[lock->flock], t->accounts, lock, by, uid);

	if (!err && !lock->flock && lock->type != FS_LOCK_NONE)
		*known_word(t, f) |= known_bit(f);
	return err;
}

/* Move *at from the waiters to the list of ended ones, for answer_all. */
static void end_wait(struct locks *t, struct lock_wait **at, int err,
		     struct lock_wait **ended) REQUIRES(&t->lock)
{
	struct lock_wait *w = *at;

	*at = w->next;
	if (t->last_wait == &w->next)
		t->last_wait = at;
	w->file->waiters--;
	w->err = err;
	w->next = *ended;
	*ended = w;
}

static void answer_all(struct locks *t, struct lock_wait *ended)
{
	struct lock_wait *next;

	for (; ended; ended = next) {
		next = ended->next;
		charge_end(t->accounts, &ended->charge);
		t->done(ended->waiter, ended->err);
		mem_free(ended);
	}
}

/* Set the locks that are waited for and that nothing excludes any more, in the
 * order they came. A lock may replace a stronger one of its owner: so look
 * again after each. */
static void wake(struct locks *t, struct lock_file *f,
		 struct lock_wait **ended) REQUIRES(&t->lock)
{
	bool again = f->waiters;

	while (again) {
		struct lock_wait **at = &t->waits, *w;

		again = false;
		while ((w = *at)) {
			if (w->file != f || is_excluded(f, &w->wants)) {
				at = &w->next;
				continue;
			}
			again = true;
			charge_end(t->accounts, &w->charge);
			end_wait(t, at, apply(t, f, &w->wants, w->by, w->uid),
				 ended);
		}
	}
}

/* Find the holders of locks that exclude this one. True: `owner` is one of
 * them. Else add those that wait themselves to the list `found`, once each. */
static bool waits_for(struct locks *t, const struct lock_file *f,
		      const struct fs_lock *wants, uint64_t owner,
		      struct lock_wait **found, unsigned *looks)
	REQUIRES(&t->lock)
{
	const struct lock *l = lock_find_excluding(f->held[wants->flock], wants);
	struct lock_wait *w;

	for (; l && *looks < SEARCH_MAX;
	     l = lock_find_excluding(l->next, wants)) {
		if (l->is.owner == owner)
			return true;
		++*looks;
		for (w = t->waits; w; w = w->next) {
			++*looks;
			if (w->seen || w->wants.flock ||
			    w->wants.owner != l->is.owner)
				continue;
			w->seen = true;
			w->next_seen = *found;
			*found = w;
		}
	}
	return false;
}

/* True if a waiter for this lock would wait for itself: an owner that excludes
 * it waits, perhaps through others, for a lock of the same owner. */
static bool closes_cycle(struct locks *t, const struct lock_file *f,
			 const struct fs_lock *lock) REQUIRES(&t->lock)
{
	struct lock_wait *found = NULL, *w;
	unsigned looks = 0;
	bool cycle;

	for (w = t->waits; w; w = w->next)
		w->seen = false;
	cycle = waits_for(t, f, lock, lock->owner, &found, &looks);
	while (!cycle && (w = found)) {
		found = w->next_seen;
		cycle = waits_for(t, w->file, &w->wants, lock->owner, &found,
				  &looks);
	}
	return cycle;
}

static int begin_wait(struct locks *t, const struct lock_wait *like)
	REQUIRES(&t->lock)
{
	struct lock_wait *w = mem_alloc(sizeof(*w));

	if (!w)
		return -ENOLCK;
	*w = *like;
	if (charge_set(t->accounts, &w->charge, RESOURCE_LOCKS, w->uid, 1)) {
		mem_free(w);
		return -ENOLCK;
	}
	w->file->waiters++;
	*t->last_wait = w;
	t->last_wait = &w->next;
	return LOCKS_WAITS;
}

int locks_set(struct locks *t, struct lock_file *f, const struct fs_lock *lock,
	      const void *by, uid_t uid, void *waiter,
	      bool (*interrupted)(void *waiter))
{
	struct lock_wait like = { .file = f, .wants = *lock, .by = by,
				  .uid = uid, .waiter = waiter };
	struct lock_wait *ended = NULL;
	struct fs_lock none = *lock;
	int err;

	mutex_lock(&t->lock);
	/* flock gives up the lock that it has before it gets one of another
	 * type, as on all filesystems. */
	if (lock->flock && is_excluded(f, lock)) {
		none.type = FS_LOCK_NONE;
		apply(t, f, &none, by, uid);
	}
	if (!is_excluded(f, lock))
		err = apply(t, f, lock, by, uid);
	else if (!waiter)
		err = -EAGAIN;
	else if (t->stopped)
		err = -ENOLCK;
	else if (!lock->flock && closes_cycle(t, f, lock))
		err = -EDEADLK;
	else if (interrupted && interrupted(waiter))
		err = -EINTR;
	else
		err = begin_wait(t, &like);
	wake(t, f, &ended);
	mutex_unlock(&t->lock);
	answer_all(t, ended);
	return err;
}

void locks_test(struct locks *t, struct lock_file *f, struct fs_lock *lock)
{
	const struct lock *l;

	mutex_lock(&t->lock);
	l = lock_find_excluding(f->held[lock->flock], lock);
	if (l)
		*lock = l->is;
	else
		lock->type = FS_LOCK_NONE;
	mutex_unlock(&t->lock);
}

void locks_drop(struct locks *t, struct lock_file *f, uint64_t owner)
{
	struct lock_wait *ended = NULL;

	mutex_lock(&t->lock);
	if (f->held[0]) {
		lock_drop_owner(&f->held[0], t->accounts, owner);
		wake(t, f, &ended);
	}
	mutex_unlock(&t->lock);
	answer_all(t, ended);
}

void locks_close(struct locks *t, struct lock_file *f, const void *by)
{
	struct lock_wait *ended = NULL;
	struct node *node = NULL;
	struct lock *l;
	int flock;

	if (!f)
		return;
	mutex_lock(&t->lock);
	for (flock = 0; flock < 2; flock++) {
		l = f->held[flock];
		while (l) {
			if (l->by != by) {
				l = l->next;
				continue;
			}
			lock_drop_owner(&f->held[flock], t->accounts,
					l->is.owner);
			l = f->held[flock];
		}
	}
	wake(t, f, &ended);
	if (!--f->users) {
		remove_name(t, f);
		node = f->node;
		mem_free(f);
	}
	mutex_unlock(&t->lock);
	answer_all(t, ended);
	node_put(t->nodes, node);
}

void locks_interrupt(struct locks *t, void *waiter)
{
	struct lock_wait **at = &t->waits, *ended = NULL;

	mutex_lock(&t->lock);
	while (*at && (*at)->waiter != waiter)
		at = &(*at)->next;
	if (*at)
		end_wait(t, at, -EINTR, &ended);
	mutex_unlock(&t->lock);
	answer_all(t, ended);
}

void locks_stop(struct locks *t)
{
	struct lock_wait *ended = NULL;

	mutex_lock(&t->lock);
	t->stopped = true;
	while (t->waits)
		end_wait(t, &t->waits, -ENOLCK, &ended);
	mutex_unlock(&t->lock);
	answer_all(t, ended);
}
