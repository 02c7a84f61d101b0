#include "fs/node/notice.h"

#include <errno.h>
#include <time.h>

#include "fs/node/kernel_notice.h"
#include "fs/node/node.h"
#include "fs/node/kind.h"
#include "store/base/alloc.h"

#define SECOND 1000000000	/* in nanoseconds */

int notices_init(struct notices *q)
{
	pthread_condattr_t attr;
	size_t i;

	memset(q, 0, sizeof(*q));
	mutex_init(&q->lock);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	for (i = 0; i < FS_NOTICE_LOCKS; i++)
		pthread_cond_init(&q->rings[i].more, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

static struct fs_notice *at(struct notice_ring *r, size_t i)
{
	return &r->ring[(r->first + i) % r->cap];
}

void notices_release(struct notices *q)
{
	size_t i, j;

	for (i = 0; i < FS_NOTICE_LOCKS; i++) {
		struct notice_ring *r = &q->rings[i];

		for (j = 0; j < r->count; j++)
			mem_free(at(r, j)->name);
		mem_free(r->ring);
		pthread_cond_destroy(&r->more);
	}
	mutex_release(&q->lock);
}

static bool make_room(struct notice_ring *r)
{
	size_t i, cap = r->cap ? r->cap * 2 : 64;
	struct fs_notice *ring;

	if (r->count < r->cap)
		return true;
	ring = mem_alloc(cap * sizeof(*ring));
	if (!ring)
		return false;
	for (i = 0; i < r->cap; i++)	/* the ring is full */
		ring[i] = *at(r, i);
	mem_free(r->ring);
	r->ring = ring;
	r->cap = cap;
	r->first = 0;
	return true;
}

/*
 * Add a notice. Without memory for it, an epoch takes the place of the last
 * notice of the queue: the kernel then drops too many names, never too few. An
 * epoch does not drop pages, but the next open of the file does.
 */
static uint64_t add(struct notices *q, enum fs_notice_kind kind, uint64_t node,
		    struct bytes name, bool directory)
{
	struct notice_ring *r;
	struct fs_notice *n = NULL;
	char *copy = NULL;
	uint64_t number = 0;

	if (kind == FS_NOTICE_ENTRY) {
		copy = mem_copy(name.ptr, name.len);
		if (!copy)
			kind = FS_NOTICE_EPOCH;
	}
	r = &q->rings[kind == FS_NOTICE_ENTRY ? FS_NOTICES_NAMES :
						FS_NOTICES_INODES];
	mutex_lock(&q->lock);
	if (q->stopped) {
		mutex_unlock(&q->lock);
		mem_free(copy);
		return 0;
	}
	if (make_room(r)) {
		n = at(r, r->count++);
	} else if (r->count && kind != FS_NOTICE_PRUNE) {
		n = at(r, r->count - 1);
		mem_free(n->name);
		mem_free(copy);
		copy = NULL;
		kind = FS_NOTICE_EPOCH;
	}
	if (n) {
		number = ++q->number;
		*n = (struct fs_notice){ number, kind, node, copy, directory };
		if (r->count == 1)
			pthread_cond_signal(&r->more);
	} else {
		mem_free(copy);
	}
	mutex_unlock(&q->lock);
	return number;
}

uint64_t notice_node(struct notices *q, struct node *n, uint32_t bits)
{
	uint32_t armed = atomic_load(&n->armed);
	uint64_t last = 0;

	if (!(armed & bits))
		return 0;
	armed = atomic_fetch_and(&n->armed, ~bits) & bits;
	/* Attributes first: a lookup of a stale name then gets the truth. */
	if (armed & ARMED_PAGES)
		last = add(q, FS_NOTICE_PAGES, n->id, BYTES_NULL, false);
	else if (armed & (ARMED_ATTRIBUTES | ARMED_OWNER))
		last = add(q, FS_NOTICE_ATTRIBUTES, n->id, BYTES_NULL, false);
	if ((armed & ARMED_NAME) && n->parent)
		last = add(q, FS_NOTICE_ENTRY, n->parent->id, node_name(n),
			   n->ops->directory);
	return last;
}

static uint64_t first_pending(struct notice_ring *r)
{
	return r->sending ? r->sending :
	       r->count ? at(r, 0)->number : UINT64_MAX;
}

bool notices_are_sent(struct notices *q, uint64_t number)
{
	bool sent;

	if (!number || !atomic_load(&q->has_taker))
		return true;
	mutex_lock(&q->lock);
	sent = q->stopped ||
	       first_pending(&q->rings[FS_NOTICES_INODES]) > number;
	mutex_unlock(&q->lock);
	return sent;
}

uint64_t notice_epoch(struct notices *q)
{
	return add(q, FS_NOTICE_EPOCH, 0, BYTES_NULL, false);
}

void notice_prune(struct notices *q)
{
	add(q, FS_NOTICE_PRUNE, 0, BYTES_NULL, false);
}

uint64_t notice_name(struct notices *q, uint64_t parent, struct bytes name,
		     bool directory)
{
	return add(q, FS_NOTICE_ENTRY, parent, name, directory);
}

void notices_add(struct notices *q, const struct fs_notice *notice)
{
	add(q, notice->kind, notice->node,
	    notice->name ? bytes_str(notice->name) : BYTES_NULL,
	    notice->directory);
}

static void deadline_in(struct timespec *at, int timeout_ms)
{
	clock_gettime(CLOCK_MONOTONIC, at);
	at->tv_sec += timeout_ms / 1000;
	at->tv_nsec += (long)(timeout_ms % 1000) * 1000000;
	if (at->tv_nsec >= SECOND) {
		at->tv_nsec -= SECOND;
		at->tv_sec++;
	}
}

size_t notices_take(struct notices *q, enum fs_notice_lock lock,
		    struct fs_notice *out, size_t max, int timeout_ms)
{
	struct notice_ring *r = &q->rings[lock];
	struct timespec until;
	size_t taken = 0;

	deadline_in(&until, timeout_ms < 0 ? 0 : timeout_ms);
	mutex_lock(&q->lock);
	atomic_store(&q->has_taker, true);
	while (!r->count && !q->stopped) {
		if (timeout_ms < 0)
			pthread_cond_wait(&r->more, &q->lock.handle);
		else if (pthread_cond_timedwait(&r->more, &q->lock.handle,
						&until) == ETIMEDOUT)
			break;
	}
	while (!q->stopped && r->count && taken < max) {
		out[taken++] = *at(r, 0);
		r->first = (r->first + 1) % r->cap;
		r->count--;
	}
	r->sending = taken ? out[0].number : 0;
	mutex_unlock(&q->lock);
	return taken;
}

void notices_sent(struct notices *q, enum fs_notice_lock lock)
{
	mutex_lock(&q->lock);
	q->rings[lock].sending = 0;
	mutex_unlock(&q->lock);
}

size_t notices_waiting(struct notices *q, enum fs_notice_lock lock)
{
	size_t count;

	mutex_lock(&q->lock);
	count = q->rings[lock].count;
	mutex_unlock(&q->lock);
	return count;
}

void notices_pending(struct notices *q, uint64_t first[FS_NOTICE_LOCKS])
{
	size_t i;

	mutex_lock(&q->lock);
	for (i = 0; i < FS_NOTICE_LOCKS; i++)
		first[i] = first_pending(&q->rings[i]);
	mutex_unlock(&q->lock);
}

void notices_stop(struct notices *q)
{
	size_t i;

	mutex_lock(&q->lock);
	q->stopped = true;
	for (i = 0; i < FS_NOTICE_LOCKS; i++)
		pthread_cond_broadcast(&q->rings[i].more);
	mutex_unlock(&q->lock);
}
