/*
 * Build a write. A row is built cell by cell in memory; when the next one
 * begins, or at the end, its cells are sorted and it becomes an operation of
 * the batch. commit_write adds the operations of the indexes and applies the
 * whole.
 */
#include "store/table/write.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/murmur3.h"
#include "store/row/reconcile.h"
#include "store/table/cell.h"
#include "store/table/inner.h"
#include "store/table/key.h"
#include "store/table/observer.h"

void write_init(struct write *w, struct store *s)
{
	*w = (struct write){ .batch = BATCH_INIT, .store = s,
			     .arena = ARENA_INIT, .refusal = BUF_INIT };
	w->row = mem_zalloc(1, sizeof(*w->row));
	w->changes = mem_zalloc(1, sizeof(*w->changes));
	w->failed = !w->row || !w->changes;
}

void write_clear(struct write *w)
{
	write_unlock(w);
	w->written = 0;
	w->watched_table = 0;
	batch_clear(&w->batch);
	arena_clear(&w->arena);
	w->arena.failed = false;
	w->failed = !w->row || !w->changes;
	if (w->failed)
		return;
	w->row->table = w->row->partition_table = NULL;
	w->row->row.cell_count = 0;
	w->row->now_s = 0;
	w->row->counters = NULL;
	w->row->spellings = (struct spellings){ NULL, 0, 0 };
	w->row->err = 0;
	w->row->table_count = 0;
	buf_clear(&w->row->key);
	w->changes->count = 0;
}

void write_release(struct write *w)
{
	write_unlock(w);
	batch_release(&w->batch);
	arena_release(&w->arena);
	buf_release(&w->refusal);
	if (w->row) {
		buf_release(&w->row->key);
		mem_free(w->row->row.cells);
		mem_free(w->row->tables);
	}
	if (w->changes)
		mem_free(w->changes->changes);
	mem_free(w->row);
	mem_free(w->changes);
}

int64_t write_now_s(struct write *w)
{
	if (!w->row->now_s)
		w->row->now_s = clock_now_s();
	return w->row->now_s;
}

/* ------------------------------------------------------- the row in the works */
static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	if ((x->flags ^ y->flags) & CELL_COLUMN_DELETION)
		return x->flags & CELL_COLUMN_DELETION ? -1 : 1;
	return bytes_compare(x->path, y->path);
}

/* Sort the cells, and keep each once: of two the one that a merge would
 * keep. */
static void sort_cells(struct row *row)
{
	uint32_t i, kept = 0;
	bool sorted = true;

	for (i = 1; i < row->cell_count && sorted; i++)
		sorted = compare_cells(&row->cells[i - 1], &row->cells[i]) < 0;
	if (sorted)
		return;
	qsort(row->cells, row->cell_count, sizeof(*row->cells), compare_cells);
	for (i = 0; i < row->cell_count; i++) {
		struct cell *last = kept ? &row->cells[kept - 1] : NULL;

		if (!last || compare_cells(last, &row->cells[i]))
			row->cells[kept++] = row->cells[i];
		else if (reconcile_cell(&row->cells[i], last) > 0)
			*last = row->cells[i];
	}
	row->cell_count = kept;
}

void write_add_cell(struct write *w, const struct cell *cell)
{
	struct row_builder *b = w->row;
	struct cell *bigger;
	size_t capacity;

	if (b->row.cell_count == b->cell_capacity) {
		capacity = b->cell_capacity ? b->cell_capacity * 2 : 16;
		bigger = capacity <= UINT32_MAX ?
			 mem_resize(b->row.cells, capacity, sizeof(*bigger)) :
			 NULL;
		if (!bigger) {
			w->failed = true;
			return;
		}
		b->row.cells = bigger;
		b->cell_capacity = capacity;
	}
	b->row.cells[b->row.cell_count++] = *cell;
}

static int64_t earliest_expiry(const struct row *row)
{
	int64_t earliest = row->marker.ttl ? row->marker.expires : NO_TIME;
	uint32_t i;

	for (i = 0; i < row->cell_count; i++)
		if (row->cells[i].ttl && row->cells[i].local_time < earliest)
			earliest = row->cells[i].local_time;
	return earliest;
}

static struct table_change *add_change(struct write *w)
{
	struct change_list *list = w->changes;
	struct table_change *bigger;
	size_t capacity;

	if (list->count == list->capacity) {
		capacity = list->capacity ? list->capacity * 2 : 4;
		bigger = mem_resize(list->changes, capacity, sizeof(*bigger));
		if (!bigger) {
			w->failed = true;
			return NULL;
		}
		list->changes = bigger;
		list->capacity = capacity;
	}
	bigger = &list->changes[list->count++];
	*bigger = (struct table_change){ .written = ROW_NONE,
					 .earliest_expiry_s = NO_TIME };
	return bigger;
}

static const struct column *column_by_number(const struct table *t,
					     uint32_t number)
{
	uint32_t i;

	for (i = 0; i < t->column_count; i++)
		if (t->columns[i].number == number)
			return &t->columns[i];
	return NULL;
}

/* row: as it is written, without what its own deletion covers. */
static void note_row(struct write *w, const struct row *row)
{
	const struct row_builder *b = w->row;
	struct table_change *change = add_change(w);
	const struct column **columns;
	struct cell *cells;
	uint32_t i, last = 0;

	columns = arena_alloc(&w->arena, (b->row.cell_count + 1) *
			      sizeof(*columns));
	cells = arena_alloc(&w->arena, (row->cell_count + 1) * sizeof(*cells));
	if (!change || !columns || !cells)
		return;
	if (row->cell_count)
		memcpy(cells, row->cells, row->cell_count * sizeof(*cells));
	change->written = *row;
	change->written.cells = cells;
	change->key = arena_copy(&w->arena, buf_bytes(&b->key));
	change->table = (struct table *)b->table;
	change->partition_key = b->partition_key;
	change->clustering = b->clustering;
	change->is_static = !b->clustering;
	if (b->clustering)
		change->clustering_count = b->table->clustering_count;
	change->gives = b->row.marker.timestamp != NO_TIMESTAMP;
	change->row_deleted = !deletion_is_none(b->row.deletion);
	change->removes = change->row_deleted;
	change->earliest_expiry_s = earliest_expiry(&b->row);
	change->columns = columns;
	for (i = 0; i < b->row.cell_count; i++) {
		uint32_t number = b->row.cells[i].column;

		if (!(b->row.cells[i].flags &
		      (CELL_TOMBSTONE | CELL_COLUMN_DELETION)))
			change->gives = true;
		else
			change->removes = true;
		if (number < COLUMN_NUMBER_FIRST || number == last)
			continue;
		columns[change->column_count] = column_by_number(b->table,
								 number);
		if (columns[change->column_count])
			change->column_count++;
		last = number;
	}
}

void write_note_table(struct write *w, const struct table *t)
{
	struct row_builder *b = w->row;
	const struct table **bigger;
	uint32_t capacity;

	if (b->table_count && b->tables[b->table_count - 1] == t)
		return;
	if (b->table_count == b->table_capacity) {
		capacity = b->table_capacity ? b->table_capacity * 2 : 4;
		bigger = mem_resize(b->tables, capacity, sizeof(*bigger));
		if (!bigger) {
			w->failed = true;
			return;
		}
		b->tables = bigger;
		b->table_capacity = capacity;
	}
	b->tables[b->table_count++] = t;
}

static bool is_empty(const struct row *row)
{
	return !row->cell_count && row->marker.timestamp == NO_TIMESTAMP &&
	       deletion_is_none(row->deletion);
}

static bool has_deletion(const struct row *row)
{
	uint32_t i;

	if (!deletion_is_none(row->deletion))
		return true;
	for (i = 0; i < row->cell_count; i++)
		if (row->cells[i].flags & CELL_COLUMN_DELETION)
			return true;
	return false;
}

/* Make an operation of the batch of the row that is being built. */
void write_finish_row(struct write *w)
{
	struct row_builder *b = w->row;
	const struct row *one;
	struct row merged;

	if (w->failed)	/* without memory there is no row either */
		return;
	if (!b->table || is_empty(&b->row)) {
		b->table = NULL;
		return;
	}
	one = &b->row;
	if (b->clustering && key_keeps_clustering(b->table))
		write_spelling(w);
	sort_cells(&b->row);
	merged = b->row;
	/* A row in the engine holds nothing that its own deletion covers. */
	if (has_deletion(&b->row) &&
	    row_merge(&merged, &w->arena, &one, 1, DELETION_NONE))
		w->failed = true;
	if (w->store->observed)
		note_row(w, &merged);
	if (!w->failed && !w->arena.failed)
		batch_add_row(&w->batch, b->table->number, buf_bytes(&b->key),
			      &merged);
	write_note_table(w, b->table);
	b->table = NULL;
}

/* ------------------------------------------------------------------- rows */
static bool is_current(const struct row_builder *b, const struct table *t,
		       struct bytes partition_key,
		       const struct bytes *clustering)
{
	uint32_t i;

	if (b->table != t || !b->clustering != !clustering ||
	    !bytes_equal(b->partition_key, partition_key))
		return false;
	for (i = 0; clustering && i < t->clustering_count; i++)
		if (!bytes_equal(b->clustering[i], clustering[i]))
			return false;
	return true;
}

/* The key's first part is built again only when the partition changes. */
static void build_key(struct write *w, const struct table *t,
		      struct bytes partition_key)
{
	struct row_builder *b = w->row;
	int64_t token;

	if (b->partition_table == t &&
	    bytes_equal(b->partition_key, partition_key)) {
		b->key.len = b->partition_len;
		return;
	}
	buf_clear(&b->key);
	token = murmur3_token(partition_key);
	key_add_partition(&b->key, token, partition_key);
	b->partition_len = b->key.len;
	b->partition_table = t;
	b->partition_key = arena_copy(&w->arena, partition_key);
	write_note_partition(w, t, token);
}

static const struct bytes *copy_values(struct write *w,
				       const struct bytes *values,
				       uint32_t count)
{
	struct bytes *copy = arena_alloc(&w->arena,
					 (count + 1) * sizeof(*copy));
	uint32_t i;

	for (i = 0; copy && i < count; i++)
		copy[i] = arena_copy(&w->arena, values[i]);
	return copy;
}

void write_row(struct write *w, const struct table *t,
	       struct bytes partition_key, const struct bytes *clustering)
{
	static const struct bytes none = { NULL, 0 };
	struct row_builder *b = w->row;

	if (w->failed)
		return;
	if (table_is_flat(t))
		clustering = &none;
	if (is_current(b, t, partition_key, clustering))
		return;
	write_finish_row(w);
	if (w->failed)
		return;
	build_key(w, t, partition_key);
	b->table = t;
	b->clustering = NULL;
	if (clustering)
		b->clustering = copy_values(w, clustering,
					    t->clustering_count);
	key_add_place(&b->key, t, clustering);
	b->row.marker = MARKER_NONE;
	b->row.deletion = DELETION_NONE;
	b->row.cell_count = 0;
	w->failed = b->key.failed || w->arena.failed;
}

/*
 * Mark a row of a compact table, which has no marker (store/cql/README.md).
 * Where there is no value column the empty cell of the hidden one makes the row
 * exist.
 */
static void mark_compact_row(struct write *w, int64_t timestamp_us,
			     int32_t ttl_s, int64_t expires_s)
{
	const struct table *t = w->row->table;
	uint32_t i;

	for (i = 0; i < t->column_count; i++)
		if (t->columns[i].hidden &&
		    t->columns[i].type->kind == TYPE_EMPTY)
			write_cell_until(w, &t->columns[i], BYTES_NULL,
					 BYTES_EMPTY, timestamp_us, ttl_s,
					 expires_s);
}

void write_marker_until(struct write *w, int64_t timestamp_us, int32_t ttl_s,
			int64_t expires_s)
{
	struct marker marker = { timestamp_us, ttl_s,
				 ttl_s ? expires_s : NO_TIME };

	if (w->failed || !w->row->table || !w->row->clustering)
		return;
	if (w->row->table->flags & TABLE_COMPACT)
		mark_compact_row(w, timestamp_us, ttl_s, expires_s);
	else if (reconcile_marker(&marker, &w->row->row.marker) > 0)
		w->row->row.marker = marker;
}

void write_marker(struct write *w, int64_t timestamp_us, int32_t ttl_s)
{
	if (!w->failed)
		write_marker_until(w, timestamp_us, ttl_s,
				   ttl_s ? write_now_s(w) + ttl_s : NO_TIME);
}

/* Return the value as it is stored: after the path as written, where needed. */
static struct bytes kept_value(struct write *w, const struct column *c,
			       struct bytes path, struct bytes value)
{
	struct buf out = BUF_INIT;
	struct bytes kept;

	if (bytes_is_null(path) || !cell_keeps_path(c))
		return arena_copy(&w->arena, value);
	buf_add_sized(&out, path);
	buf_add_bytes(&out, value);
	kept = arena_copy(&w->arena, buf_bytes(&out));
	if (out.failed)
		w->failed = true;
	buf_release(&out);
	return kept;
}

struct bytes write_ordered_path(struct write *w, const struct column *c,
				struct bytes path)
{
	struct buf out = BUF_INIT;
	struct bytes ordered;

	if (bytes_is_null(path))
		return BYTES_NULL;
	cell_add_path(&out, c, path);
	ordered = arena_copy(&w->arena, buf_bytes(&out));
	if (out.failed)
		w->failed = true;
	buf_release(&out);
	return ordered;
}

int write_error(const struct write *w)
{
	if (!w->failed)
		return 0;
	return w->row && w->row->err ? w->row->err : -ENOMEM;
}

/* Refuse a value that is too long; elements of sets and keys of maps, which are
 * paths, are values too. */
static void check_length(struct write *w, const struct column *c,
			 struct bytes path, struct bytes value)
{
	bool is_key = c->type->kind == TYPE_SET || c->type->kind == TYPE_MAP;
	size_t len = is_key && path.len > value.len ? path.len : value.len;
	uint64_t most = w->store->max_value;

	if (bytes_is_null(value) || len <= most || w->moves)
		return;
	buf_clear(&w->refusal);
	buf_add_format(&w->refusal, "%s: a value may have %llu bytes, and this "
		       "one has %zu", c->name, (unsigned long long)most, len);
	w->refused_late = false;
	w->row->err = -EFBIG;
	w->failed = true;
}

void write_cell_until(struct write *w, const struct column *column,
		      struct bytes path, struct bytes value,
		      int64_t timestamp_us, int32_t ttl_s, int64_t expires_s)
{
	struct cell cell = { .column = column->number,
			     .timestamp = timestamp_us,
			     .local_time = NO_TIME, .value = BYTES_NULL };

	if (w->failed || !w->row->table)
		return;
	check_length(w, column, path, value);
	if (w->failed)
		return;
	cell.path = write_ordered_path(w, column, path);
	if (bytes_is_null(value)) {
		cell.flags = CELL_TOMBSTONE;
		cell.local_time = write_now_s(w);
	} else {
		cell.value = kept_value(w, column, path, value);
		if (column->type->kind == TYPE_COUNTER)
			cell.flags = CELL_COUNTER;
		if (ttl_s) {
			cell.ttl = ttl_s;
			cell.local_time = expires_s;
		}
	}
	if (w->arena.failed)
		w->failed = true;
	write_add_cell(w, &cell);
}

void write_cell(struct write *w, const struct column *column, struct bytes path,
		struct bytes value, int64_t timestamp_us, int32_t ttl_s)
{
	if (!w->failed)
		write_cell_until(w, column, path, value, timestamp_us, ttl_s,
				 ttl_s ? write_now_s(w) + ttl_s : NO_TIME);
}

void write_column_deletion(struct write *w, const struct column *column,
			   int64_t timestamp_us)
{
	struct cell cell = {
		.column = column->number, .flags = CELL_COLUMN_DELETION,
		.timestamp = timestamp_us, .path = BYTES_NULL,
		.value = BYTES_NULL,
	};

	if (w->failed || !w->row->table)
		return;
	cell.local_time = write_now_s(w);
	write_add_cell(w, &cell);
}

void write_row_deletion(struct write *w, int64_t timestamp_us)
{
	struct deletion deletion = { timestamp_us, 0 };
	struct row *row;

	if (w->failed || !w->row->table)
		return;
	row = &w->row->row;
	deletion.local_time = write_now_s(w);
	row->deletion = reconcile_deletion_max(row->deletion, deletion);
}

static void delete_range(struct write *w, const struct table *t,
			 struct bytes partition_key, const struct slice *slice,
			 int64_t timestamp_us)
{
	struct deletion deletion = { timestamp_us, 0 };
	struct buf to = BUF_INIT;
	struct table_change *change;

	write_finish_row(w);
	if (w->failed)
		return;
	deletion.local_time = write_now_s(w);
	build_key(w, t, partition_key);
	buf_add(&to, w->row->key.ptr, w->row->key.len);
	if (slice) {
		key_add_start(&w->row->key, t, &slice->start);
		key_add_end(&to, t, &slice->end);
	} else {
		buf_add_byte(&w->row->key, KEY_BEGIN);
		buf_add_byte(&to, KEY_END);
	}
	if (to.failed || w->row->key.failed)
		w->failed = true;
	else if (bytes_compare(buf_bytes(&w->row->key), buf_bytes(&to)) < 0)
		batch_add_range(&w->batch, t->number,
				buf_bytes(&w->row->key), buf_bytes(&to),
				deletion);
	write_note_table(w, t);
	change = w->store->observed ? add_change(w) : NULL;
	if (change) {
		change->key = arena_copy(&w->arena, buf_bytes(&w->row->key));
		change->to = arena_copy(&w->arena, buf_bytes(&to));
	}
	buf_release(&to);
	if (!change)
		return;
	change->table = (struct table *)t;
	change->written.deletion = deletion;
	change->partition_key = w->row->partition_key;
	change->whole = true;
	if (!slice)
		return;
	change->range = *slice;
	change->range.start.values = copy_values(w, slice->start.values,
						 slice->start.count);
	change->range.end.values = copy_values(w, slice->end.values,
					       slice->end.count);
}

void write_range_deletion(struct write *w, const struct table *t,
			  struct bytes partition_key, const struct slice *slice,
			  int64_t timestamp_us)
{
	delete_range(w, t, partition_key, slice, timestamp_us);
}

void write_partition_deletion(struct write *w, const struct table *t,
			      struct bytes partition_key, int64_t timestamp_us)
{
	delete_range(w, t, partition_key, NULL, timestamp_us);
}
