/*
 * Times of directories beside statements. A call by path moves the time of its
 * directory itself (times_touch). The store gives a statement's batch to this
 * file before it is applied: where a row, a partition or a prefix is about to
 * appear or disappear, the directory that lists it gets the present time, in
 * the same batch; so do the directory of a row and that of a collection whose
 * values come or go. Tables in which no time was ever stored show the times of
 * their data, and are read only where a value of a row that stays is removed,
 * whose time must not go back.
 *
 * Not moved: the parent of a directory that several rows of one batch empty.
 */
#include "fs/statement_times.h"

#include <errno.h>

#include "fs/node/name.h"
#include "fs/node/node.h"
#include "fs/op/keyspace_times.h"
#include "fs/op/known.h"
#include "fs/op/op.h"
#include "fs/op/place.h"
#include "fs/op/times.h"
#include "store/table/effect.h"
#include "store/table/observer.h"
#include "store/type/type.h"

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

/* Begin a query of the partition that changes. */
static void partition_query(struct query *q, const struct op *op,
			    const struct table_change *c, uint32_t limit)
{
	query_init(q, c->table);
	q->partitions = &c->partition_key;
	q->partition_count = 1;
	q->limit = limit;
	q->now_s = op->now_s;
}

/* Look for rows in that directory beside the one that changes: 1, 0, -errno. */
static int holds_other(struct op *op, const struct table_change *c, int level)
{
	struct cursor *cursor = NULL;
	struct row_view row;
	struct slice slice;
	struct query q;
	int got;

	partition_query(&q, op, c, 2);
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
static int set_time(struct op *op, struct write *w, struct node *table,
		    const struct place *p, bool only)
{
	int64_t now_ns = store_timestamp(op->store) * MICROSECOND;
	int set = only ? times_are_set(op, table, p) : 1;

	return set <= 0 ? set : times_set_directory(op, w, table, p, now_ns);
}

static int move_time(struct op *op, struct write *w, struct node *table,
		     const struct table_change *c, int level, bool only)
{
	struct place p = place_at(c, level);

	return set_time(op, w, table, &p, only);
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

/* Read the row, or static row, as it is now: 1 it exists, 0, -errno. */
static int read_row(struct op *op, const struct table_change *c,
		    struct arena *arena, struct row_view *row)
{
	int got = table_read(op->store, c->table, c->partition_key,
			     c->is_static ? NULL : c->clustering, UINT64_MAX,
			     op->now_s, arena, row);

	return got > 0 && c->is_static ? row->static_count > 0 : got;
}

/* Look for rows of the partition in these slices: 1, 0, -errno. */
static int holds_in(struct op *op, const struct table_change *c,
		    const struct slice *slices, uint32_t count)
{
	struct query q;

	partition_query(&q, op, c, 1);
	q.slices = slices;
	q.slice_count = count;
	return table_query_finds(op->store, &q);
}

/* Look for rows in that directory outside the range, which has a bound in it: 1,
 * 0, -errno. */
static int holds_outside(struct op *op, const struct table_change *c, int level)
{
	const struct bound *start = &c->range.start, *end = &c->range.end;
	struct bound all = { c->clustering, (uint32_t)level, true };
	struct slice slices[2];
	uint32_t count = 0;

	if (start->count > (uint32_t)level)
		slices[count++] = (struct slice){ all, {
			start->values, start->count, !start->inclusive } };
	if (end->count > (uint32_t)level)
		slices[count++] = (struct slice){ {
			end->values, end->count, !end->inclusive }, all };
	return holds_in(op, c, slices, count);
}

/* Look for a static row: 1, 0, -errno. */
static int holds_statics(struct op *op, const struct table_change *c)
{
	struct table_change statics = *c;
	struct arena arena = ARENA_INIT;
	struct row_view row;
	int got;

	statics.is_static = true;
	got = table_has_statics(c->table) ?
		      read_row(op, &statics, &arena, &row) : 0;
	arena_release(&arena);
	return got;
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
	got = level == ABOVE ? holds_other(op, &at, 0) :
			       holds_in(op, c, &c->range, 1);
	if (got <= 0)
		return got;
	for (; level > ABOVE; level--) {
		got = holds_outside(op, &at, level);
		if (!got && !level)
			got = holds_statics(op, c);
		if (got)
			break;
		got = move_time(op, w, table, &at, level, true);
		if (got < 0)
			return got;
	}
	return got < 0 ? got : move_time(op, w, table, &at, level, false);
}

/* True if the column has a value, as is known without a read. */
static bool is_known_value(struct op *op, const struct column *column)
{
	struct buf name = BUF_INIT;
	struct node_known known;
	struct node *n;
	bool is_known;

	name_of_text(&name, bytes_str(column->name));
	n = node_find(&op->fs->nodes, op->reached, buf_bytes(&name));
	is_known = n && known_now(op, n, &known);
	node_put(&op->fs->nodes, n);
	buf_release(&name);
	return is_known;
}

/* True if nothing but values change, for all that can be seen without a read:
 * the row is there, and it shows the time of its data or has the values. */
static bool is_known_to_stay(struct op *op, const struct table_change *c)
{
	struct node_known known;
	uint32_t i;

	if (c->removes || !op->reached ||
	    op->reached_level != c->clustering_count ||
	    !known_now(op, op->reached, &known))
		return false;
	for (i = 0; i < c->column_count; i++)
		if (type_is_multicell(c->columns[i]->type) ||
		    (known.is_set && !is_known_value(op, c->columns[i])))
			return false;
	return true;
}

/* Move the times of the row's directory and those of its collections, where
 * names of them come or go. fresh: it is a new directory, which does not keep
 * the time of an earlier one of its name. */
static int move_names(struct op *op, struct write *w, struct node *table,
		      const struct table_change *c, const struct row_effect *e,
		      bool fresh)
{
	struct place p = place_at(c, (int)c->clustering_count);
	bool comes = fresh, goes = false;
	uint32_t i;
	int err = 0;

	p.is_static = c->is_static;
	for (i = 0; i < e->count && !err; i++) {
		const struct column_effect *x = &e->columns[i];

		if (x->column->hidden)
			continue;
		comes |= !x->was;
		goes |= !x->is;
		if (!type_is_multicell(x->column->type) || !x->is ||
		    (!x->adds && !x->removes))
			continue;
		p.column = x->column;
		err = set_time(op, w, table, &p, !x->removes);
	}
	p.column = NULL;
	if (!err && (comes || goes))
		err = set_time(op, w, table, &p, !goes);
	return err;
}

static int move_row_with(struct op *op, struct write *w, struct node *table,
			 const struct table_change *c, bool timed,
			 struct arena *arena)
{
	int above = c->is_static ? 0 : table_is_flat(c->table) ? ABOVE :
						(int)c->clustering_count - 1;
	struct row_effect e;
	struct row_view row;
	int got = read_row(op, c, arena, &row), err;

	if (got < 0)
		return got;
	err = row_effect_find(&e, c, got ? &row : NULL, arena);
	if (err)
		return err;
	if (e.is && !table_is_schemaless(c->table))
		err = move_names(op, w, table, c, &e, !got);
	if (err || !timed || op->in_document || e.is == (got > 0))
		return err;
	return move_above(op, w, table, c, above);
}

/* timed: the table stores times. If not, the rows of a partition are left alone,
 * as they give it its time. */
static int move_row(struct op *op, struct write *w, struct node *table,
		    const struct table_change *c, bool timed)
{
	struct arena arena = ARENA_INIT;
	int err;

	if (is_known_to_stay(op, c))
		return 0;
	err = move_row_with(op, w, table, c, timed, &arena);
	arena_release(&arena);
	return err;
}

int statement_times(struct op *op, struct write *w, struct node *table,
		    const struct table_change *c)
{
	int got = times_exist(op, table, table->ops);

	if (got < 0)
		return got == -ESTALE ? 0 : got;
	if (!got && (c->whole || !c->removes || (c->row_deleted && !c->gives)))
		return 0;
	return c->whole ? move_range(op, w, table, c) :
			  move_row(op, w, table, c, got);
}

void statement_times_truncated(struct op *op, struct node *table)
{
	struct write w;
	struct place p;
	int err = place_of(op, table, &p);

	if (err)
		return;
	err = place_begin_write(op, &w, table, &p);
	if (!err)
		err = times_set_truncated(op, &w, table, &p);
	if (!err) {
		keyspace_times_forget_truncating(&w, p.table);
		op_write(op, &w);
	}
	write_release(&w);
}
