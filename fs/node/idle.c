#include "fs/node/idle.h"

#include "fs/node/kind.h"
#include "store/base/process.h"

/* Buckets that are looked at for each node that is wanted: some are empty, and
 * some nodes are in use. */
#define BUCKETS_EACH 8

bool idle_are_many(const struct node_table *t)
{
	return t->max && atomic_load(&t->count) > t->max;
}

bool idle_is_due(struct node_table *t)
{
	uint64_t asked, next;

	if (!t->max || !idle_are_many(t))
		return false;
	asked = atomic_load(&t->asked);
	next = atomic_load(&t->next_id);
	return next - asked >= FS_IDLE_NODES / 2 &&
	       atomic_compare_exchange_strong(&t->asked, &asked, next);
}

/* True if only the kernel's lookups hold n, and it has no state of its own.
 * Children, handles and calls under way have references beside those of the
 * lookups. */
static bool is_idle(const struct node *n)
{
	uint64_t lookups = atomic_load(&n->lookups);

	return lookups && (uint64_t)atomic_load(&n->references) == lookups &&
	       !atomic_load(&n->mtime_ns) &&
	       !(atomic_load(&n->flags) & (NODE_HIDDEN | NODE_NO_KEY_FILE));
}

/* Return the process that made the directory n or else the one that n is in:
 * the kernel drops a directory with its last child. 0: unknown. */
static pid_t maker_of(const struct node *n)
{
	pid_t pid = n->ops->directory ? atomic_load(&n->maker_pid) : 0;

	return pid || !n->parent ? pid : atomic_load(&n->parent->maker_pid);
}

static bool is_running(pid_t pid)
{
	return pid > 0 && !process_has_ended(pid);
}

/* Write the ids and makers of the idle nodes in the bucket of that number.
 * Returns how many. */
static size_t choose_in(struct node_table *t, uint64_t number, bool files,
			uint64_t *ids, pid_t *makers, size_t room)
{
	struct node_shard *s = node_id_shard(t, number);
	const struct node *n;
	size_t count = 0;

	mutex_lock(&s->lock);
	for (n = *node_bucket(s, number); n && count < room;
	     n = n->next[NODE_BY_ID]) {
		if (!is_idle(n) || (files && n->ops->directory))
			continue;
		makers[count] = maker_of(n);
		ids[count++] = n->id;
	}
	mutex_unlock(&s->lock);
	return count;
}

size_t idle_choose(struct node_table *t, bool files, uint64_t *ids,
		   size_t room)
{
	pid_t makers[FS_IDLE_NODES];
	size_t chosen = 0, looked, i, count;

	if (room > FS_IDLE_NODES)
		room = FS_IDLE_NODES;
	for (looked = 0; looked < room * BUCKETS_EACH && chosen < room;
	     looked++) {
		uint64_t nodes = atomic_load(&t->count);
		uint64_t *found = ids + chosen;

		if (nodes <= t->max + chosen)
			break;
		count = choose_in(t, atomic_fetch_add(&t->hand, 1), files,
				  found, makers, room - chosen);
		for (i = 0; i < count; i++)
			if (nodes > 2 * t->max || !is_running(makers[i]))
				ids[chosen++] = found[i];
	}
	return chosen;
}
