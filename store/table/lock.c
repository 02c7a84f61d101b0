/*
 * Locks of partitions. A write holds those of all partitions that it writes
 * from before it takes its timestamp, and before it reads the values that it
 * depends on, until it is applied. Two things follow:
 *
 *   - nothing comes between the read and the write of a condition, a counter, a
 *     list's element, a rename;
 *   - the writes of a partition are applied in the order of their timestamps.
 *     Else a reader could see a later one of them first, and afterwards the
 *     rest of an earlier one that has more cells: no order of the two explains
 *     both.
 *
 * A partition has one of STRIPES mutexes, by its table and token. All are taken
 * in one call and in their order, so that no two writes wait for each other.
 * The schema is locked with them (store.publish): no table is truncated or
 * takes the place of another meanwhile. No lock is held while waiting for a
 * flush, syncing the log or telling observers.
 */
#include "store/base/murmur3.h"
#include "store/table/write.h"

#include <assert.h>

#include "store/table/inner.h"
#include "store/table/present.h"

/* The mutexes are not recursive, so a thread has one write at a time locked:
 * checked, as a second one would only sometimes meet a stripe of the first. */
static _Thread_local const struct write *holder;

static uint64_t stripe_of_token(uint32_t table, int64_t token)
{
	uint64_t hash = (uint64_t)token + table;

	hash *= 0x9e3779b97f4a7c15;
	return (uint64_t)1 << ((hash >> 32) * STRIPES >> 32);
}

void write_lock_stripes(struct write *w, uint64_t stripes)
{
	size_t i;

	assert(!holder);
	lsm_pace(w->store->lsm);
	holder = w;
	w->is_locked = true;
	w->locked = stripes;
	for (i = 0; i < STRIPES; i++)
		if (stripes >> i & 1)
			pthread_mutex_lock(&w->store->stripes[i]);
	pthread_rwlock_rdlock(&w->store->publish);
}

void write_lock(struct write *w, const struct partition_ref *partitions,
		size_t count)
{
	uint64_t stripes = 0;
	size_t i;

	for (i = 0; i < count; i++)
		stripes |= stripe_of_token(partitions[i].table->number,
					   murmur3_token(partitions[i].key));
	write_lock_stripes(w, stripes);
}

void write_unlock(struct write *w)
{
	size_t i;

	if (!w->is_locked)
		return;
	assert(holder == w);
	pthread_rwlock_unlock(&w->store->publish);
	for (i = 0; i < STRIPES; i++)
		if (w->locked >> i & 1)
			pthread_mutex_unlock(&w->store->stripes[i]);
	w->locked = 0;
	w->is_locked = false;
	holder = NULL;
}

void write_watch(struct write *w, const struct table *t, int64_t token)
{
	w->watched_table = t->number;
	w->watched_token = token;
}

void write_look(struct write *w)
{
	if (w->locked & stripe_of_token(w->watched_table, w->watched_token))
		w->state = store_partition_state(w->store, w->watched_table,
						 w->watched_token);
}

void write_note_partition(struct write *w, const struct table *t,
			  int64_t token)
{
	w->written |= stripe_of_token(t->number, token);
}

bool write_holds_all(const struct write *w)
{
	return w->is_locked && !(w->written & ~w->locked);
}
