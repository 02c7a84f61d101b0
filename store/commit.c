/* The end of a write: counters' totals, the operations of indexes, and applying
 * all. */
#include <assert.h>
#include <errno.h>

#include "store/base/hash.h"
#include "store/index/maintain.h"
#include "store/index/refuse.h"
#include "store/row/reconcile.h"
#include "store/row/row_codec.h"
#include "store/table/inner.h"
#include "store/table/observer.h"
#include "store/table/present.h"
#include "store/table/source.h"
#include "store/table/write.h"

/* ---------------------------------------------------------------- counters */
static struct counter *find_counter(const struct write *w, uint32_t column,
				    struct bytes path)
{
	struct bytes key = buf_bytes(&w->row->key);
	struct counter *c;

	for (c = w->row->counters; c; c = c->next)
		if (c->column == column && bytes_equal(c->key, key) &&
		    bytes_equal(c->path, path))
			return c;
	return NULL;
}

/* Read the stored counter: the total, and a timestamp that all of it is older
 * than. */
static int read_counter(struct write *w, struct counter *c)
{
	struct row row;
	uint32_t i;
	int found = table_source_get(w->store, w->row->table, c->key, UINT64_MAX,
			       &w->arena, &row);

	if (found <= 0)
		return found;
	c->timestamp = row.deletion.timestamp;
	for (i = 0; i < row.cell_count; i++) {
		const struct cell *cell = &row.cells[i];

		if (cell->column != c->column)
			continue;
		if (!(cell->flags & CELL_COLUMN_DELETION) &&
		    !bytes_equal(cell->path, c->path))
			continue;
		if (cell->timestamp > c->timestamp)
			c->timestamp = cell->timestamp;
		if (cell_is_live(cell, write_now_s(w)) && cell->value.len == 8)
			c->total = (int64_t)get_be64(cell->value.ptr);
	}
	return 0;
}

static int new_counter(struct counter **out, struct write *w, uint32_t column,
		       struct bytes path)
{
	struct counter *c = arena_zalloc(&w->arena, 1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->column = column;
	c->timestamp = NO_TIMESTAMP;
	c->key = arena_copy(&w->arena, buf_bytes(&w->row->key));
	c->path = path;
	if (w->arena.failed)
		return -ENOMEM;
	err = read_counter(w, c);
	if (err)
		return err;
	c->next = w->row->counters;
	w->row->counters = c;
	*out = c;
	return 0;
}

int commit_counter_add(struct write *w, const struct column *column,
		       struct bytes path, int64_t delta, int64_t timestamp_us)
{
	struct bytes ordered;
	struct counter *c;
	uint8_t total[8];
	int err;

	if (w->failed || !w->row->table)
		return w->failed ? -ENOMEM : -EINVAL;
	ordered = write_ordered_path(w, column, path);
	c = find_counter(w, column->number, ordered);
	if (!c) {
		err = new_counter(&c, w, column->number, ordered);
		if (err)
			return err;
	}
	c->total = (int64_t)((uint64_t)c->total + (uint64_t)delta);
	if (c->timestamp != INT64_MAX)
		c->timestamp++;
	if (timestamp_us > c->timestamp)
		c->timestamp = timestamp_us;
	put_be64(total, (uint64_t)c->total);
	write_cell(w, column, path, bytes_of(total, 8), c->timestamp, 0);
	return w->failed ? -ENOMEM : 0;
}

/* ---------------------------------------------------------------- refusals */
/* The versions that make up a row, a cell of which an index refuses. */
struct commit_version {
	struct row row;
	struct commit_version *next;
};
struct suspect {
	const struct table *table;
	struct bytes key;
	struct commit_version *versions;	/* the write's for it */
	uint32_t version_count;
	struct suspect *next;
};
/* Suspect rows in the order of the write; found by table and key. */
struct suspects {
	struct hash by_key;
	struct suspect *first, **end;
};

static struct hash_place *suspect_place(struct suspects *s, struct arena *arena,
					const struct batch_op *op)
{
	struct buf key = BUF_INIT;
	struct hash_place *place = NULL;

	buf_add_be32(&key, op->table);
	buf_add_bytes(&key, op->key);
	if (!key.failed)
		place = hash_place(&s->by_key, arena, buf_bytes(&key));
	buf_release(&key);
	return place;
}

static int add_suspect(struct write *w, struct suspects *s,
		       const struct batch_op *op, const struct table *t)
{
	struct hash_place *place = suspect_place(s, &w->arena, op);
	struct suspect *one;

	if (!place)
		return -ENOMEM;
	if (place->value)
		return 0;
	one = arena_zalloc(&w->arena, 1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	one->table = t;
	one->key = op->key;
	place->value = *s->end = one;
	s->end = &one->next;
	return 0;
}

static int add_version(struct write *w, struct suspects *s,
		       const struct batch_op *op)
{
	struct hash_place *place;
	struct suspect *of;
	struct commit_version *v;

	if (bytes_is_null(op->row))
		return 0;
	place = suspect_place(s, &w->arena, op);
	if (!place)
		return -ENOMEM;
	of = place->value;
	if (!of)
		return 0;
	v = arena_zalloc(&w->arena, 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	v->next = of->versions;
	of->versions = v;
	of->version_count++;
	return row_decode(&v->row, &w->arena, op->row);
}

/* Check whether the row, as it will be, is still refused. */
static int check_suspect(struct write *w, const struct suspect *s)
{
	const struct row **rows = arena_zalloc(&w->arena,
					       s->version_count + 1,
					       sizeof(struct row *));
	struct row old, merged;
	uint32_t count = 0;
	int err;

	if (!rows)
		return -ENOMEM;
	err = table_source_get(w->store, s->table, s->key, UINT64_MAX, &w->arena,
			 &old);
	if (err > 0)
		rows[count++] = &old;
	for (const struct commit_version *v = s->versions; v; v = v->next)
		rows[count++] = &v->row;
	if (err >= 0)
		err = row_merge(&merged, &w->arena, rows, count, DELETION_NONE);
	return err ? err : index_check_row(&w->refusal, &w->refused_late,
					   &w->arena, s->table, &merged);
}

/*
 * A cell is refused only if it is in force: not if another cell of the row
 * wins, stored or in this write. Deletions of ranges do not count.
 */
static int check_suspects(struct write *w, struct suspects *s)
{
	struct reader r = reader_of(buf_bytes(&w->batch.bytes));
	struct batch_op op;
	int more = 0, err = 0;

	while (s->first && !err && (more = batch_next(&r, &op)) > 0)
		err = add_version(w, s, &op);
	if (!err && more < 0)
		err = more;
	for (const struct suspect *one = s->first; one && !err; one = one->next)
		err = check_suspect(w, one);
	return err;
}

/* ------------------------------------------------------------------- apply */
static int index_operation(struct write *w, struct batch *extra,
			   struct suspects *suspects, const struct batch_op *op)
{
	const struct table *t = store_current_table(w->store, op->table);
	struct row row;
	int err;

	if (!t || !t->index_count)
		return 0;
	if (bytes_is_null(op->row))
		return index_range(w->store, extra, t, op->key, op->to,
				   op->deletion);
	err = row_decode(&row, &w->arena, op->row);
	if (!err)
		err = index_check_row(&w->refusal, &w->refused_late, &w->arena,
				      t, &row);
	if (err == -EINVAL && w->refused_late) {
		buf_clear(&w->refusal);
		err = add_suspect(w, suspects, op, t);
	}
	return err ? err : index_row(w->store, extra, t, op->key, &row,
				     &w->arena);
}

static bool has_number(const struct table *t, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < t->column_count; i++)
		if (t->columns[i].number == number)
			return true;
	return false;
}

/* True if t has lost a column that `was` has. */
static bool is_narrower(const struct table *t, const struct table *was)
{
	uint32_t i;

	for (i = 0; t != was && i < was->column_count; i++)
		if (!has_number(t, was->columns[i].number))
			return true;
	return false;
}

/*
 * Refuse a column that was dropped since the write was begun: its cells would
 * be shown when the column is added again. -ESTALE.
 */
static int check_columns(struct write *w)
{
	struct reader r = reader_of(buf_bytes(&w->batch.bytes));
	struct batch_op op;
	int more, err = 0;

	while (!err && (more = batch_next(&r, &op)) > 0) {
		const struct table *t = store_current_table(w->store, op.table);
		struct row row = ROW_NONE;
		uint32_t i;

		if (t && !bytes_is_null(op.row))
			err = row_decode(&row, &w->arena, op.row);
		for (i = 0; !err && i < row.cell_count; i++)
			if (row.cells[i].column >= COLUMN_NUMBER_FIRST &&
			    !has_number(t, row.cells[i].column))
				err = -ESTALE;
	}
	return err ? err : more;
}

/* Look up the tables that are written to: check that all exist, and whether any
 * has indexes by now. */
static int look_at_tables(struct write *w, bool *indexed)
{
	bool narrower = false;
	uint32_t i;

	*indexed = false;
	for (i = 0; i < w->row->table_count; i++) {
		const struct table *t = w->row->tables[i];

		if (t->flags & TABLE_VIRTUAL)
			return -EPERM;
		/* Tables of the store itself are in no schema. */
		if (t->number && t->number < TABLE_NUMBER_FIRST)
			continue;
		t = store_current_table(w->store, t->number);
		if (!t)
			return -ESTALE;
		*indexed = *indexed || t->index_count;
		narrower |= is_narrower(t, w->row->tables[i]);
	}
	return narrower ? check_columns(w) : 0;
}

static int add_index_operations(struct write *w)
{
	struct batch extra = BATCH_INIT;
	struct reader r = reader_of(buf_bytes(&w->batch.bytes));
	struct suspects suspects = { .first = NULL };
	struct batch_op op;
	int more, err = 0;

	suspects.end = &suspects.first;
	while (!err && (more = batch_next(&r, &op)) > 0)
		err = index_operation(w, &extra, &suspects, &op);
	if (!err && more < 0)
		err = more;
	if (!err)
		err = check_suspects(w, &suspects);
	buf_add_bytes(&w->batch.bytes, buf_bytes(&extra.bytes));
	w->batch.op_count += extra.op_count;
	if (!err && extra.bytes.failed)
		err = -ENOMEM;
	batch_release(&extra);
	return err;
}

/* Apply the write. Its partitions are unlocked before the sync: later writes of
 * them come after it in the log. */
static int apply(struct write *w)
{
	struct lsm *lsm = w->store->lsm;
	uint64_t position = 0;
	bool indexed;
	int err;

	if (!w->is_locked)
		write_lock(w, NULL, 0);
	err = look_at_tables(w, &indexed);
	assert(err || write_holds_all(w));
	if (!err && indexed)
		err = add_index_operations(w);
	if (!err && (w->batch.bytes.failed || w->arena.failed))
		err = -ENOMEM;
	if (!err)
		err = lsm_insert(lsm, &w->batch, &position);
	if (!err && w->watched_table)
		write_look(w);
	write_unlock(w);
	return err ? err : lsm_acknowledge(lsm, &w->batch, position);
}

/* Return the error for which what was added cannot be applied, or 0. */
static int error_of(const struct write *w)
{
	if (w->failed)
		return write_error(w);
	return w->batch.bytes.failed || w->arena.failed ? -ENOMEM : 0;
}

/* Finish the collected rows: 0, or the error for which they cannot be
 * applied. */
static int finish(struct write *w)
{
	if (!w->failed) {
		buf_clear(&w->refusal);
		write_finish_row(w);
	}
	return error_of(w);
}

int commit_fill(struct write *w)
{
	int err = finish(w);

	if (!err && w->batch.op_count)
		err = lsm_apply(w->store->lsm, &w->batch, NULL);
	write_clear(w);
	return err;
}

int commit_write(struct write *w)
{
	const struct store_observer *o = &w->store->observer;
	int err = finish(w);

	w->state = 0;
	if (!err && w->store->read_only)
		err = -EROFS;
	if (!err && w->store->observed && w->changes->count && o->changing)
		err = o->changing(o->context, w, w->changes->changes,
				  w->changes->count);
	if (!err)
		err = error_of(w);
	if (!err && w->batch.op_count)
		err = apply(w);
	if (!err && w->store->observed && w->changes->count && o->changed)
		o->changed(o->context, w->changes->changes, w->changes->count);
	write_clear(w);
	return err;
}
