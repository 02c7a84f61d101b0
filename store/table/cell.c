/*
 * Translate cells between the schema and the engine.
 *
 * A path in the engine is ordered by memcmp: of a set's element or a map's key
 * the byte-comparable form, of a user type the field's number as it is, of a
 * list the timeuuid with its time first and its last bytes signed. Where the
 * original bytes cannot be computed from the ordered form (1.0 and 1.00), the
 * cell's value begins with the path as written: a varint length and bytes.
 */
#include "store/table/cell.h"

#include <errno.h>

#include "store/table/inner.h"
#include "store/table/key.h"
#include "store/type/ordered.h"

static const struct type *path_type(const struct column *c)
{
	return c->type->parts[0];
}

bool cell_keeps_path(const struct column *c)
{
	return (c->type->kind == TYPE_SET || c->type->kind == TYPE_MAP) &&
	       !type_ordered_exact(path_type(c));
}

/* Write time_low 4, time_mid 2, time_high 2, rest 8 in the ordered form. */
static void order_list_path(uint8_t out[16], const uint8_t *id)
{
	int i;

	memcpy(out, id + 6, 2);
	memcpy(out + 2, id + 4, 2);
	memcpy(out + 4, id, 4);
	for (i = 8; i < 16; i++)
		out[i] = id[i] ^ 0x80;
}

static void list_path_back(uint8_t id[16], const uint8_t *ordered)
{
	int i;

	memcpy(id, ordered + 4, 4);
	memcpy(id + 4, ordered + 2, 2);
	memcpy(id + 6, ordered, 2);
	for (i = 8; i < 16; i++)
		id[i] = ordered[i] ^ 0x80;
}

void cell_add_path(struct buf *out, const struct column *c, struct bytes path)
{
	uint8_t ordered[16];

	switch (c->type->kind) {
	case TYPE_LIST:
		if (path.len == 16) {
			order_list_path(ordered, path.ptr);
			buf_add(out, ordered, 16);
		} else {
			buf_add_bytes(out, path);
		}
		break;
	case TYPE_SET:
	case TYPE_MAP:
		type_ordered_append(out, path_type(c), path, false);
		break;
	default:
		buf_add_bytes(out, path);
	}
}

static int decode_path(struct cell_view *view, struct arena *arena,
		       const struct column *c, struct bytes path)
{
	struct reader r = reader_of(path);
	struct buf out = BUF_INIT;
	bool is_null = false;
	uint8_t *id;
	int err;

	switch (c->type->kind) {
	case TYPE_LIST:
		if (path.len != 16)
			return -EUCLEAN;
		id = arena_alloc(arena, 16);
		if (!id)
			return -ENOMEM;
		list_path_back(id, path.ptr);
		view->path = bytes_of(id, 16);
		return 0;
	case TYPE_SET:
	case TYPE_MAP:
		err = type_ordered_decode(&out, &is_null, path_type(c), &r,
					  false);
		if (!err && reader_left(&r))
			err = -EUCLEAN;
		view->path = arena_copy(arena, buf_bytes(&out));
		if (!err && (out.failed || arena->failed))
			err = -ENOMEM;
		buf_release(&out);
		return err;
	default:
		view->path = path;
		return 0;
	}
}

static int view_of(struct cell_view *view, struct arena *arena,
		   const struct column *c, const struct cell *cell, bool live)
{
	struct reader r;

	view->column = c;
	view->path = BYTES_NULL;
	view->value = cell->value;
	view->timestamp_us = cell->timestamp;
	view->ttl_s = cell->ttl;
	view->expires_s = cell->ttl ? cell->local_time : NO_TIME;
	view->tombstone = !live;
	if (bytes_is_null(cell->path))
		return 0;
	if (!cell_keeps_path(c) || cell->flags & CELL_TOMBSTONE)
		return decode_path(view, arena, c, cell->path);
	r = reader_of(cell->value);
	view->path = read_sized(&r);
	view->value = read_bytes(&r, reader_left(&r));
	return r.failed ? -EUCLEAN : 0;
}

/* ------------------------------------------------------------------- rows */
static uint64_t bit(uint32_t number)
{
	return (uint64_t)1 << (number & 63);
}

int row_reader_init(struct row_reader *r, const struct table *t,
		    uint64_t wanted, int64_t now_s, struct arena *arena)
{
	uint32_t i, j;

	*r = (struct row_reader){ .table = t, .in_order = true,
				  .now_s = now_s, .wanted = wanted };
	r->keeps_clustering = key_keeps_clustering(t);
	r->mask = wanted | (r->keeps_clustering ? bit(CELL_CLUSTERING) : 0);
	r->by_number = arena_alloc(arena, (t->column_count + 1) *
				   sizeof(*r->by_number));
	if (!r->by_number)
		return -ENOMEM;
	for (i = 0; i < t->column_count; i++) {
		uint32_t number = t->columns[i].number;

		for (j = i; j && t->columns[r->by_number[j - 1]].number >
				 number; j--)
			r->by_number[j] = r->by_number[j - 1];
		r->by_number[j] = i;
		if (j < i)
			r->in_order = false;
	}
	return 0;
}

/* Find the column of a number from place *at in by_number on (numbers
 * ascend). */
static const struct column *find_column(const struct row_reader *r,
					uint32_t *at, uint32_t number)
{
	const struct table *t = r->table;

	while (*at < t->column_count &&
	       t->columns[r->by_number[*at]].number < number)
		++*at;
	if (*at == t->column_count ||
	    t->columns[r->by_number[*at]].number != number)
		return NULL;
	return &t->columns[r->by_number[*at]];
}

/* True if the cell is older than the drop of its column. */
static bool is_dropped(const struct table *t, const struct cell *cell)
{
	uint32_t i;

	for (i = 0; i < t->dropped_count; i++)
		if (t->dropped[i].number == cell->column)
			return cell->timestamp <= t->dropped[i].dropped_us;
	return false;
}

int64_t row_reader_until(const struct row_reader *r, const struct row *row)
{
	int64_t until = 0, ends;
	uint32_t i, at = 0;

	if (marker_is_live(&row->marker, r->now_s))
		until = row->marker.ttl ? row->marker.expires : NO_TIME;
	for (i = 0; i < row->cell_count && until != NO_TIME; i++) {
		const struct cell *cell = &row->cells[i];

		if (cell->column < COLUMN_NUMBER_FIRST ||
		    !cell_is_live(cell, r->now_s) ||
		    is_dropped(r->table, cell))
			continue;
		ends = cell->ttl ? cell->local_time : NO_TIME;
		if (ends > until && find_column(r, &at, cell->column))
			until = ends;
	}
	return until;
}

bool row_reader_find_lasting(struct row_reader *r, uint32_t column)
{
	uint32_t at = 0;

	/* Older cells of a column that was dropped are hidden. */
	if (r->table->dropped_count || !find_column(r, &at, column))
		return false;
	r->lasting = column;
	return true;
}

bool row_reader_may_purge(const struct row_reader *r, int64_t local_time)
{
	return local_time < r->now_s - r->table->options.gc_grace_seconds;
}

uint64_t row_reader_tombstones(const struct row_reader *r,
			       const struct row *row)
{
	uint64_t dead = 0;
	bool purgeable = true;
	uint32_t i;

	for (i = 0; i < row->cell_count; i++) {
		const struct cell *cell = &row->cells[i];

		if (cell_is_live(cell, r->now_s) ||
		    row_reader_may_purge(r, cell->local_time - cell->ttl))
			continue;
		purgeable = false;
		if (!(cell->flags & CELL_COLUMN_DELETION))
			dead++;
	}
	if (!deletion_is_none(row->deletion) &&
	    !row_reader_may_purge(r, row->deletion.local_time))
		purgeable = false;
	return dead ? dead : !purgeable;
}

/* A run of cells of one column. */
struct cell_run {
	uint32_t place, start, count;
};

/* Sort runs that came in the order of numbers by place. */
static int sort_runs(struct arena *arena, struct cell_view *views,
		     uint32_t count, const struct row_reader *r)
{
	const struct column *columns = r->table->columns;
	struct cell_view *sorted;
	struct cell_run *runs;
	uint32_t i, j, run_count = 0, at = 0;

	runs = arena_alloc(arena, (count + 1) * sizeof(*runs));
	sorted = arena_alloc(arena, count * sizeof(*sorted));
	if (!runs || !sorted)
		return -ENOMEM;
	for (i = 0; i < count; i = j) {
		struct cell_run run = {
			(uint32_t)(views[i].column - columns), i, 0 };
		uint32_t k = run_count++;

		for (j = i; j < count && views[j].column == views[i].column;
		     j++)
			run.count++;
		for (; k && runs[k - 1].place > run.place; k--)
			runs[k] = runs[k - 1];
		runs[k] = run;
	}
	for (i = 0; i < run_count; i++) {
		memcpy(sorted + at, views + runs[i].start,
		       runs[i].count * sizeof(*sorted));
		at += runs[i].count;
	}
	memcpy(views, sorted, count * sizeof(*sorted));
	return 0;
}

int row_reader_cells(const struct row_reader *r, struct arena *arena,
		     const struct row *row, bool statics,
		     const struct cell_view **cells, uint32_t *count)
{
	struct cell_view *views;
	uint32_t i, at = 0, n = 0;
	int err;

	*cells = NULL;
	*count = 0;
	if (!row->cell_count)
		return 0;
	views = arena_alloc(arena, row->cell_count * sizeof(*views));
	if (!views)
		return -ENOMEM;
	for (i = 0; i < row->cell_count; i++) {
		const struct cell *cell = &row->cells[i];
		const struct column *c;
		bool live;

		if (cell->column < COLUMN_NUMBER_FIRST ||
		    !(r->wanted & bit(cell->column)))
			continue;
		live = cell_is_live(cell, r->now_s);
		if ((!live && !r->raw) || is_dropped(r->table, cell))
			continue;
		c = find_column(r, &at, cell->column);
		if (!c || c->hidden || (c->kind == COLUMN_STATIC) != statics)
			continue;
		err = view_of(&views[n++], arena, c, cell, live);
		if (err)
			return err;
	}
	*cells = views;
	*count = n;
	return n && !r->in_order ? sort_runs(arena, views, n, r) : 0;
}

void row_reader_written_clustering(const struct row_reader *r,
				   const struct row *row,
				   struct bytes *clustering)
{
	uint32_t i;

	for (i = 0; i < row->cell_count; i++) {
		const struct cell *cell = &row->cells[i];
		uint16_t place;

		if (cell->column > CELL_CLUSTERING)
			return;
		if (cell->column != CELL_CLUSTERING || cell->path.len != 2 ||
		    cell->flags)
			continue;
		place = get_be16(cell->path.ptr);
		if (place < r->table->clustering_count)
			clustering[place] = cell->value;
	}
}
