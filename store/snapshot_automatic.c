/*
 * Order against crashes. The tables are flushed while writers continue; then,
 * with writers locked out, later data is flushed, one edit of the manifest
 * makes the snapshots, and the change begins, which is durable before the next
 * write. A crash before the edit leaves neither, after it the snapshot and the
 * rows, after the change the snapshot alone.
 */
#include "store/snapshot_automatic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/lsm/lsm_snapshot.h"
#include "store/schema/table_edit.h"
#include "store/snapshot.h"
#include "store/table/inner.h"
#include "store/table/present.h"
#include "store/table_takeover.h"

struct automatic_one {
	struct manifest_snapshot made;
	const struct table *table;	/* borrowed; NULL: everything */
	bool with_others;	/* kept without rows if another one has any */
	bool has_rows;
	uint64_t writes;	/* to the table, when it was looked at */
};

/* Log that it was not taken, and leave it out. */
static void leave_out(struct snapshot_automatic *a, size_t i, int err)
{
	log_message(LOG_WARNING_LEVEL, "snapshot %s: it was not taken: %s",
		    a->ones[i].made.name, strerror(-err));
	memmove(&a->ones[i], &a->ones[i + 1],
		(a->count - i - 1) * sizeof(*a->ones));
	a->count--;
}

/* ------------------------------------------------------------- what is kept */
static bool is_taken(const struct snapshot_automatic *a, const char *name)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		if (!strcmp(a->ones[i].made.name, name))
			return true;
	return false;
}

/* True if no automatic snapshot is of the change WHAT-ms. */
static bool is_new_change(struct snapshot_automatic *a, const char *what,
			  int64_t ms)
{
	char change[64];
	struct manifest_snapshot *list;
	size_t count, i;
	bool is_new = true;

	snprintf(change, sizeof(change), "%s-%" PRId64, what, ms);
	if (snapshot_list(a->store, &list, &count))
		return true;
	for (i = 0; i < count; i++)
		is_new &= !snapshot_name_is_of(list[i].name, change) &&
			  strcmp(list[i].name, change);
	mem_free(list);
	return is_new;
}

/* Find a name: of another change in the same millisecond it has another number.
 * Makers of snapshots hold ddl. */
static void find_name(struct snapshot_automatic *a, char *name, size_t size,
		      const char *what, const char *table)
{
	size_t at;

	if (!a->ms) {
		a->ms = clock_now_us() / 1000;
		while (!is_new_change(a, what, a->ms))
			a->ms++;
	}
	at = (size_t)snprintf(name, size, "%s-%" PRId64 "%s", what, a->ms,
			      *table ? "-" : "");
	snapshot_name_from(name + at, size - at, table);
	/* Tables that differ in what is no part of a name. */
	while (is_taken(a, name))
		snprintf(name + strlen(name), size - strlen(name), "_");
}

static void keep(struct snapshot_automatic *a, const struct table *t,
		 const char *what, bool with_others)
{
	struct automatic_one one = { .table = t, .with_others = with_others,
				     .made.automatic = true,
				     .made.owner = a->owner };
	struct automatic_one *grown;

	find_name(a, one.made.name, sizeof(one.made.name), what,
		  t ? t->name : "");
	if (t) {
		one.made.table_count = 3;
		one.made.tables[0] = CATALOG_NUMBER;
		one.made.tables[1] = STORE_ATTRIBUTES_NUMBER;
		one.made.tables[2] = t->number;
	}
	grown = array_grow(a->ones, a->count, sizeof(*grown), &a->room);
	if (!grown) {
		log_message(LOG_WARNING_LEVEL, "snapshot %s: it was not taken: "
			    "no memory", one.made.name);
		return;
	}
	a->ones = grown;
	a->ones[a->count++] = one;
}

static bool is_kept(const struct snapshot_automatic *a, const struct table *t)
{
	return !(t->flags & TABLE_VIRTUAL) && t->options.allow_auto_snapshot &&
	       !lsm_is_full(a->store->lsm);
}

void snapshot_automatic_table(struct snapshot_automatic *a,
			      const struct table *t, const char *what)
{
	if (is_kept(a, t))
		keep(a, t, what, false);
}

/* Keep the tables of a keyspace: those without rows, too, if one has any. */
static void keep_keyspace(struct snapshot_automatic *a,
			  const struct keyspace *k, const char *what)
{
	uint32_t i;

	for (i = 0; i < k->table_count; i++)
		if (is_kept(a, k->tables[i]))
			keep(a, k->tables[i], what, true);
}

/* Keep tables of a keyspace that is there in the next version. */
static void keep_tables(struct snapshot_automatic *a, const struct keyspace *k,
			const struct schema *next)
{
	uint32_t i;

	for (i = 0; i < k->table_count; i++) {
		const struct table *t = k->tables[i];
		const struct table *is = schema_table_by_number(next, t->number);

		if (is && table_drops_now(is))
			snapshot_automatic_table(a, t, "altered");
		if (!is && !schema_table(next, bytes_str(k->name),
					 bytes_str(t->name)))
			snapshot_automatic_table(a, t, "dropped");
	}
}

/* True if a table of the keyspace is in the next version, under any name. */
static bool is_moved(const struct keyspace *k, const struct schema *next)
{
	uint32_t i;

	for (i = 0; i < k->table_count; i++)
		if (schema_table_by_number(next, k->tables[i]->number))
			return true;
	return false;
}

void snapshot_automatic_dropped(struct snapshot_automatic *a,
				const struct schema *next)
{
	const struct schema *now = a->store->schema;
	uint32_t i;

	for (i = 0; i < now->keyspace_count; i++) {
		const struct keyspace *k = now->keyspaces[i];

		if (k->system)
			continue;
		if (schema_keyspace(next, bytes_str(k->name)) ||
		    is_moved(k, next))
			keep_tables(a, k, next);
		else
			keep_keyspace(a, k, "dropped");
	}
}

void snapshot_automatic_all(struct snapshot_automatic *a)
{
	if (!lsm_is_full(a->store->lsm))
		keep(a, NULL, "restored", false);
}

/* -------------------------------------------------------------------- taking */
static uint64_t count_writes(struct store *s, const struct table *t)
{
	struct lsm_table_stats stats;

	lsm_table_stats(s->lsm, t->number, &stats);
	return stats.writes;
}

static int flush(struct snapshot_automatic *a, struct automatic_one *one)
{
	return snapshot_flush(a->store, &one->made);
}

/* Look whether the table has rows; one that is damaged has. */
static int prepare(struct snapshot_automatic *a, struct automatic_one *one)
{
	int rows = 1;

	if (one->table) {
		one->writes = count_writes(a->store, one->table);
		rows = store_has_rows(a->store, one->table);
	}
	one->has_rows = rows;
	return rows == -EINTR ? rows : rows ? flush(a, one) : 0;
}

/* Do the step with each, and leave out those that fail. 0 or -EINTR. */
static int each(struct snapshot_automatic *a,
		int (*step)(struct snapshot_automatic *a,
			    struct automatic_one *one))
{
	size_t i = 0;

	while (i < a->count) {
		int err = step(a, &a->ones[i]);

		if (err == -EINTR)
			return err;
		if (err)
			leave_out(a, i, err);
		else
			i++;
	}
	return 0;
}

int snapshot_automatic_prepare(struct snapshot_automatic *a)
{
	return each(a, prepare);
}

/* True if the table was empty and has not been written since. */
static bool is_empty(struct snapshot_automatic *a, const struct automatic_one *one)
{
	return !one->has_rows &&
	       one->writes == count_writes(a->store, one->table);
}

static int flush_rest(struct snapshot_automatic *a)
{
	bool others = false;
	size_t i, kept = 0;

	for (i = 0; i < a->count; i++)
		others |= !is_empty(a, &a->ones[i]);
	for (i = 0; i < a->count; i++)
		if ((others && a->ones[i].with_others) ||
		    !is_empty(a, &a->ones[i]))
			a->ones[kept++] = a->ones[i];
	a->count = kept;
	return each(a, flush);
}

static bool has_time(const struct manifest_snapshot *list, size_t count,
		     int64_t us)
{
	while (count && !(list[count - 1].automatic &&
			  list[count - 1].created_us == us))
		count--;
	return count;
}

/* Return a time that no other change has: its snapshots are given up together. */
static int64_t find_time(const struct snapshot_automatic *a)
{
	struct manifest_snapshot *list;
	int64_t now_us = clock_now_us();
	size_t count;

	if (snapshot_list(a->store, &list, &count))
		return now_us;
	while (has_time(list, count, now_us))
		now_us++;
	mem_free(list);
	return now_us;
}

int snapshot_automatic_take(struct snapshot_automatic *a)
{
	int err = flush_rest(a);
	int64_t now_us;
	size_t i;

	if (err || !a->count)
		return err;
	now_us = find_time(a);
	a->list = mem_zalloc(a->count, sizeof(*a->list));
	for (i = 0; a->list && i < a->count; i++) {
		a->list[i] = a->ones[i].made;
		a->list[i].created_us = now_us;
	}
	err = a->list ? lsm_snapshot_add(a->store->lsm, a->list, a->count) :
			-ENOMEM;
	while (err && a->count)
		leave_out(a, a->count - 1, err);
	return 0;
}

void snapshot_automatic_end(struct snapshot_automatic *a)
{
	bool any;
	int err = a->list && a->count ?
		lsm_snapshot_give_up(a->store->lsm, SNAPSHOT_AUTOMATIC, &any) :
		0;

	if (err)
		log_message(LOG_WARNING_LEVEL, "snapshots: the oldest were not "
			    "given up: %s", strerror(-err));
	mem_free(a->list);
	mem_free(a->ones);
	*a = SNAPSHOT_AUTOMATIC_INIT(a->store, a->owner);
}

int snapshot_keep_keyspace(struct store *s, struct bytes name, const char *what,
			   uid_t owner, char *change, size_t size)
{
	struct snapshot_automatic keep = SNAPSHOT_AUTOMATIC_INIT(s, owner);
	const struct keyspace *k;
	int err;

	*change = 0;
	if (s->read_only)
		return -EROFS;
	pthread_mutex_lock(&s->ddl);
	k = schema_keyspace(s->schema, name);
	if (k && !k->system)
		keep_keyspace(&keep, k, what);
	err = snapshot_automatic_prepare(&keep);
	if (!err && keep.count) {
		pthread_rwlock_wrlock(&s->publish);
		err = snapshot_automatic_take(&keep);
		pthread_rwlock_unlock(&s->publish);
	}
	if (!err && keep.count)
		snprintf(change, size, "%s-%" PRId64, what, keep.ms);
	snapshot_automatic_end(&keep);
	pthread_mutex_unlock(&s->ddl);
	return err;
}
