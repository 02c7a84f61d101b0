/* Update indexes with each write, and build them. */
#include "store/index/maintain.h"

#include <errno.h>

#include "store/base/watch.h"
#include "store/index/index.h"
#include "store/row/reconcile.h"
#include "store/row/row_codec.h"
#include "store/table/inner.h"
#include "store/table/key.h"
#include "store/table/source.h"

/* Most rows of a deleted range whose entries are deleted at once; of more rows
 * they stay until they are found to be stale. */
#define RANGE_ROWS_MAX 1000
/* Operations of one batch of a build. */
#define BUILD_BATCH 256

/* One row of the base, seen by one index. */
struct index_change {
	struct batch *batch;
	struct arena *arena;
	const struct table *table;
	const struct index *index;
	struct bytes key;		/* of the base's row */
	struct bytes entry_key;		/* that entries name */
	const struct row *row;		/* what is written */
	const struct row *old;		/* the row that exists; empty: none */
};

static void add_entry(const struct index_change *c, struct bytes term,
		      const struct cell *cell)
{
	struct row row = ROW_NONE;
	struct buf key = BUF_INIT;

	index_add_prefix(&key);
	buf_add_bytes(&key, term);
	buf_add_bytes(&key, c->entry_key);
	buf_add_byte(&key, KEY_ROW_END);
	row.cells = (struct cell *)cell;
	row.cell_count = 1;
	if (key.failed)
		c->batch->bytes.failed = true;
	else
		batch_add_row(c->batch, c->index->number, buf_bytes(&key),
			      &row);
	buf_release(&key);
}

static void insert(const struct index_change *c, struct bytes term,
		   const struct cell *base)
{
	struct cell cell = {
		.column = CELL_INDEX, .ttl = base->ttl,
		.timestamp = base->timestamp, .local_time = base->local_time,
		.path = base->path, .value = BYTES_EMPTY,
	};

	add_entry(c, term, &cell);
}

static void delete(const struct index_change *c, struct bytes term,
		   struct bytes path, int64_t timestamp)
{
	struct cell cell = {
		.column = CELL_INDEX, .flags = CELL_TOMBSTONE,
		.timestamp = timestamp, .local_time = clock_now_s(),
		.path = path, .value = BYTES_NULL,
	};

	add_entry(c, term, &cell);
}

/* ------------------------------------------------------- regular and static */
static bool is_live(const struct cell *cell)
{
	return !(cell->flags & (CELL_TOMBSTONE | CELL_COLUMN_DELETION));
}

static bool contains(const struct term_list *list, struct bytes term)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (bytes_equal(list->terms[i], term))
			return true;
	return false;
}

/* Return the cell that is written at the place of an old one, and wins. */
static const struct cell *replacement(const struct index_change *c,
				      const struct cell *old)
{
	uint32_t i;

	for (i = 0; i < c->row->cell_count; i++) {
		const struct cell *cell = &c->row->cells[i];

		if (cell->column == old->column &&
		    !(cell->flags & CELL_COLUMN_DELETION) &&
		    bytes_equal(cell->path, old->path))
			return reconcile_cell(cell, old) > 0 ? cell : NULL;
	}
	return NULL;
}

static bool is_deleted(const struct index_change *c, const struct cell *old)
{
	uint32_t i;

	if (old->timestamp <= c->row->deletion.timestamp)
		return true;
	for (i = 0; i < c->row->cell_count; i++) {
		const struct cell *cell = &c->row->cells[i];

		if (cell->column == old->column &&
		    cell->flags & CELL_COLUMN_DELETION &&
		    old->timestamp <= cell->timestamp)
			return true;
	}
	return false;
}

/* Delete entries of an old cell that the write ends, except those that it makes
 * again. */
static int end_old_cell(const struct index_change *c, const struct cell *old)
{
	const struct cell *by = replacement(c, old);
	struct term_list was = { NULL, 0 }, is = { NULL, 0 };
	size_t i;
	int err;

	if (!by && !is_deleted(c, old))
		return 0;
	err = index_cell_terms(&was, c->arena, c->table, c->index, old);
	if (!err && by)
		err = index_cell_terms(&is, c->arena, c->table, c->index, by);
	for (i = 0; !err && i < was.count; i++)
		if (!contains(&is, was.terms[i]))
			delete(c, was.terms[i], old->path, old->timestamp);
	return err;
}

static int change_cells(const struct index_change *c, uint32_t number)
{
	struct term_list list;
	uint32_t i;
	size_t j;
	int err = 0;

	for (i = 0; !err && i < c->old->cell_count; i++)
		if (c->old->cells[i].column == number &&
		    is_live(&c->old->cells[i]))
			err = end_old_cell(c, &c->old->cells[i]);
	for (i = 0; !err && i < c->row->cell_count; i++) {
		const struct cell *cell = &c->row->cells[i];

		if (cell->column != number || !is_live(cell))
			continue;
		list = (struct term_list){ NULL, 0 };
		err = index_cell_terms(&list, c->arena, c->table, c->index,
				       cell);
		for (j = 0; !err && j < list.count; j++)
			insert(c, list.terms[j], cell);
	}
	return err;
}

/* --------------------------------------------------------- parts of the key */
/* Return the newest live timestamp that is written; NO_TIMESTAMP: it only
 * deletes. */
static int64_t live_timestamp(const struct row *row)
{
	int64_t timestamp = row->marker.timestamp;
	uint32_t i;

	for (i = 0; i < row->cell_count; i++)
		if (row->cells[i].column >= COLUMN_NUMBER_FIRST &&
		    is_live(&row->cells[i]) &&
		    row->cells[i].timestamp > timestamp)
			timestamp = row->cells[i].timestamp;
	return timestamp;
}

/*
 * Make or delete the entry of a row's key, as the row now exists or not.
 * Entries have no TTL: one that expired with a later cell would be missing for
 * an older cell that stays.
 */
static int change_key(const struct index_change *c, struct bytes value)
{
	struct cell cell = { .local_time = NO_TIME, .path = BYTES_NULL };
	struct term_list list = { NULL, 0 };
	size_t i;
	int err = index_terms(&list, c->arena, c->table, c->index, BYTES_NULL,
			      value);

	cell.timestamp = live_timestamp(c->row);
	for (i = 0; !err && i < list.count; i++) {
		if (!deletion_is_none(c->row->deletion))
			delete(c, list.terms[i], BYTES_NULL,
			       c->row->deletion.timestamp);
		if (cell.timestamp > c->row->deletion.timestamp)
			insert(c, list.terms[i], &cell);
	}
	return err;
}

static int change_partition_part(const struct index_change *c,
				 uint32_t position)
{
	struct bytes *values;
	struct buf key = BUF_INIT;
	struct index_change static_only = *c;
	struct row row = *c->row;
	int err;

	/* A deleted row does not affect the partition's other rows. */
	row.deletion = DELETION_NONE;
	static_only.row = &row;
	values = arena_alloc(c->arena, c->table->partition_key_count *
			     sizeof(*values));
	err = values ? key_partition_key(&key, c->key) : -ENOMEM;
	if (!err)
		err = table_partition_values(values, c->table,
					     buf_bytes(&key));
	if (!err && !key.failed)
		err = change_key(&static_only, values[position]);
	if (key.failed)
		err = -ENOMEM;
	buf_release(&key);
	return err;
}

static int change_clustering(const struct index_change *c, uint32_t position)
{
	const struct table *t = c->table;
	size_t len = key_partition_len(c->key) + 1;
	struct bytes *values;
	struct buf memory = BUF_INIT;
	uint32_t *ends;
	int err;

	values = arena_alloc(c->arena, t->clustering_count * sizeof(*values));
	ends = arena_alloc(c->arena, t->clustering_count * sizeof(*ends));
	if (!values || !ends)
		return -ENOMEM;
	err = key_read_clustering(values, ends, &memory, t,
				  bytes_of(c->key.ptr + len,
					   c->key.len - len));
	if (!err)
		err = change_key(c, values[position]);
	buf_release(&memory);
	return err;
}

/* ------------------------------------------------------------------- a write */
/* True for the kinds of a row's key, static or not. */
static bool is_row(const struct table *t, enum key_kind kind)
{
	return kind == table_row_kind(t) || kind == table_static_kind(t);
}

static bool is_for(const struct table *t, const struct column *c,
		   enum key_kind kind)
{
	if (c->kind == COLUMN_PARTITION_KEY)
		return true;
	return (c->kind == COLUMN_STATIC) == (kind != table_row_kind(t));
}

static int change_index(struct index_change *c, size_t partition_len)
{
	const struct column *column = &c->table->columns[c->index->column];
	enum key_kind kind = c->key.ptr[partition_len];
	uint8_t *whole;

	if (!is_for(c->table, column, kind))
		return 0;
	c->entry_key = c->key;
	if (column->kind == COLUMN_PARTITION_KEY) {
		/* Name the whole partition by its static row. */
		whole = arena_alloc(c->arena, partition_len + 1);
		if (!whole)
			return -ENOMEM;
		memcpy(whole, c->key.ptr, partition_len);
		whole[partition_len] = KEY_STATIC;
		c->entry_key = bytes_of(whole, partition_len + 1);
		return change_partition_part(c, column->position);
	}
	if (column->kind == COLUMN_CLUSTERING)
		return change_clustering(c, column->position);
	return change_cells(c, column->number);
}

static int change_indexes(struct index_change *c)
{
	size_t partition_len = key_partition_len(c->key);
	uint32_t i;
	int err = 0;

	if (!partition_len || partition_len >= c->key.len)
		return -EUCLEAN;
	if (!is_row(c->table, c->key.ptr[partition_len]))
		return 0;
	for (i = 0; !err && i < c->table->index_count; i++) {
		c->index = &c->table->indexes[i];
		err = change_index(c, partition_len);
	}
	return err;
}

/* Return the columns whose old values matter. */
static uint64_t old_mask(const struct table *t)
{
	uint64_t mask = 0;
	uint32_t i;

	for (i = 0; i < t->index_count; i++) {
		const struct column *c = &t->columns[t->indexes[i].column];

		if (c->kind == COLUMN_REGULAR || c->kind == COLUMN_STATIC)
			mask |= (uint64_t)1 << (c->number & 63);
	}
	return mask;
}

int index_row(struct store *s, struct batch *batch, const struct table *t,
	      struct bytes key, const struct row *row, struct arena *arena)
{
	struct row old = ROW_NONE;
	struct index_change c = { .batch = batch, .arena = arena, .table = t,
			    .key = key, .row = row, .old = &old };
	uint64_t mask = old_mask(t);
	int found = 0;

	if (mask)
		found = table_source_get(s, t, key, mask, arena, &old);
	if (found < 0)
		return found;
	if (!found)
		old = ROW_NONE;
	return change_indexes(&c);
}

/* Delete the entries of one existing row that a range deletion covers. */
static int delete_row(struct batch *batch, const struct table *t,
		      const struct entry *e, struct deletion deletion,
		      struct arena *arena)
{
	struct row old, gone = ROW_NONE;
	struct index_change c = { .batch = batch, .arena = arena, .table = t,
			    .key = e->key, .row = &gone, .old = &old };
	int err = row_decode(&old, arena, e->row);

	gone.deletion = deletion;
	return err ? err : change_indexes(&c);
}

int index_range(struct store *s, struct batch *batch, const struct table *t,
		struct bytes from, struct bytes to, struct deletion deletion)
{
	struct arena arena = ARENA_INIT;
	struct deletion in_force;
	struct iterator *it;
	struct entry entry;
	int more = 1, rows = 0, err;

	err = lsm_iterate(&it, s->lsm, t->number, from, to, false);
	if (err)
		return err;
	err = iterator_seek(it, from, &in_force);
	while (!err && rows < RANGE_ROWS_MAX &&
	       (more = iterator_next(it, &entry)) > 0) {
		if (bytes_compare(entry.key, to) >= 0)
			break;
		if (entry.kind != ENTRY_ROW)
			continue;
		rows++;
		err = delete_row(batch, t, &entry, deletion, &arena);
		arena_clear(&arena);
	}
	if (!err && more < 0)
		err = more;
	iterator_close(it);
	arena_release(&arena);
	return err;
}

/* ------------------------------------------------------------------ building */
static int apply_some(struct store *s, struct batch *batch, uint32_t at_least)
{
	int err = 0;

	if (batch->op_count && batch->op_count >= at_least) {
		err = batch->bytes.failed ? -ENOMEM
					  : lsm_apply(s->lsm, batch, NULL);
		batch_clear(batch);
	}
	return err;
}

static int build_row(struct batch *batch, const struct table *t,
		     const struct index *index, const struct entry *e,
		     struct arena *arena)
{
	const struct row nothing = ROW_NONE;
	struct row row;
	struct index_change c = { .batch = batch, .arena = arena, .table = t,
			    .index = index, .key = e->key, .row = &row,
			    .old = &nothing };
	size_t len = key_partition_len(e->key);
	int err = row_decode(&row, arena, e->row);

	if (err)
		return err;
	if (!len || len >= e->key.len)
		return -EUCLEAN;
	if (!is_row(t, e->key.ptr[len]))
		return 0;
	row.deletion = DELETION_NONE;
	return change_index(&c, len);
}

/*
 * Writes continue meanwhile and update the index from the moment it was
 * published. A cell that they replace may be read here before, and its entry
 * added after: but they delete the entry with its own timestamp, and a deletion
 * wins the tie. The caller cannot interrupt it: the index is published already.
 */
int index_build(struct store *s, const struct table *t,
		const struct index *index)
{
	struct batch batch = BATCH_INIT;
	struct arena arena = ARENA_INIT;
	struct deletion in_force;
	struct iterator *it;
	struct entry entry;
	struct watch *before;
	uint64_t position;
	int more = 1, err;

	err = lsm_iterate(&it, s->lsm, t->number, BYTES_EMPTY, BYTES_EMPTY,
			  false);
	if (err)
		return err;
	before = watch_set(NULL);
	err = iterator_seek(it, BYTES_EMPTY, &in_force);
	while (!err && (more = iterator_next(it, &entry)) > 0) {
		if (entry.kind != ENTRY_ROW)
			continue;
		err = build_row(&batch, t, index, &entry, &arena);
		arena_clear(&arena);
		if (!err)
			err = apply_some(s, &batch, BUILD_BATCH);
	}
	if (!err && more < 0)
		err = more;
	if (!err)
		err = apply_some(s, &batch, 1);
	position = lsm_position(s->lsm);
	if (!err)
		err = lsm_sync(s->lsm, position);
	iterator_close(it);
	watch_set(before);
	arena_release(&arena);
	batch_release(&batch);
	return err;
}
