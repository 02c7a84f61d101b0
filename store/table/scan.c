/* The rows of one partition, in either direction: slices, skips, liveness. */
#include <errno.h>

#include "store/base/watch.h"
#include "store/row/row_codec.h"
#include "store/table/cell.h"
#include "store/table/cursor.h"
#include "store/table/key.h"

/* ------------------------------------------------------------- looking ahead */
/* Range tombstones count for the warnings, deletions of partitions do not. */
static ASIDE void count_bound(struct cursor *c, const struct entry *e)
{
	size_t len = key_partition_len(e->key);
	struct deletion d = deletion_is_none(e->after) ? e->before : e->after;

	if (len && len < e->key.len &&
	    e->key.ptr[len] == table_row_kind(c->table) &&
	    !row_reader_may_purge(&c->reader, d.local_time))
		c->cost.tombstones++;
}

/*
 * True if the entry is after the partition that is read, of a list. Its
 * iterator continues from there: where the next ones are deleted the next row
 * may be far.
 */
static bool has_left_partition(const struct cursor *c, const struct peek *p)
{
	struct bytes prefix = buf_bytes(&c->prefix);
	int order;

	if (!c->query.partition_count || c->refs ||
	    bytes_begin_with(p->entry.key, prefix))
		return false;
	order = bytes_compare(p->entry.key, prefix);
	return p->reversed ? order < 0 : order > 0;
}

static inline int look(struct cursor *c, struct peek *p)
{
	int more;

	if (p->have)
		return 1;
	if (p->ended)
		return 0;
	for (;;) {
		more = watch_step();
		if (!more)
			more = iterator_next(p->it, &p->entry);
		if (more <= 0) {
			p->ended = !more;
			p->entry.key = BYTES_NULL;
			return more;
		}
		if (p->entry.kind == ENTRY_ROW)
			break;
		if (has_left_partition(c, p)) {
			p->ended = true;
			return 0;
		}
		count_bound(c, &p->entry);
	}
	p->have = true;
	return 1;
}

int scan_peek_row(struct cursor *c, struct peek *p)
{
	return look(c, p);
}

static int seek(struct peek *p, struct bytes key)
{
	struct deletion in_force;
	int order, err;

	if (p->have) {
		order = bytes_compare(p->entry.key, key);
		if (p->reversed ? order < 0 : order >= 0)
			return 0;
	} else if (p->ended && p->sought) {
		return 0;	/* a seek only continues in the same
				 * direction */
	}
	p->have = false;
	err = iterator_seek(p->it, key, &in_force);
	p->entry.key = BYTES_NULL;
	if (!err) {
		p->ended = false;
		p->sought = true;
	}
	return err;
}

int scan_peek_seek(struct cursor *c, struct peek *p, struct bytes key)
{
	/* Rows that a seek passes were not looked at. */
	if (p == c->rows)
		dead_run_end(&c->dead);
	return seek(p, key);
}

void scan_peek_forget(struct peek *p)
{
	p->have = p->ended = p->sought = false;
}

/* ------------------------------------------------------------------ statics */
/* Values outlive the entry: copy them. */
static int keep_cells(struct arena *arena, const struct cell_view *cells,
		      uint32_t count)
{
	struct cell_view *views = (struct cell_view *)cells;
	uint32_t i;

	for (i = 0; i < count; i++) {
		views[i].value = arena_copy(arena, views[i].value);
		views[i].path = arena_copy(arena, views[i].path);
	}
	return arena->failed ? -ENOMEM : 0;
}

static int decode_statics(struct cursor *c, struct bytes encoded)
{
	struct row row;
	int err = row_decode(&row, &c->partition_memory, encoded);

	if (!err)
		err = row_reader_cells(&c->reader, &c->partition_memory, &row,
				       true, &c->statics, &c->static_count);
	if (!err)
		err = keep_cells(&c->partition_memory, c->statics,
				 c->static_count);
	return err;
}

/* Step p to the row of that key: 1: it is the next, 0: there is none, -errno. */
static int peek_exactly(struct cursor *c, struct peek *p, struct bytes key)
{
	int err = scan_peek_seek(c, p, key);
	int more = err ? err : scan_peek_row(c, p);

	return more > 0 ? bytes_equal(p->entry.key, key) : more;
}

int cursor_read_statics(struct cursor *c)
{
	struct peek *p = &c->partitions;
	int found;

	c->statics_read = true;
	if (!c->query.with_statics || !table_has_statics(c->table))
		return 0;
	buf_clear(&c->scratch);
	buf_add_bytes(&c->scratch, buf_bytes(&c->prefix));
	key_add_place(&c->scratch, c->table, NULL);
	if (c->scratch.failed)
		return -ENOMEM;
	found = peek_exactly(c, p, buf_bytes(&c->scratch));
	return found > 0 ? decode_statics(c, p->entry.row) : found;
}

/* --------------------------------------------------------------------- rows */
static inline bool in_this_partition(const struct cursor *c, struct bytes key)
{
	return key.len > c->prefix.len &&
	       bytes_same(key.ptr, c->prefix.ptr, c->prefix.len) &&
	       key.ptr[c->prefix.len] == table_row_kind(c->table);
}

static struct bytes scratch_key(struct cursor *c, struct bytes suffix)
{
	buf_clear(&c->scratch);
	buf_add_bytes(&c->scratch, buf_bytes(&c->prefix));
	buf_add_bytes(&c->scratch, suffix);
	return buf_bytes(&c->scratch);
}

/* Return the slice of the cursor's place, counted in its direction. */
static const struct range *current_range(const struct cursor *c)
{
	size_t count = c->query.slice_count;

	if (c->range_index >= count)
		return NULL;
	return &c->ranges[c->query.reversed ? count - 1 - c->range_index
					    : c->range_index];
}

/* Return where in the slice rows begin, in the cursor's direction. */
static struct bytes near_end(const struct cursor *c, const struct range *range)
{
	bool reversed = c->query.reversed;
	struct bytes near = reversed ? range->end : range->start;
	int order;

	if (!c->is_after)
		return near;
	order = bytes_compare(c->after_place, near);
	return (reversed ? order < 0 : order > 0) ? c->after_place : near;
}

/* True if the key is not past the slice's far end. */
static bool is_within(const struct cursor *c, const struct range *range,
		      struct bytes key)
{
	struct bytes suffix = bytes_of(key.ptr + c->prefix.len,
				       key.len - c->prefix.len);

	return c->query.reversed ? bytes_compare(suffix, range->start) >= 0
				 : bytes_compare(suffix, range->end) < 0;
}

/* Skip all rows with the same begin as the last one returned, whose entry is
 * still the present one. */
static ASIDE int skip_rows(struct cursor *c)
{
	uint32_t keep = (uint32_t)c->skip;
	size_t len = c->prefix.len + 1 + (keep ? c->ends[keep - 1] : 0);

	c->skip = -1;
	buf_clear(&c->row_key);
	buf_add(&c->row_key, c->rows->entry.key.ptr, len);
	buf_add_byte(&c->row_key, c->query.reversed ? KEY_BEFORE_PREFIX
						    : KEY_AFTER_PREFIX);
	if (c->row_key.failed)
		return -ENOMEM;
	return scan_peek_seek(c, c->rows, buf_bytes(&c->row_key));
}

/*
 * Step to the next entry of the partition that is in a slice: 1, 0, -errno.
 * Entries before the next slice are passed by a seek.
 */
static ASIDE int next_entry(struct cursor *c)
{
	struct peek *p = c->rows;
	const struct range *range;
	int more, err;

	for (;;) {
		range = current_range(c);
		if (!range)
			return 0;
		if (!c->range_entered) {
			err = scan_peek_seek(c, p, scratch_key(c,
						near_end(c, range)));
			if (err || c->scratch.failed)
				return err ? err : -ENOMEM;
			c->range_entered = true;
		}
		more = scan_peek_row(c, p);
		if (more <= 0)
			return more;
		if (!in_this_partition(c, p->entry.key))
			return 0;
		if (is_within(c, range, p->entry.key))
			return 1;
		c->range_index++;
		c->range_entered = false;
	}
}

/* The same without slices, going forward: take the entries in their order. */
static int next_entry_of_all(struct cursor *c)
{
	struct peek *p = c->rows;
	int more;

	for (;;) {
		more = look(c, p);
		if (more <= 0)
			return more;
		if (in_this_partition(c, p->entry.key))
			return 1;
		/* Attributes and statics come before the rows. */
		if (p->entry.key.len <= c->prefix.len ||
		    memcmp(p->entry.key.ptr, c->prefix.ptr, c->prefix.len) ||
		    p->entry.key.ptr[c->prefix.len] >
			    table_row_kind(c->table))
			return 0;
		p->have = false;
	}
}

/* Decode as much as is needed to know until when the row exists (0: it does
 * not). For names that is all cells, as any may make it exist longer. */
static int decode_row(struct cursor *c, struct row *row, int64_t *until)
{
	struct bytes encoded = c->rows->entry.row;
	uint64_t mask = c->names ? UINT64_MAX : c->reader.mask;
	int err;

	arena_clear(&c->row_memory);
	err = row_decode_columns(row, &c->row_memory, encoded, mask);
	if (err)
		return err;
	*until = row_reader_until(&c->reader, row);
	if (*until || mask == UINT64_MAX)
		return 0;
	err = row_decode(row, &c->row_memory, encoded);
	if (!err)
		*until = row_reader_until(&c->reader, row);
	return err;
}

/* The row exists: fill in its key's values. 1, -errno. */
static int take_key(struct cursor *c, struct row_view *view, int64_t until)
{
	struct bytes key = c->rows->entry.key;
	struct bytes suffix = bytes_of(key.ptr + c->prefix.len + 1,
				       key.len - c->prefix.len - 1);
	int err;

	c->rows->have = false;
	dead_run_end(&c->dead);
	c->cost.rows++;
	err = key_read_clustering(c->clustering, c->ends,
				  &c->clustering_memory, c->table, suffix);
	view->row_exists = true;
	view->clustering = c->clustering;
	view->engine_key = key;
	view->names = c->names;
	view->expires_s = until;
	view->cells = NULL;
	view->cell_count = 0;
	view->marker = MARKER_NONE;
	view->attribute = BYTES_NULL;
	return err ? err : 1;
}

/* Skip the row that was looked at, and all rows known to be dead after it. */
static int pass_dead(struct cursor *c)
{
	struct bytes to;

	c->rows->have = false;
	if (c->query.reversed || !c->dead.lsm ||
	    !dead_run_add(&c->dead, c->rows->entry.key, &to))
		return 0;
	return seek(c->rows, to);
}

static ASIDE int take_decoded(struct cursor *c, struct row_view *view)
{
	struct row row;
	int64_t until;
	int got = decode_row(c, &row, &until);

	if (got)
		return got;
	if (!until)
		c->cost.tombstones += row_reader_tombstones(&c->reader, &row);
	if (!until && !c->reader.raw)
		return pass_dead(c);
	got = take_key(c, view, until);
	if (got < 0)
		return got;
	if (c->reader.keeps_clustering)
		row_reader_written_clustering(&c->reader, &row, c->clustering);
	if (c->names)
		return 1;
	if (c->reader.raw || marker_is_live(&row.marker, c->reader.now_s))
		view->marker = row.marker;
	got = row_reader_cells(&c->reader, &c->row_memory, &row, false,
			       &view->cells, &view->cell_count);
	return got ? got : 1;
}

/* Take the entry that was looked at: 1 with *view, 0 it is not live, -errno. */
static int take_row(struct cursor *c, struct row_view *view)
{
	if (c->names && !c->reader.keeps_clustering &&
	    row_reader_lasts(&c->reader, c->rows->entry.row))
		return take_key(c, view, NO_TIME);
	return take_decoded(c, view);
}

int cursor_row(struct cursor *c, struct row_view *view)
{
	int more, err;

	do {
		if (c->skip >= 0) {
			err = skip_rows(c);
			if (err)
				return err;
		}
		more = c->query.slice_count ? next_entry(c)
					    : next_entry_of_all(c);
		if (more <= 0)
			return more;
		more = take_row(c, view);
	} while (!more);
	return more;
}

/* True if the row with this key is in one of the slices. */
static bool is_in_slices(const struct cursor *c, struct bytes key)
{
	struct bytes suffix = bytes_of(key.ptr + c->prefix.len,
				       key.len - c->prefix.len);
	size_t i;

	if (c->is_after && bytes_compare(suffix, c->after_place) < 0)
		return false;
	for (i = 0; i < c->query.slice_count; i++)
		if (bytes_compare(suffix, c->ranges[i].start) >= 0 &&
		    bytes_compare(suffix, c->ranges[i].end) < 0)
			return true;
	return !c->query.slice_count;
}

int cursor_row_at(struct cursor *c, struct bytes key, struct row_view *view)
{
	int found = is_in_slices(c, key) ? peek_exactly(c, c->rows, key) : 0;

	return found > 0 ? take_row(c, view) : found;
}
