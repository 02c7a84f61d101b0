#include "store/row/reconcile.h"

#include <errno.h>

#include "store/row/row.h"

#define CELL_DELETED (CELL_TOMBSTONE | CELL_COLUMN_DELETION)

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

struct deletion reconcile_deletion_max(struct deletion a, struct deletion b)
{
	int which = order(a.timestamp, b.timestamp);

	if (!which && !deletion_is_none(a))
		which = order(a.local_time, b.local_time);
	return which >= 0 ? a : b;
}

/* 2: deleted; 1: expires or has expired; 0: neither. The larger wins a tie. */
static int cell_rank(const struct cell *c)
{
	return c->flags & CELL_DELETED ? 2 : c->ttl != 0;
}

/* Compare as unsigned bytes; counters' totals as signed numbers. */
static int value_order(const struct cell *a, const struct cell *b)
{
	bool counter = a->flags & CELL_COUNTER;

	if (counter && a->value.len && b->value.len) {
		int first = order((int8_t)a->value.ptr[0],
				  (int8_t)b->value.ptr[0]);

		if (first)
			return first;
	}
	return bytes_compare(a->value, b->value);
}

int reconcile_cell(const struct cell *a, const struct cell *b)
{
	int rank = cell_rank(a), which;

	which = order(a->timestamp, b->timestamp);
	if (!which)
		which = order(rank, cell_rank(b));
	if (!which && rank)
		which = order(a->local_time, b->local_time);
	if (!which && rank == 1)
		which = order(b->ttl, a->ttl);
	if (!which)
		which = order(a->flags & CELL_COUNTER, b->flags & CELL_COUNTER);
	if (!which && rank < 2)
		which = value_order(a, b);
	return which;
}

int reconcile_marker(const struct marker *a, const struct marker *b)
{
	int which = order(a->timestamp, b->timestamp);

	if (!which)
		which = order(a->ttl != 0, b->ttl != 0);
	if (!which && a->ttl)
		which = order(a->expires, b->expires);
	return which ? which : order(b->ttl, a->ttl);
}

/* Compare places in a row: (column, column deletion first, path). <0, 0, >0. */
static int place_order(const struct cell *a, const struct cell *b)
{
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if ((a->flags ^ b->flags) & CELL_COLUMN_DELETION)
		return a->flags & CELL_COLUMN_DELETION ? -1 : 1;
	return bytes_compare(a->path, b->path);
}

struct merging {
	struct row *out;
	int64_t covered;	/* by the row's deletion or from outside */
	int64_t column_covered;	/* and by the deletion of this column */
	uint32_t column;
};

static void keep_cell(struct merging *m, const struct cell *cell)
{
	if (cell->column != m->column) {
		m->column = cell->column;
		m->column_covered = m->covered;
	}
	if (cell->timestamp <= m->column_covered)
		return;
	if (cell->flags & CELL_COLUMN_DELETION)
		m->column_covered = cell->timestamp;
	m->out->cells[m->out->cell_count++] = *cell;
}

static void merge_two(struct merging *m, const struct row *a,
		      const struct row *b)
{
	uint32_t i = 0, j = 0;

	while (i < a->cell_count && j < b->cell_count) {
		const struct cell *x = &a->cells[i], *y = &b->cells[j];
		int place = place_order(x, y);

		if (!place)
			keep_cell(m, reconcile_cell(x, y) >= 0 ? x : y);
		else
			keep_cell(m, place < 0 ? x : y);
		i += place <= 0;
		j += place >= 0;
	}
	for (; i < a->cell_count; i++)
		keep_cell(m, &a->cells[i]);
	for (; j < b->cell_count; j++)
		keep_cell(m, &b->cells[j]);
}

/* Find the first place for which any row has a cell; at[i]: the next of
 * rows[i]. */
static const struct cell *first_place(const struct row *const *rows,
				      size_t count, const uint32_t *at)
{
	const struct cell *first = NULL;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct cell *c = rows[i]->cells + at[i];

		if (at[i] < rows[i]->cell_count &&
		    (!first || place_order(c, first) < 0))
			first = c;
	}
	return first;
}

static void merge_many(struct merging *m, const struct row *const *rows,
		       size_t count, uint32_t *at)
{
	const struct cell *place;

	while ((place = first_place(rows, count, at))) {
		const struct cell *best = place;
		size_t i;

		for (i = 0; i < count; i++) {
			const struct cell *c = rows[i]->cells + at[i];

			if (at[i] == rows[i]->cell_count ||
			    place_order(c, place))
				continue;
			at[i]++;
			if (reconcile_cell(c, best) > 0)
				best = c;
		}
		keep_cell(m, best);
	}
}

static void merge_heads(struct row *out, const struct row *const *rows,
			size_t count, struct deletion covering)
{
	int64_t covered;
	size_t i;

	*out = ROW_NONE;
	for (i = 0; i < count; i++) {
		out->deletion = reconcile_deletion_max(out->deletion,
						       rows[i]->deletion);
		if (reconcile_marker(&rows[i]->marker, &out->marker) > 0)
			out->marker = rows[i]->marker;
	}
	if (out->deletion.timestamp <= covering.timestamp)
		out->deletion = DELETION_NONE;
	covered = reconcile_deletion_max(out->deletion, covering).timestamp;
	if (out->marker.timestamp <= covered)
		out->marker = MARKER_NONE;
}

int row_merge(struct row *out, struct arena *arena,
	      const struct row *const *rows, size_t count,
	      struct deletion covering)
{
	struct merging m = { .out = out };
	uint64_t cells = 0;
	uint32_t *at;
	size_t i;

	merge_heads(out, rows, count, covering);
	m.covered = reconcile_deletion_max(out->deletion, covering).timestamp;
	m.column_covered = m.covered;
	for (i = 0; i < count; i++)
		cells += rows[i]->cell_count;
	if (!cells)
		return 0;
	if (cells > UINT32_MAX)
		return -ENOMEM;
	out->cells = arena_alloc(arena, cells * sizeof(*out->cells));
	if (!out->cells)
		return -ENOMEM;
	if (count <= 2) {
		static const struct row none = { .cell_count = 0 };

		merge_two(&m, rows[0], count == 2 ? rows[1] : &none);
		return 0;
	}
	at = arena_zalloc(arena, count, sizeof(*at));
	if (!at)
		return -ENOMEM;
	merge_many(&m, rows, count, at);
	return 0;
}

/* True if b is no weaker than a. */
static bool covers(struct deletion b, struct deletion a)
{
	return a.timestamp < b.timestamp ||
	       (a.timestamp == b.timestamp && a.local_time <= b.local_time);
}

/* The cells of another version, which are walked along with those of the
 * row. */
struct subtracting {
	const struct cell *next, *end;
	int64_t covered;
	int64_t column_covered;	/* by the deletion of this column, if any */
	uint32_t column;
};

/* Return the other version's cell at c's place, or NULL. */
static const struct cell *same_place(struct subtracting *s,
				     const struct cell *c)
{
	for (; s->next < s->end; s->next++) {
		int place = place_order(s->next, c);

		if (place >= 0)
			return place ? NULL : s->next;
		if (s->next->flags & CELL_COLUMN_DELETION) {
			s->column = s->next->column;
			s->column_covered = s->next->timestamp;
		}
	}
	return NULL;
}

static bool is_subtracted(struct subtracting *s, const struct cell *c)
{
	const struct cell *other = same_place(s, c);

	if (c->timestamp <= s->covered)
		return true;
	if (other)
		return reconcile_cell(other, c) >= 0;
	return c->column == s->column && c->timestamp <= s->column_covered;
}

bool row_subtract(struct row *row, const struct row *by,
		  struct deletion covering)
{
	struct subtracting s = { .next = by->cells, .column = UINT32_MAX };
	bool changed = false;
	uint32_t i, kept = 0;

	s.end = by->cells + by->cell_count;
	s.covered = reconcile_deletion_max(by->deletion, covering).timestamp;
	if (row->marker.timestamp != NO_TIMESTAMP &&
	    (row->marker.timestamp <= s.covered ||
	     reconcile_marker(&by->marker, &row->marker) >= 0)) {
		row->marker = MARKER_NONE;
		changed = true;
	}
	if (!deletion_is_none(row->deletion) &&
	    (row->deletion.timestamp <= covering.timestamp ||
	     covers(by->deletion, row->deletion))) {
		row->deletion = DELETION_NONE;
		changed = true;
	}
	for (i = 0; i < row->cell_count; i++)
		if (!is_subtracted(&s, &row->cells[i]))
			row->cells[kept++] = row->cells[i];
	changed |= kept != row->cell_count;
	row->cell_count = kept;
	return changed;
}

struct purging {
	int64_t gc_before, purge_before;
};

static bool may_go(const struct purging *p, int64_t timestamp,
		   int64_t local_time)
{
	return local_time < p->gc_before && timestamp < p->purge_before;
}

/* Make a tombstone of an expired cell, deleted when the cell was written. */
static void expire_cell(struct cell *c)
{
	c->flags |= CELL_TOMBSTONE;
	c->local_time -= c->ttl;
	c->ttl = 0;
	c->value = BYTES_NULL;
}

void row_purge(struct row *row, int64_t now, int64_t gc_before,
	       int64_t purge_before, bool *keep)
{
	struct purging p = { gc_before, purge_before };
	struct marker *m = &row->marker;
	uint32_t i, kept = 0, data = 0;

	if (m->timestamp != NO_TIMESTAMP && !marker_is_live(m, now) &&
	    may_go(&p, m->timestamp, m->expires))
		*m = MARKER_NONE;
	if (!deletion_is_none(row->deletion) &&
	    may_go(&p, row->deletion.timestamp, row->deletion.local_time))
		row->deletion = DELETION_NONE;
	for (i = 0; i < row->cell_count; i++) {
		struct cell *c = &row->cells[i];

		if (!(c->flags & CELL_DELETED) && !cell_is_live(c, now))
			expire_cell(c);
		if (c->flags & CELL_DELETED &&
		    may_go(&p, c->timestamp, c->local_time))
			continue;
		data += c->column != CELL_CLUSTERING ||
			c->timestamp >= purge_before;
		row->cells[kept++] = *c;
	}
	row->cell_count = kept;
	*keep = data || m->timestamp != NO_TIMESTAMP ||
		!deletion_is_none(row->deletion);
}

static void add_time(struct row_stats *s, int64_t timestamp)
{
	if (timestamp < s->min_timestamp)
		s->min_timestamp = timestamp;
	if (timestamp > s->max_timestamp)
		s->max_timestamp = timestamp;
}

static void add_local_time(struct row_stats *s, int64_t local_time)
{
	if (local_time < s->min_local_time)
		s->min_local_time = local_time;
	if (local_time > s->max_local_time)
		s->max_local_time = local_time;
}

void row_add_stats(struct row_stats *stats, const struct row *row)
{
	uint32_t i;

	if (row->marker.timestamp != NO_TIMESTAMP) {
		add_time(stats, row->marker.timestamp);
		if (row->marker.ttl)
			add_local_time(stats, row->marker.expires);
		else
			stats->has_permanent = true;
	}
	if (!deletion_is_none(row->deletion)) {
		add_time(stats, row->deletion.timestamp);
		add_local_time(stats, row->deletion.local_time);
		stats->tombstones++;
	}
	for (i = 0; i < row->cell_count; i++) {
		const struct cell *c = &row->cells[i];

		add_time(stats, c->timestamp);
		if (cell_rank(c))
			add_local_time(stats, c->local_time);
		else
			stats->has_permanent = true;
		if (c->flags & CELL_DELETED)
			stats->tombstones++;
	}
	stats->cells += row->cell_count;
}
