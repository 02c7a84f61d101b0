/*
 * Times of directories beside statements. A call by path moves the time of its
 * directory itself (times_touch). The store gives a statement's batch to this
 * file before it is applied: where a row, a partition or a prefix is about to
 * appear or disappear, the directory that lists it gets the present time, in
 * the same batch (statement_above.h); so do the directory of a row and that of a
 * collection whose values come or go. Tables in which no time was ever stored show
 * the times of their data, and are read only where a value of a row that stays is
 * removed, whose time must not go back.
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
#include "fs/statement_above.h"
#include "store/table/effect.h"
#include "store/type/type.h"

/* Read the row, or static row, as it is now: 1 it exists, 0, -errno. */
static int read_row(struct op *op, const struct table_change *c,
		    struct arena *arena, struct row_view *row)
{
	int got = table_read(op->store, c->table, c->partition_key,
			     c->is_static ? NULL : c->clustering, UINT64_MAX,
			     op->now_s, arena, row);

	return got > 0 && c->is_static ? row->static_count > 0 : got;
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
	struct place p = {
		.table = c->table,
		.partition_key = c->partition_key,
		.clustering = (struct bytes *)c->clustering,
		.clustering_count = c->clustering_count,
		.is_static = c->is_static,
	};
	bool comes = fresh, goes = false;
	uint32_t i;
	int err = 0;

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
		err = times_move_directory(op, w, table, &p, !x->removes);
	}
	p.column = NULL;
	if (!err && (comes || goes))
		err = times_move_directory(op, w, table, &p, !goes);
	return err;
}

/* Look at the row that is changed, and move the times in it. */
static int move_row(struct op *op, struct write *w, struct node *table,
		    const struct table_change *c, struct statement_entry *e,
		    struct arena *arena)
{
	struct row_effect effect;
	struct row_view row;
	int got = read_row(op, c, arena, &row), err;

	if (got < 0)
		return got;
	err = row_effect_find(&effect, c, got ? &row : NULL, arena);
	if (err)
		return err;
	e->was = got;
	e->is = effect.is;
	return e->is && !table_is_schemaless(c->table) ?
		       move_names(op, w, table, c, &effect, !got) : 0;
}

/* Set *c to what these entries of one row make of it together. */
static int merge(struct table_change *c, const struct statement_entry *e,
		 size_t count, struct arena *arena)
{
	const struct table_change *range = e->over;
	bool is_covered = statement_entry_covers(range, e->change->key);
	const struct table_change **all;
	size_t i;

	*c = *e->change;
	if (count == 1 && !is_covered)
		return 0;
	all = arena_alloc(arena, count * sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		all[i] = e[i].change;
	return row_effect_merge(c, all, count,
				is_covered ? range->written.deletion :
					     DELETION_NONE, arena);
}

/* timed: the table stores times. If not, a row that goes is left alone, as the rows
 * of a partition give it its time. */
static int move_in_row(struct op *op, struct write *w, struct node *table,
		       struct statement_entry *e, size_t count, bool timed)
{
	struct arena arena = ARENA_INIT;
	struct table_change c;
	size_t i;
	int err = merge(&c, e, count, &arena);

	if (!err && (timed || (c.removes && (!c.row_deleted || c.gives))) &&
	    !is_known_to_stay(op, &c))
		err = move_row(op, w, table, &c, e, &arena);
	for (i = 1; i < count; i++) {
		e[i].was = e->was;
		e[i].is = e->is;
	}
	arena_release(&arena);
	return err;
}

/* Return the number of entries from the first on that are of its row. */
static size_t entries_of_row(const struct statement_entry *e, size_t count)
{
	size_t i = 1;

	while (i < count && bytes_equal(e[i].change->key, e->change->key))
		i++;
	return i;
}

int statement_times(struct op *op, struct write *w, struct node *table,
		    struct statement_entry *entries, size_t count)
{
	int timed = times_exist(op, table, table->ops), err = 0;
	size_t i, of_row;

	if (timed < 0)
		return timed == -ESTALE ? 0 : timed;
	statement_entries_cover(entries, count);
	for (i = 0; i < count && !err; i += of_row) {
		of_row = entries_of_row(&entries[i], count - i);
		if (!entries[i].change->whole)
			err = move_in_row(op, w, table, &entries[i], of_row,
					  timed);
	}
	return err || !timed || op->in_document ?
		       err : statement_above(op, w, table, entries, count);
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
