/*
 * A row that is renamed keeps its times, as a directory does elsewhere. Its parts are
 * written with the timestamps that they have if these are later than all that is or
 * was at the target, else with a new one and the time set beside it.
 */
#include "fs/kind/row_move.h"

#include "fs/kind/collection.h"
#include "fs/kind/row.h"
#include "fs/node/kind.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "fs/op/times.h"
#include "fs/op/times_keep.h"

struct move {
	struct op *op;
	struct write *w;
	struct node *table;
	const struct place *from, *to;
	int64_t newest;		/* timestamp of what is or was at the target */
	int64_t at;		/* that of parts that cannot keep theirs */
};

static int64_t kept_timestamp(const struct move *m, int64_t timestamp_us)
{
	return timestamp_us > m->newest ? timestamp_us : m->at;
}

static void move_parts(const struct move *m, const struct row_view *row)
{
	const struct cell_view *cell = row->cells;
	uint32_t i;

	place_write_row(m->w, m->to);
	if (row->marker.timestamp != NO_TIMESTAMP)
		write_marker_until(m->w,
				   kept_timestamp(m, row->marker.timestamp),
				   row->marker.ttl, row->marker.expires);
	for (i = 0; i < row->cell_count; i++, cell++)
		write_cell_until(m->w, cell->column, cell->path, cell->value,
				 kept_timestamp(m, cell->timestamp_us),
				 cell->ttl_s, cell->expires_s);
}

static int move_cell_time(const struct move *m, const struct cell_view *cell)
{
	int64_t at = kept_timestamp(m, cell->timestamp_us), mtime_ns;
	struct place from = *m->from, to = *m->to;
	int err;

	from.column = to.column = cell->column;
	from.path = to.path = cell->path;
	err = times_cell_mtime(m->op, m->table, &from, cell->timestamp_us,
			       &mtime_ns);
	if (err || mtime_ns == timestamp_ns(at))
		return err;
	return times_set_cell(m->op, m->w, m->table, &to, at, mtime_ns);
}

/* Move the time of a directory, a row or one of its collections: c has the time
 * that is shown where none is stored. */
static int move_directory_time(const struct move *m, struct child *c,
			       const struct column *column)
{
	struct place from = *m->from, to = *m->to;
	int64_t own_ns = c->mtime_ns;
	int set;

	from.column = to.column = column;
	set = times_of_child(m->op, m->table, &from, c);
	if (set)
		return set;
	set = c->time_is_set || own_ns <= timestamp_ns(m->newest) ?
		      1 : times_are_set(m->op, m->table, &to);
	return set <= 0 ? set : times_set_directory(m->op, m->w, m->table, &to,
						    c->mtime_ns);
}

static int move_times(const struct move *m, const struct row_view *row)
{
	uint32_t i, next;
	struct child c;
	int err;

	child_init(&c, &kind_row);
	row_child(&c, m->to->table, row);
	err = move_directory_time(m, &c, NULL);
	for (i = 0; i < row->cell_count && !err; i = next) {
		const struct cell_view *cells = row->cells + i;

		for (next = i; next < row->cell_count && !err &&
			       row->cells[next].column == cells->column; next++)
			err = move_cell_time(m, row->cells + next);
		if (err || bytes_is_null(cells->path))
			continue;
		child_init(&c, &kind_collection);
		collection_times(&c, cells, next - i);
		err = move_directory_time(m, &c, cells->column);
	}
	return err;
}

int row_write_moved(struct op *op, struct write *w, struct node *n,
		    struct node *dir, const struct place *from,
		    const struct place *to, const struct row_view *row)
{
	struct move m = { .op = op, .w = w, .table = n->table,
			  .from = from, .to = to };
	int64_t gone_at;
	int err = times_place_deletion(op, from, &gone_at);

	if (!err)
		err = table_newest(op->store, to->table, to->partition_key,
				   to->clustering, NULL, BYTES_NULL, &op->arena,
				   &m.newest);
	if (!err)
		err = op_later(op, m.newest, 0, &m.at);
	if (err)
		return err;
	place_write_row(w, from);
	write_row_deletion(w, gone_at);
	move_parts(&m, row);
	err = move_times(&m, row);
	if (!err)
		err = times_touch(op, w, n->parent);
	if (!err && dir != n->parent)
		err = times_touch(op, w, dir);
	return err ? err : op_write(op, w);
}
