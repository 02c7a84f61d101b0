#include "fs/notice.h"

#include <errno.h>
#include <time.h>

#include "fs/tree.h"
#include "store/base/alloc.h"

int notices_init(struct notices *q)
{
	pthread_condattr_t attr;

	memset(q, 0, sizeof(*q));
	mutex_init(&q->lock);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->more, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

void notices_release(struct notices *q)
{
	size_t i;

	for (i = 0; i < q->count; i++)
		mem_free(q->ring[(q->first + i) % q->cap].name);
	mem_free(q->ring);
	pthread_cond_destroy(&q->more);
	mutex_release(&q->lock);
}

static bool make_room(struct notices *q)
{
	size_t i, cap = q->cap ? q->cap * 2 : 64;
	struct fs_notice *ring;

	if (q->count < q->cap)
		return true;
	ring = mem_alloc(cap * sizeof(*ring));
	if (!ring)
		return false;
	for (i = 0; i < q->cap; i++)	/* it is full */
		ring[i] = q->ring[(q->first + i) % q->cap];
	mem_free(q->ring);
	q->ring = ring;
	q->cap = cap;
	q->first = 0;
	return true;
}

/*
 * Without memory for one notice the whole queue becomes one epoch, in the
 * place of its last entry: too much is dropped, never too little. Only pages
 * are not reached by that; they go when the file is opened next.
 */
static uint64_t add(struct notices *q, enum fs_notice_kind kind, uint64_t node,
		    struct bytes name, bool directory)
{
	struct fs_notice *n = NULL;
	char *copy = NULL;
	uint64_t number = 0;

	if (kind == FS_NOTICE_ENTRY) {
		copy = mem_copy(name.ptr, name.len);
		if (!copy)
			kind = FS_NOTICE_EPOCH;
	}
	mutex_lock(&q->lock);
	if (q->stopped) {
		mutex_unlock(&q->lock);
		mem_free(copy);
		return 0;
	}
	if (make_room(q)) {
		n = &q->ring[(q->first + q->count++) % q->cap];
	} else if (q->count) {
		n = &q->ring[(q->first + q->count - 1) % q->cap];
		mem_free(n->name);
		mem_free(copy);
		copy = NULL;
		kind = FS_NOTICE_EPOCH;
	}
	if (n) {
		number = ++q->number;
		*n = (struct fs_notice){ number, kind, node, copy, directory };
		if (q->count == 1)
			pthread_cond_signal(&q->more);
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
	/* Attributes first: a stale name then asks and learns the truth. */
	if (armed & ARMED_PAGES)
		last = add(q, FS_NOTICE_PAGES, n->id, BYTES_NULL, false);
	else if (armed & (ARMED_ATTRIBUTES | ARMED_OWNER))
		last = add(q, FS_NOTICE_ATTRIBUTES, n->id, BYTES_NULL, false);
	if ((armed & ARMED_NAME) && n->parent)
		last = add(q, FS_NOTICE_ENTRY, n->parent->id, node_name(n),
			   n->ops->directory);
	return last;
}

uint64_t notice_epoch(struct notices *q)
{
	return add(q, FS_NOTICE_EPOCH, 0, BYTES_NULL, false);
}

uint64_t notice_name(struct notices *q, struct node *parent, struct bytes name,
		     bool directory)
{
	return add(q, FS_NOTICE_ENTRY, parent->id, name, directory);
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

size_t fs_notices_take(struct fs *fs, struct fs_notice *out, size_t max,
		       int timeout_ms)
{
	struct notices *q = &fs->notices;
	struct timespec until;
	size_t taken = 0;

	deadline_in(&until, timeout_ms < 0 ? 0 : timeout_ms);
	mutex_lock(&q->lock);
	while (!q->count && !q->stopped) {
		if (timeout_ms < 0)
			pthread_cond_wait(&q->more, &q->lock.handle);
		else if (pthread_cond_timedwait(&q->more, &q->lock.handle,
						&until) == ETIMEDOUT)
			break;
	}
	while (!q->stopped && q->count && taken < max) {
		out[taken++] = q->ring[q->first];
		q->first = (q->first + 1) % q->cap;
		q->count--;
	}
	mutex_unlock(&q->lock);
	return taken;
}

void fs_notices_stop(struct fs *fs)
{
	struct notices *q = &fs->notices;

	mutex_lock(&q->lock);
	q->stopped = true;
	pthread_cond_broadcast(&q->more);
	mutex_unlock(&q->lock);
}
