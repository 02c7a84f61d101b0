/* Point reads: a row, a cell. */
#include <errno.h>

#include "store/base/watch.h"
#include "store/row/reconcile.h"
#include "store/table/cell.h"
#include "store/table/inner.h"
#include "store/table/key.h"
#include "store/table/present.h"
#include "store/table/source.h"

#define ALL_COLUMNS UINT64_MAX

static int fill_keys(struct row_view *view, const struct row_reader *r,
		     const struct row *row, struct arena *arena,
		     const struct bytes *clustering)
{
	const struct table *t = r->table;
	struct bytes *values, *key_values;
	uint32_t i;
	int err;

	values = arena_alloc(arena, (t->clustering_count + 1) *
			     sizeof(*values));
	key_values = arena_alloc(arena, t->partition_key_count *
				 sizeof(*key_values));
	if (!values || !key_values)
		return -ENOMEM;
	err = table_partition_values(key_values, t, view->partition_key);
	if (err)
		return err;
	view->key_values = key_values;
	if (!clustering)
		return 0;
	for (i = 0; i < t->clustering_count; i++)
		values[i] = arena_copy(arena, clustering[i]);
	if (r->keeps_clustering)
		row_reader_written_clustering(r, row, values);
	view->clustering = values;
	return 0;
}

/*
 * Get the row with enough of it to know whether it is live: when the wanted
 * columns do not decide that, or have no cells, get all of its columns.
 */
static int get_live(struct store *s, const struct row_reader *r,
		    struct bytes key, struct arena *arena, struct row *row)
{
	int found;

	if (r->mask != ALL_COLUMNS) {
		found = table_source_get(s, r->table, key, r->mask, arena, row);
		if (found < 0 || (found && row_reader_is_live(r, row)))
			return found;
	}
	found = table_source_get(s, r->table, key, ALL_COLUMNS, arena, row);
	if (found <= 0 || row_reader_is_live(r, row))
		return found;
	watch_tombstones(row_reader_tombstones(r, row));
	return 0;
}

static int read_row(struct row_view *view, struct store *s,
		    const struct row_reader *r, struct bytes key,
		    const struct bytes *clustering, struct arena *arena)
{
	struct row row;
	int found = get_live(s, r, key, arena, &row), err;

	if (found <= 0)
		return found;
	view->engine_key = arena_copy(arena, key);
	if (clustering) {
		view->row_exists = true;
		if (marker_is_live(&row.marker, r->now_s))
			view->marker = row.marker;
		err = row_reader_cells(r, arena, &row, false, &view->cells,
				       &view->cell_count);
	} else {
		err = row_reader_cells(r, arena, &row, true, &view->statics,
				       &view->static_count);
	}
	if (!err)
		err = fill_keys(view, r, &row, arena, clustering);
	if (!err && arena->failed)
		err = -ENOMEM;
	return err ? err : 1;
}

int table_read(struct store *s, const struct table *t,
	       struct bytes partition_key, const struct bytes *clustering,
	       uint64_t columns, int64_t now_s, struct arena *arena,
	       struct row_view *row)
{
	static const struct bytes none = { NULL, 0 };
	struct row_reader r;
	struct buf key = BUF_INIT;
	int err;

	if (table_is_flat(t))
		clustering = &none;
	*row = (struct row_view){ .first_of_partition = true,
				  .marker = MARKER_NONE };
	err = row_reader_init(&r, t, columns, now_s ? now_s : store_now_s(s),
			      arena);
	if (err)
		return err;
	key_add_row(&key, t, partition_key, clustering);
	row->partition_key = arena_copy(arena, partition_key);
	if (key.failed || arena->failed) {
		err = -ENOMEM;
	} else {
		row->token = (int64_t)(get_be64(key.ptr) ^ (uint64_t)1 << 63);
		row->state = store_partition_state(s, t->number, row->token);
		err = read_row(row, s, &r, buf_bytes(&key), clustering, arena);
	}
	buf_release(&key);
	return err;
}

uint64_t table_columns_of(const struct column *column)
{
	return (uint64_t)1 << (column->number & 63);
}

/* 1 if they are equal, as their ordered forms are; 0; -ENOMEM. */
static int same_path(const struct column *column, struct bytes a, struct bytes b)
{
	struct buf one = BUF_INIT, other = BUF_INIT;
	int same;

	cell_add_path(&one, column, a);
	cell_add_path(&other, column, b);
	same = one.failed || other.failed ? -ENOMEM :
	       bytes_equal(buf_bytes(&one), buf_bytes(&other));
	buf_release(&one);
	buf_release(&other);
	return same;
}

int table_row_cell(const struct row_view *row, const struct column *column,
		   struct bytes path, struct cell_view *cell)
{
	bool is_static = column->kind == COLUMN_STATIC;
	const struct cell_view *cells = is_static ? row->statics : row->cells;
	uint32_t i, count = is_static ? row->static_count : row->cell_count;
	int found = 0;

	for (i = 0; i < count && !found; i++) {
		if (cells[i].column->number != column->number)
			continue;
		found = bytes_is_null(path) ? 1 :
			same_path(column, path, cells[i].path);
		if (found > 0)
			*cell = cells[i];
	}
	return found;
}

int table_read_cell(struct store *s, const struct table *t,
		    struct bytes partition_key, const struct bytes *clustering,
		    const struct column *column, struct bytes path,
		    int64_t now_s, struct arena *arena, struct cell_view *cell)
{
	struct row_view row;
	int found = table_read(s, t, partition_key,
			       column->kind == COLUMN_STATIC ? NULL
							     : clustering,
			       table_columns_of(column), now_s, arena, &row);

	return found > 0 ? table_row_cell(&row, column, path, cell) : found;
}

int table_newest(struct store *s, const struct table *t,
		 struct bytes partition_key, const struct bytes *clustering,
		 const struct column *column, struct bytes path,
		 struct arena *arena, int64_t *newest_us)
{
	static const struct bytes none = { NULL, 0 };
	struct buf key = BUF_INIT, ordered = BUF_INIT;
	struct deletion covering;
	struct row row;
	int found;
	uint32_t i;

	if (t->flags & TABLE_VIRTUAL)
		return -EROFS;
	if (column && column->kind == COLUMN_STATIC)
		clustering = NULL;
	if (table_is_flat(t))
		clustering = &none;
	key_add_row(&key, t, partition_key, clustering);
	if (!bytes_is_null(path))
		cell_add_path(&ordered, column, path);
	found = key.failed || ordered.failed ? -ENOMEM :
		lsm_get_covered(s->lsm, t->number, buf_bytes(&key), arena, &row,
				&covering);
	if (found >= 0)
		*newest_us = reconcile_deletion_max(row.deletion,
						    covering).timestamp;
	if (found > 0 && !column && row.marker.timestamp > *newest_us)
		*newest_us = row.marker.timestamp;
	for (i = 0; found > 0 && i < row.cell_count; i++) {
		const struct cell *c = &row.cells[i];

		if ((column && c->column != column->number) ||
		    c->timestamp <= *newest_us)
			continue;
		if ((c->flags & CELL_COLUMN_DELETION) ||
		    bytes_is_null(path) ||
		    bytes_equal(c->path, buf_bytes(&ordered)))
			*newest_us = c->timestamp;
	}
	buf_release(&key);
	buf_release(&ordered);
	return found < 0 ? found : 0;
}

int64_t table_latest(struct store *s, const struct table *t)
{
	struct lsm_table_stats stats;

	if (t->flags & TABLE_VIRTUAL)
		return NO_TIMESTAMP;
	lsm_table_stats(s->lsm, t->number, &stats);
	return stats.max_timestamp;
}
