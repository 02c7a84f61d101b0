/*
 * Two trees in one arena. The items of the first are rows; its versions are
 * encoded rows, each merged with all before it. The items of the second are the
 * places where the range deletion in force changes; a version is the deletion
 * from there on. So a range deletion sets up to two places, and raises those
 * between.
 *
 * A version has the sequence number of its batch and stays linked to the one it
 * replaced: a reader takes the newest that is not newer than the last commit
 * when it began. Nothing is freed before the memtable as a whole, so this costs
 * no more than the link, and memtable_memory counts superseded versions too.
 *
 * A small change to a large row (an element of a large collection) is not
 * merged at once, or a collection would cost the square of its size: the new
 * version is a part, to be merged with the older ones up to a whole one.
 */
#include "store/lsm/memtable.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/lsm/memtable_internal.h"
#include "store/row/reconcile.h"
#include "store/row/row_codec.h"

int memtable_new(struct memtable **out)
{
	struct memtable *m = mem_zalloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	atomic_init(&m->references, 1);
	m->arena.huge = true;
	tree_init(&m->rows, &m->arena);
	tree_init(&m->bounds, &m->arena);
	atomic_init(&m->min_timestamp, INT64_MAX);
	atomic_init(&m->max_timestamp, INT64_MIN);
	*out = m;
	return 0;
}

struct memtable *memtable_get(struct memtable *m)
{
	atomic_fetch_add_explicit(&m->references, 1, memory_order_relaxed);
	return m;
}

void memtable_put(struct memtable *m)
{
	if (!m || atomic_fetch_sub(&m->references, 1) != 1)
		return;
	arena_release(&m->arena);
	arena_release(&m->scratch);
	buf_release(&m->merged);
	mem_free(m->changes);
	mem_free(m);
}

/* ---------------------------------------------------------------- writing */

static struct memtable_version *new_version(struct memtable *m,
					    const struct tree_item *item,
					    size_t len)
{
	struct memtable_version *v;

	if (len > UINT32_MAX)
		return NULL;
	v = arena_alloc(&m->arena, sizeof(*v) + len);
	if (!v)
		return NULL;
	v->sequence = m->committed + 1;
	v->older = memtable_newest(item);
	v->parts = 0;
	v->total = len;
	v->len = (uint32_t)len;
	return v;
}

static int set_version(struct memtable *m, struct tree_item *item,
		       struct memtable_version *v)
{
	struct memtable_change *grown = array_grow(m->changes, m->change_count,
						   sizeof(*grown),
						   &m->change_room);

	if (!grown)
		return -ENOMEM;
	m->changes = grown;
	m->changes[m->change_count++] = (struct memtable_change){ item,
								 v->older };
	atomic_store_explicit(&item->value, v, memory_order_release);
	return 0;
}

static void widen(struct memtable *m, int64_t min, int64_t max)
{
	if (min < m->min_timestamp)
		atomic_store_explicit(&m->min_timestamp, min,
				      memory_order_release);
	if (max > m->max_timestamp)
		atomic_store_explicit(&m->max_timestamp, max,
				      memory_order_release);
}

/* True if it has deletions, which hide other parts of the row too. */
static bool has_deletions(const struct row *row)
{
	bool found = !deletion_is_none(row->deletion);
	uint32_t i;

	for (i = 0; i < row->cell_count; i++)
		found |= row->cells[i].flags & CELL_COLUMN_DELETION;
	return found;
}

/*
 * Take from an old version what a newer one overwrites. True if nothing is left
 * of it, and the newer is what both make; else the rest is to be merged with
 * it, to the same result as the whole.
 */
static bool replaces(const struct row *newer, struct row *old)
{
	if (has_deletions(newer))
		return false;
	row_subtract(old, newer, DELETION_NONE);
	return row_is_nothing(old);
}

int memtable_merge_parts(const struct memtable_version *v,
			 const struct row *row, struct arena *arena,
			 struct buf *out)
{
	size_t count = v ? (size_t)v->parts + 1 : 0, all, i;
	const struct row **list;
	struct row *rows, merged;
	int err = 0;

	all = count + (row != NULL);
	rows = arena_alloc(arena, all * sizeof(*rows));
	list = arena_alloc(arena, all * sizeof(*list));
	if (!rows || !list)
		return -ENOMEM;
	for (i = 0; i < count && !err; i++, v = v->older) {
		err = row_decode(&rows[i], arena, bytes_of(v->row, v->len));
		list[i] = &rows[i];
	}
	if (row)
		list[count] = row;
	if (!err && row && count == 1 && replaces(row, &rows[0]))
		return 1;
	if (!err)
		err = row_merge(&merged, arena, list, all, DELETION_NONE);
	if (err)
		return err;
	buf_clear(out);
	row_encode(out, &merged);
	return out->failed ? -ENOMEM : 0;
}

#define LARGE_ROW 2048
#define MOST_PARTS 64

/* True if merging these few bytes into the existing row costs too much. */
static bool is_small_step(const struct memtable_version *old, size_t len)
{
	return old && old->total >= LARGE_ROW && len <= old->total / 8 &&
	       old->parts + 1 < MOST_PARTS;
}

static int add_row(struct memtable *m, const struct batch_op *op)
{
	struct row_stats stats = ROW_STATS_NONE;
	struct bytes bytes = op->row;
	const struct memtable_version *old;
	struct tree_item *item;
	struct memtable_version *v;
	struct row row;
	bool part;
	int err;

	err = row_decode(&row, &m->scratch, bytes);
	if (err)
		return err;
	row_add_stats(&stats, &row);
	if (stats.min_timestamp > stats.max_timestamp)
		return 0;	/* nothing in it */
	err = tree_insert(&m->rows, op->key, &item);
	if (err < 0)
		return err;
	m->item_count += (uint64_t)err;
	old = memtable_newest(item);
	/* If that failed once, the tree has the key and the filter does not
	 * yet. */
	err = old ? 0 : filter_add(&m->filter, &m->rows, m->item_count,
				   op->key, &m->arena);
	if (err)
		return err;
	part = is_small_step(old, bytes.len);
	if (!part && (old || has_deletions(&row))) {
		err = memtable_merge_parts(old, &row, &m->scratch, &m->merged);
		if (!err)
			bytes = buf_bytes(&m->merged);
	}
	if (err < 0)
		return err;
	if (!old)
		atomic_store_explicit(&m->row_count, m->row_count + 1,
				      memory_order_relaxed);
	v = new_version(m, item, bytes.len);
	if (!v)
		return -ENOMEM;
	if (part) {
		v->parts = old->parts + 1;
		v->total = old->total + bytes.len;
	}
	memcpy(v->row, bytes.ptr, bytes.len);
	widen(m, stats.min_timestamp, stats.max_timestamp);
	if (stats.tombstones)
		m->tombstones += stats.tombstones;
	return set_version(m, item, v);
}

struct deletion memtable_force_below(const struct memtable *m,
				     struct bytes key, uint64_t sequence)
{
	const struct tree_item *item;
	struct tree_cursor c;

	tree_cursor_seek(&c, &m->bounds, key, true);
	while ((item = tree_cursor_next(&c))) {
		const struct memtable_version *v =
			memtable_version_at(item, sequence);

		if (v)
			return v->deletion;
	}
	return DELETION_NONE;
}

static int set_bound(struct memtable *m, struct tree_item *item,
		     struct deletion deletion)
{
	struct memtable_version *v = new_version(m, item, 0);

	if (!v)
		return -ENOMEM;
	v->deletion = deletion;
	return set_version(m, item, v);
}

/* Make a bound at key that changes nothing, unless there is one already. */
static int make_bound(struct memtable *m, struct bytes key,
		      struct tree_item **item)
{
	int made = tree_insert(&m->bounds, key, item);

	if (made < 0)
		return made;
	if (memtable_newest(*item))
		return 0;
	return set_bound(m, *item, memtable_force_below(m, key, UINT64_MAX));
}

static bool is_stronger(struct deletion a, struct deletion than)
{
	struct deletion both = reconcile_deletion_max(than, a);

	return both.timestamp != than.timestamp ||
	       both.local_time != than.local_time;
}

static int add_range(struct memtable *m, const struct batch_op *op)
{
	struct tree_item *item, *from, *to;
	struct tree_cursor c;
	int err;

	if (bytes_compare(op->key, op->to) >= 0 ||
	    deletion_is_none(op->deletion))
		return 0;
	err = make_bound(m, op->to, &to);
	if (!err)
		err = make_bound(m, op->key, &from);
	if (err)
		return err;
	tree_cursor_seek(&c, &m->bounds, op->key, false);
	while ((item = tree_cursor_next(&c)) && item != to) {
		const struct memtable_version *v = memtable_newest(item);

		if (v && is_stronger(op->deletion, v->deletion))
			err = set_bound(m, item, op->deletion);
		if (err)
			return err;
	}
	widen(m, op->deletion.timestamp, op->deletion.timestamp);
	m->tombstones++;
	return 0;
}

int memtable_add(struct memtable *m, const struct batch_op *op)
{
	int err;

	arena_clear(&m->scratch);
	m->scratch.failed = m->arena.failed = false;
	err = bytes_is_null(op->row) ? add_range(m, op) : add_row(m, op);
	atomic_store_explicit(&m->memory, m->arena.total, memory_order_relaxed);
	return err;
}

void memtable_commit(struct memtable *m)
{
	m->change_count = 0;
	atomic_store_explicit(&m->committed, m->committed + 1,
			      memory_order_release);
}

/* Items without a version do not count. Times and counts may stay too wide. */
void memtable_rollback(struct memtable *m)
{
	while (m->change_count) {
		const struct memtable_change *c =
			&m->changes[--m->change_count];

		atomic_store_explicit(&c->item->value, c->before,
				      memory_order_release);
	}
}

/* ---------------------------------------------------------------- reading */

int memtable_lookup(const struct memtable *m, struct bytes key,
		    struct bytes *row, const struct memtable_part **more,
		    struct deletion *in_force)
{
	uint64_t sequence = atomic_load_explicit(&m->committed,
						 memory_order_acquire);
	const struct tree_item *item;
	const struct memtable_version *v;

	*more = NULL;
	*in_force = DELETION_NONE;
	if (!tree_is_empty(&m->bounds)) {
		item = tree_find(&m->bounds, key);
		v = item ? memtable_version_at(item, sequence) : NULL;
		*in_force = v ? v->deletion :
				memtable_force_below(m, key, sequence);
	}
	if (!filter_may_contain(&m->filter, key))
		return 0;
	item = tree_find(&m->rows, key);
	v = item ? memtable_version_at(item, sequence) : NULL;
	if (!v)
		return 0;
	*row = bytes_of(v->row, v->len);
	if (v->parts)
		*more = (const struct memtable_part *)v->older;
	return 1;
}

struct bytes memtable_next_part(const struct memtable_part **more)
{
	const struct memtable_version *v =
		(const struct memtable_version *)*more;

	*more = v->parts ? (const struct memtable_part *)v->older : NULL;
	return bytes_of(v->row, v->len);
}

/* ------------------------------------------------------------- statistics */

void memtable_mark_replaced(struct memtable *m)
{
	atomic_store(&m->past, true);
}

size_t memtable_memory(const struct memtable *m)
{
	return atomic_load_explicit(&m->memory, memory_order_relaxed);
}

bool memtable_is_empty(const struct memtable *m)
{
	return tree_is_empty(&m->rows) && tree_is_empty(&m->bounds);
}

bool memtable_has_bounds(const struct memtable *m)
{
	return !tree_is_empty(&m->bounds);
}

uint64_t memtable_row_count(const struct memtable *m)
{
	return atomic_load_explicit(&m->row_count, memory_order_relaxed);
}

uint64_t memtable_tombstones(const struct memtable *m)
{
	return atomic_load_explicit(&m->tombstones, memory_order_relaxed);
}

void memtable_timestamps(const struct memtable *m, int64_t *min, int64_t *max)
{
	*min = atomic_load_explicit(&m->min_timestamp, memory_order_relaxed);
	*max = atomic_load_explicit(&m->max_timestamp, memory_order_relaxed);
}

static bool begins_here(const struct tree *t, struct bytes partition)
{
	const struct tree_item *item;
	struct tree_cursor c;

	tree_cursor_seek(&c, t, partition, false);
	item = tree_cursor_next(&c);
	return item && bytes_begin_with(tree_item_key(item), partition);
}

bool memtable_may_contain_partition(const struct memtable *m,
				    struct bytes partition)
{
	return begins_here(&m->rows, partition) ||
	       begins_here(&m->bounds, partition);
}
