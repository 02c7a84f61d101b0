/*
 * Times of directories beside statements. A call by path moves the time of its
 * directory itself (times_touch). The store gives a statement's batch to this
 * file before it is applied: where a row, a partition or a prefix is about to
 * appear or disappear, the directory that lists it gets the present time, in
 * the same batch. Tables in which no time was ever stored show the times of
 * their data, and are not read.
 *
 * Not moved: the parent of a directory that a range deletion, or several rows of
 * one batch, empty; the directory of a row without a marker that loses its last
 * value.
 */
#include "fs/statement_times.h"

#include <errno.h>

#include "fs/op/known.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/table/observer.h"

/* The place of the directory of that many clustering columns; ABOVE: the table. */
#define ABOVE (-1)
static struct place place_at(const struct table_change *c, int level)
{
	return (struct place){
		.table = c->table,
		.partition_key = level == ABOVE ? BYTES_NULL : c->partition_key,
		.clustering = (struct bytes *)c->clustering,
		.clustering_count = level == ABOVE ? 0 : (uint32_t)level,
	};
}

/* Look for the row, or static row, as it is now: 1 it exists, 0, -errno. */
static int is_there(struct op *op, const struct table_change *c)
{
	struct arena arena = ARENA_INIT;
	struct node_known known;
	struct row_view row;
	int got;

	if (op->reached && op->reached_level == c->clustering_count &&
	    known_now(op, op->reached, &known))
		return 1;
	got = table_read(op->store, c->table, c->partition_key,
			     c->is_static ? NULL : c->clustering,
			     c->is_static ? UINT64_MAX : 0, op->now_s, &arena,
			     &row);

	if (got > 0 && c->is_static)
		got = row.static_count > 0;
	arena_release(&arena);
	return got;
}

static bool is_same_row(const struct table_change *c, const struct row_view *row)
{
	uint32_t i;

	if (!row->row_exists || c->is_static)
		return !row->row_exists && c->is_static;
	for (i = 0; i < c->clustering_count; i++)
		if (!bytes_equal(c->clustering[i], row->clustering[i]))
			return false;
	return true;
}

/* Look for rows in that directory beside the one that changes: 1, 0, -errno. */
static int holds_other(struct op *op, const struct table_change *c, int level)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	struct slice slice;
	struct query q;
	int got;

	query_init(&q, c->table);
	q.partitions = &c->partition_key;
	q.partition_count = 1;
	q.limit = 2;
	q.now_s = op->now_s;
	if (level > 0) {
		slice.start = slice.end = (struct bound){
			c->clustering, (uint32_t)level, true };
		q.slices = &slice;
		q.slice_count = 1;
	} else if (table_has_statics(c->table)) {
		q.with_statics = true;
		q.static_only_rows = true;
	}
	got = table_query(&cursor, op->store, &q);
	if (!got)
		got = cursor_next(cursor, &row);
	if (got > 0 && !c->whole && is_same_row(c, &row))
		got = cursor_next(cursor, &row);
	cursor_close(cursor);
	return got;
}

/* Set the time of the directory to now. only: if a time is stored there. */
static int move_time(struct op *op, struct write *w, struct node *table,
		     const struct table_change *c, int level, bool only)
{
	int64_t now_ns = store_timestamp(op->store) * MICROSECOND;
	struct place p = place_at(c, level);
	int set = only ? times_are_set(op, table, &p) : 1;

	return set <= 0 ? set : times_set_directory(op, w, table, &p, now_ns);
}

/* Move the times from that level up, to the first directory that holds other
 * rows. */
static int move_above(struct op *op, struct write *w, struct node *table,
		      const struct table_change *c, int level)
{
	int got = 0;

	for (; level > ABOVE; level--) {
		got = holds_other(op, c, level);
		if (got)
			break;
		got = move_time(op, w, table, c, level, true);
		if (got < 0)
			return got;
	}
	return got < 0 ? got : move_time(op, w, table, c, level, false);
}

/* Return the level of the directory that holds all of the range. */
static int range_level(const struct slice *s)
{
	uint32_t i = 0;

	while (i < s->start.count && i < s->end.count &&
	       bytes_equal(s->start.values[i], s->end.values[i]))
		i++;
	return i && i == s->start.count && i == s->end.count ? (int)i - 1 :
							       (int)i;
}

static int move_range(struct op *op, struct write *w, struct node *table,
		      const struct table_change *c)
{
	struct table_change at = *c;
	int level = c->range.start.count || c->range.end.count ?
			    range_level(&c->range) : ABOVE;
	int got;

	at.clustering = c->range.start.count > c->range.end.count ?
				c->range.start.values : c->range.end.values;
	got = holds_other(op, &at, level > 0 ? level : 0);
	return got <= 0 ? got : move_time(op, w, table, &at, level, false);
}

static int move_row(struct op *op, struct write *w, struct node *table,
		    const struct table_change *c)
{
	bool goes = c->row_deleted && !c->gives;
	int got, above;

	if (!goes && !c->gives)	/* it only removes values */
		return 0;
	got = is_there(op, c);
	if (got < 0 || (got > 0) != goes)
		return got < 0 ? got : 0;
	above = c->is_static ? 0 : table_is_flat(c->table) ? ABOVE :
					(int)c->clustering_count - 1;
	/* A new directory does not keep the time of an earlier one of its
	 * name. */
	got = goes || c->is_static ? 0 :
		      move_time(op, w, table, c, (int)c->clustering_count, true);
	return got < 0 ? got : move_above(op, w, table, c, above);
}

int statement_times(struct op *op, struct write *w, struct node *table,
		    const struct table_change *c)
{
	int got = times_exist(op, table, table->ops);

	if (got <= 0)
		return got == -ESTALE ? 0 : got;
	return c->whole ? move_range(op, w, table, c) :
			  move_row(op, w, table, c);
}
