/*
 * Drop expired data from the kernel's caches: timeouts do it for names and
 * attributes; notices for listings and pages are sent from here. A heap of
 * (second, node) holds no references: a node that was freed needs no notice.
 */
#include "fs/node/timer.h"

#include "fs/node/node.h"
#include "store/base/alloc.h"

struct timer_entry {
	int64_t at_s;
	uint64_t node;
};

void timers_init(struct timers *t)
{
	mutex_init(&t->lock);
}

static void swap(struct timer_entry *a, struct timer_entry *b)
{
	struct timer_entry t = *a;

	*a = *b;
	*b = t;
}

void timer_add(struct timers *t, struct node *n, int64_t at_s)
{
	int64_t before = atomic_load(&n->timer_s);
	struct timer_entry *more;
	size_t i;

	if (before && before <= at_s)
		return;
	atomic_store(&n->timer_s, at_s);
	mutex_lock(&t->lock);
	if (t->count == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 64;

		more = mem_resize(t->heap, cap, sizeof(*more));
		if (!more) {	/* the kernel asks again after a day */
			mutex_unlock(&t->lock);
			return;
		}
		t->heap = more;
		t->cap = cap;
	}
	i = t->count++;
	t->heap[i] = (struct timer_entry){ at_s, n->id };
	for (; i && t->heap[(i - 1) / 2].at_s > t->heap[i].at_s;
	     i = (i - 1) / 2)
		swap(&t->heap[i], &t->heap[(i - 1) / 2]);
	mutex_unlock(&t->lock);
}

static void pop(struct timers *t)
{
	struct timer_entry *heap = t->heap;
	size_t i = 0, child;

	heap[0] = heap[--t->count];
	while ((child = 2 * i + 1) < t->count) {
		if (child + 1 < t->count &&
		    heap[child + 1].at_s < heap[child].at_s)
			child++;
		if (heap[i].at_s <= heap[child].at_s)
			break;
		swap(&heap[i], &heap[child]);
		i = child;
	}
}

struct node *timer_due(struct timers *t, struct node_table *nodes,
		       int64_t now_s, int64_t *next_s)
{
	struct timer_entry due;
	struct node *n = NULL;

	while (!n) {
		mutex_lock(&t->lock);
		if (!t->count || t->heap[0].at_s > now_s) {
			*next_s = t->count ? t->heap[0].at_s : now_s + 60;
			mutex_unlock(&t->lock);
			return NULL;
		}
		due = t->heap[0];
		pop(t);
		mutex_unlock(&t->lock);
		n = node_by_id(nodes, due.node);
	}
	atomic_store(&n->timer_s, 0);
	return n;
}

void timers_release(struct timers *t)
{
	mem_free(t->heap);
	mutex_release(&t->lock);
}
