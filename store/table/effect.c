#include "store/table/effect.h"

#include <errno.h>

#include "store/row/reconcile.h"
#include "store/table/cell.h"

/* Both lists of a row's cells, as far as they were compared. */
struct comparison {
	const struct cell_view *old, *old_end;
	const struct cell *new, *new_end;	/* of the present column */
	const struct table_change *change;
	struct deletion deletion;	/* of all in the column */
	struct buf path;		/* of *old, as the engine orders it */
};

static bool is_given(const struct cell *c)
{
	return !(c->flags & (CELL_TOMBSTONE | CELL_COLUMN_DELETION));
}

/* Go to the cells of the column in the change. */
static void find_new(struct comparison *w, const struct column *column)
{
	const struct cell *c = w->change->written.cells;
	const struct cell *end = c + w->change->written.cell_count;

	w->deletion = w->change->written.deletion;
	while (c < end && c->column != column->number)
		c++;
	w->new = c;
	while (c < end && c->column == column->number)
		c++;
	w->new_end = c;
	if (w->new < w->new_end && (w->new->flags & CELL_COLUMN_DELETION)) {
		if (w->new->timestamp > w->deletion.timestamp)
			w->deletion.timestamp = w->new->timestamp;
		w->new++;
	}
}

/* Go past the new cells that come before *old, and the one of its place: *same,
 * or NULL. True if one of those before gives a value. */
static bool pass_new(struct comparison *w, const struct cell **same)
{
	bool gives = false;
	int order = 1;

	*same = NULL;
	buf_clear(&w->path);
	if (!bytes_is_null(w->old->path))
		cell_add_path(&w->path, w->old->column, w->old->path);
	for (; w->new < w->new_end; w->new++) {
		order = bytes_is_null(w->old->path) ?
				0 : bytes_compare(w->new->path,
						  buf_bytes(&w->path));
		if (order >= 0)
			break;
		gives |= is_given(w->new);
	}
	if (!order)
		*same = w->new++;
	return gives;
}

static void compare_old(struct comparison *w, struct column_effect *e)
{
	const struct cell *same;
	int64_t at = w->old->timestamp_us;
	bool stays;

	if (pass_new(w, &same))
		e->is = e->adds = true;
	stays = w->deletion.timestamp < at;
	if (same)
		stays = is_given(same) || (stays && same->timestamp < at);
	e->was = true;
	e->is |= stays;
	e->removes |= !stays;
}

/* Compare all cells of the column, from *w->old on. */
static void compare_column(struct comparison *w, struct column_effect *e)
{
	find_new(w, e->column);
	for (; w->old < w->old_end && w->old->column == e->column; w->old++)
		compare_old(w, e);
	for (; w->new < w->new_end; w->new++)
		if (is_given(w->new))
			e->is = e->adds = true;
}

static bool has(const struct row_effect *r, const struct column *column)
{
	uint32_t i;

	for (i = 0; i < r->count; i++)
		if (r->columns[i].column == column)
			return true;
	return false;
}

/* Add the column, if it had or has something, and note whether it lets the row
 * exist. */
static void add_column(struct row_effect *r, struct comparison *w,
		       const struct column *column)
{
	struct column_effect e = { .column = column };

	if (has(r, column))
		return;
	compare_column(w, &e);
	r->is |= e.is;
	if (e.was || e.is)
		r->columns[r->count++] = e;
}

static bool keeps_marker(const struct table_change *c,
			 const struct row_view *before)
{
	return c->written.marker.timestamp != NO_TIMESTAMP ||
	       (before && !c->is_static &&
		before->marker.timestamp > c->written.deletion.timestamp);
}

int row_effect_find(struct row_effect *out, const struct table_change *c,
		    const struct row_view *before, struct arena *arena)
{
	struct comparison w = { .change = c, .path = BUF_INIT };
	uint32_t i, old_count = !before ? 0 : c->is_static ?
				before->static_count : before->cell_count;
	int err = 0;

	if (old_count) {
		w.old = c->is_static ? before->statics : before->cells;
		w.old_end = w.old + old_count;
	}
	*out = (struct row_effect){ .is = keeps_marker(c, before) };
	out->columns = arena_alloc(arena, (old_count + c->column_count + 1) *
						  sizeof(*out->columns));
	if (!out->columns)
		return -ENOMEM;
	while (w.old < w.old_end)
		add_column(out, &w, w.old->column);
	for (i = 0; i < c->column_count; i++)
		add_column(out, &w, c->columns[i]);
	if (w.path.failed)
		err = -ENOMEM;
	buf_release(&w.path);
	return err;
}

int row_effect_merge(struct table_change *out,
		     const struct table_change *const *changes, size_t count,
		     struct deletion covering, struct arena *arena)
{
	const struct row **rows = arena_alloc(arena, count * sizeof(*rows));
	const struct column **columns;
	uint32_t column_count = 0;
	size_t i;
	int err;

	for (i = 0; i < count; i++)
		column_count += changes[i]->column_count;
	columns = arena_alloc(arena, (column_count + 1) * sizeof(*columns));
	if (!rows || !columns)
		return -ENOMEM;
	*out = *changes[0];
	out->columns = columns;
	for (i = 0; i < count; i++) {
		const struct table_change *c = changes[i];

		rows[i] = &c->written;
		if (c->column_count)
			memcpy(columns, c->columns,
			       c->column_count * sizeof(*columns));
		columns += c->column_count;
		out->row_deleted |= c->row_deleted;
		out->gives |= c->gives;
		out->removes |= c->removes;
		if (c->earliest_expiry_s < out->earliest_expiry_s)
			out->earliest_expiry_s = c->earliest_expiry_s;
	}
	out->column_count = column_count;
	err = row_merge(&out->written, arena, rows, count, covering);
	out->written.deletion = reconcile_deletion_max(out->written.deletion,
						       covering);
	return err;
}
