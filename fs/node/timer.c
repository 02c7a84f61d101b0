/*
 * Find the nodes with expired data, so that the kernel drops its copies:
 * timeouts do that for names and attributes, notices for listings and pages. A
 * heap of (second, node) holds no references: a node that was freed needs no
 * notice, and its entry goes before the heap grows. Else each walk through many
 * cells would leave entries until they end.
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

/* Add an entry where there is room for it. */
static void push(struct timers *t, struct timer_entry entry)
{
	size_t i = t->count++;

	t->heap[i] = entry;
	for (; i && t->heap[(i - 1) / 2].at_s > t->heap[i].at_s;
	     i = (i - 1) / 2)
		swap(&t->heap[i], &t->heap[(i - 1) / 2]);
}

/* Remove the entries of nodes that were freed. */
static void clean(struct timers *t, struct node_table *nodes)
{
	size_t i, count = t->count;

	t->count = 0;
	for (i = 0; i < count; i++)	/* it writes no further than it read */
		if (node_is_there(nodes, t->heap[i].node))
			push(t, t->heap[i]);
}

static bool make_room(struct timers *t, struct node_table *nodes)
{
	size_t cap = t->cap ? t->cap * 2 : 64;
	struct timer_entry *more;

	if (t->count < t->cap)
		return true;
	clean(t, nodes);
	if (t->count < t->cap / 2)
		return true;
	more = mem_resize(t->heap, cap, sizeof(*more));
	if (!more)
		return t->count < t->cap;
	t->heap = more;
	t->cap = cap;
	return true;
}

void timer_add(struct timers *t, struct node_table *nodes, struct node *n,
	       int64_t at_s)
{
	int64_t before = atomic_load(&n->timer_s);

	if (before && before <= at_s)
		return;
	atomic_store(&n->timer_s, at_s);
	mutex_lock(&t->lock);
	if (make_room(t, nodes))	/* else the kernel asks after a day */
		push(t, (struct timer_entry){ at_s, n->id });
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
