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
#include "store/lsm/lsm_snapshot.h"
#include "store/schema/table_edit.h"
#include "store/snapshot.h"
#include "store/table/inner.h"
#include "store/table/present.h"
#include "store/table_takeover.h"

struct automatic_one {
	struct manifest_snapshot made;
	const struct table *table;	/* borrowed; NULL: everything */
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
static bool is_taken(struct snapshot_automatic *a, const char *name)
{
	struct manifest_snapshot found;
	size_t i;

	for (i = 0; i < a->count; i++)
		if (!strcmp(a->ones[i].made.name, name))
			return true;
	return !snapshot_find(a->store, name, 0, &found);
}

/* Find an unused name: several may be made in one millisecond. Makers of
 * snapshots hold ddl. */
static void find_name(struct snapshot_automatic *a, char *name, size_t size,
		      const char *what, const char *table)
{
	int64_t ms = clock_now_us() / 1000;

	do {
		int at = snprintf(name, size, "%s-%" PRId64 "%s", what, ms++,
				  *table ? "-" : "");

		snapshot_name_from(name + at, size - (size_t)at, table);
	} while (is_taken(a, name));
}

static void keep(struct snapshot_automatic *a, const struct table *t,
		 const char *what)
{
	struct automatic_one one = { .table = t, .made.automatic = true };

	find_name(a, one.made.name, sizeof(one.made.name), what,
		  t ? t->name : "");
	if (t) {
		one.made.table_count = 3;
		one.made.tables[0] = CATALOG_NUMBER;
		one.made.tables[1] = STORE_ATTRIBUTES_NUMBER;
		one.made.tables[2] = t->number;
	}
	if (a->count == a->room) {
		size_t room = a->room ? 2 * a->room : 4;
		struct automatic_one *grown = mem_resize(a->ones, room,
							 sizeof(*grown));

		if (!grown) {
			log_message(LOG_WARNING_LEVEL, "snapshot %s: it was not "
				    "taken: no memory", one.made.name);
			return;
		}
		a->ones = grown;
		a->room = room;
	}
	a->ones[a->count++] = one;
}

void snapshot_automatic_table(struct snapshot_automatic *a,
			      const struct table *t, const char *what)
{
	if (!(t->flags & TABLE_VIRTUAL) && t->options.allow_auto_snapshot &&
	    !lsm_is_full(a->store->lsm))
		keep(a, t, what);
}

void snapshot_automatic_dropped(struct snapshot_automatic *a,
				const struct schema *next)
{
	const struct schema *now = a->store->schema;
	uint32_t i, j;

	for (i = 0; i < now->keyspace_count; i++) {
		const struct keyspace *k = now->keyspaces[i];

		for (j = 0; j < k->table_count && !k->system; j++) {
			const struct table *t = k->tables[j];
			const struct table *is =
				schema_table_by_number(next, t->number);

			if (is && table_drops_now(is))
				snapshot_automatic_table(a, t, "altered");
			if (!is && !schema_table(next, bytes_str(k->name),
						 bytes_str(t->name)))
				snapshot_automatic_table(a, t, "dropped");
		}
	}
}

void snapshot_automatic_all(struct snapshot_automatic *a)
{
	if (!lsm_is_full(a->store->lsm))
		keep(a, NULL, "restored");
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
	size_t i, kept = 0;

	for (i = 0; i < a->count; i++)
		if (!is_empty(a, &a->ones[i]))
			a->ones[kept++] = a->ones[i];
	a->count = kept;
	return each(a, flush);
}

int snapshot_automatic_take(struct snapshot_automatic *a)
{
	int err = flush_rest(a);
	size_t i;

	if (err || !a->count)
		return err;
	a->list = mem_zalloc(a->count, sizeof(*a->list));
	for (i = 0; a->list && i < a->count; i++) {
		a->list[i] = a->ones[i].made;
		a->list[i].created_us = clock_now_us();
	}
	err = a->list ? lsm_snapshot_add(a->store->lsm, a->list, a->count) :
			-ENOMEM;
	while (err && a->count)
		leave_out(a, a->count - 1, err);
	return 0;
}

void snapshot_automatic_end(struct snapshot_automatic *a)
{
	/* Those of one statement do not push each other out. */
	size_t most = a->count > SNAPSHOT_AUTOMATIC ? a->count :
						      SNAPSHOT_AUTOMATIC;
	bool any;
	int err = a->list && a->count ?
		lsm_snapshot_give_up(a->store->lsm, most, &any) : 0;

	if (err)
		log_message(LOG_WARNING_LEVEL, "snapshots: the oldest were not "
			    "given up: %s", strerror(-err));
	mem_free(a->list);
	mem_free(a->ones);
	*a = SNAPSHOT_AUTOMATIC_INIT(a->store);
}
