/*
 * Drop expired data from the kernel's caches: timeouts do it for names and
 * attributes; notices for listings and pages are sent from here. A heap of
 * (second, node) holds no references: a node that was freed needs no notice.
 */
#include "fs/op/inner.h"
#include "store/base/alloc.h"

struct timer_entry {
	int64_t at_s;
	uint64_t node;
};

static void swap(struct timer_entry *a, struct timer_entry *b)
{
	struct timer_entry t = *a;

	*a = *b;
	*b = t;
}

void timer_add(struct fs *fs, struct node *n, int64_t at_s)
{
	int64_t before = atomic_load(&n->timer_s);
	struct timer_entry *more;
	size_t i;

	if (before && before <= at_s)
		return;
	atomic_store(&n->timer_s, at_s);
	mutex_lock(&fs->timer_lock);
	if (fs->timer_count == fs->timer_cap) {
		size_t cap = fs->timer_cap ? fs->timer_cap * 2 : 64;

		more = mem_resize(fs->timers, cap, sizeof(*more));
		if (!more) {	/* the kernel asks again after a day */
			mutex_unlock(&fs->timer_lock);
			return;
		}
		fs->timers = more;
		fs->timer_cap = cap;
	}
	i = fs->timer_count++;
	fs->timers[i] = (struct timer_entry){ at_s, n->id };
	for (; i && fs->timers[(i - 1) / 2].at_s > fs->timers[i].at_s;
	     i = (i - 1) / 2)
		swap(&fs->timers[i], &fs->timers[(i - 1) / 2]);
	mutex_unlock(&fs->timer_lock);
}

static void pop(struct fs *fs)
{
	struct timer_entry *heap = fs->timers;
	size_t i = 0, child;

	heap[0] = heap[--fs->timer_count];
	while ((child = 2 * i + 1) < fs->timer_count) {
		if (child + 1 < fs->timer_count &&
		    heap[child + 1].at_s < heap[child].at_s)
			child++;
		if (heap[i].at_s <= heap[child].at_s)
			break;
		swap(&heap[i], &heap[child]);
		i = child;
	}
}

struct node *timer_due(struct fs *fs, int64_t now_s, int64_t *next_s)
{
	struct timer_entry due;
	struct node *n = NULL;

	while (!n) {
		mutex_lock(&fs->timer_lock);
		if (!fs->timer_count || fs->timers[0].at_s > now_s) {
			*next_s = fs->timer_count ? fs->timers[0].at_s :
						    now_s + 60;
			mutex_unlock(&fs->timer_lock);
			return NULL;
		}
		due = fs->timers[0];
		pop(fs);
		mutex_unlock(&fs->timer_lock);
		n = node_by_id(&fs->nodes, due.node);
	}
	atomic_store(&n->timer_s, 0);
	return n;
}

void timers_release(struct fs *fs)
{
	mem_free(fs->timers);
	mutex_release(&fs->timer_lock);
}
