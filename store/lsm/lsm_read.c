/*
 * Read a pinned version, the newest sources first. A source is left out by its
 * key range, by its filters, or because all data in it is older than a deletion
 * that is already known.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/watch.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_version.h"
#include "store/row/key.h"
#include "store/row/merge.h"
#include "store/row/reconcile.h"
#include "store/row/row_codec.h"
#include "store/sstable/iterate.h"

static uint64_t add_to(_Atomic uint64_t *counter)
{
	return atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* The versions of a row as they are found. */
struct gathering {
	struct arena *arena;
	struct bytes key;
	uint64_t mask;
	struct deletion force;		/* range deletions seen so far */
	int64_t deleted;		/* all timestamps <= this are deleted */
	const struct row **rows;
	size_t count, room;
};

/* Add an encoded version, which is in the arena; null: no memory. */
static int add_version(struct gathering *g, struct bytes encoded)
{
	struct row *row = arena_alloc(g->arena, sizeof(*row));
	int err;

	if (!row || bytes_is_null(encoded))
		return -ENOMEM;
	err = row_decode_columns(row, g->arena, encoded, g->mask);
	if (err)
		return err;
	if (g->count == g->room) {
		size_t room = g->room ? g->room * 2 : 8;
		const struct row **grown = arena_zalloc(g->arena, room,
							sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		if (g->count)
			memcpy(grown, g->rows, g->count * sizeof(*grown));
		g->rows = grown;
		g->room = room;
	}
	g->rows[g->count++] = row;
	if (row->deletion.timestamp > g->deleted)
		g->deleted = row->deletion.timestamp;
	return 0;
}

static void add_force(struct gathering *g, struct deletion force)
{
	g->force = reconcile_deletion_max(g->force, force);
	if (force.timestamp > g->deleted)
		g->deleted = force.timestamp;
}

static int gather_memtable(struct gathering *g, const struct memtable *m)
{
	const struct memtable_part *more;
	struct deletion force;
	struct bytes row;
	int err;

	if (memtable_is_empty(m))
		return 0;
	if (!memtable_lookup(m, g->key, &row, &more, &force)) {
		add_force(g, force);
		return 0;
	}
	add_force(g, force);
	err = add_version(g, arena_copy(g->arena, row));
	while (!err && more)
		err = add_version(g, arena_copy(g->arena,
						memtable_next_part(&more)));
	return err;
}

static bool in_range(const struct sstable *t, struct bytes key)
{
	return bytes_compare(sstable_first_key(t), key) <= 0 &&
	       bytes_compare(key, sstable_last_key(t)) <= 0;
}

struct hashes {
	uint64_t partition, row;
};

/* True if the file may hold anything about the key. A range deletion is not in
 * the row filter: with bounds only the partition's filter counts. */
static bool may_matter(struct sstable *t, const struct gathering *g,
		       const struct hashes *h)
{
	if (!in_range(t, g->key))
		return false;
	if (!sstable_has_row_filter(t) || sstable_info(t)->has_bounds)
		return !h->partition ||
		       sstable_may_contain_partition(t, h->partition);
	return sstable_may_contain_row(t, h->row);
}

/*
 * True if all wanted columns are decided, when nothing that is left is newer
 * than `newest`. With all columns wanted nobody knows which there are; with
 * none the marker decides whether there is a row.
 */
static bool is_decided(const struct gathering *g, int64_t newest)
{
	uint64_t left = g->mask;
	size_t i;
	uint32_t j;

	if (left == UINT64_MAX)
		return false;
	for (i = 0; i < g->count && !g->mask; i++)
		if (g->rows[i]->marker.timestamp > newest)
			return true;
	if (!g->mask)
		return false;
	for (i = 0; i < g->count; i++) {
		for (j = 0; j < g->rows[i]->cell_count; j++) {
			const struct cell *c = &g->rows[i]->cells[j];

			/* Elements of a collection do not decide all of it. */
			if (c->timestamp > newest &&
			    (bytes_is_null(c->path) ||
			     c->flags & CELL_COLUMN_DELETION))
				left &= ~((uint64_t)1 << (c->column & 63));
		}
	}
	return !left;
}

/* Return the largest timestamp of the first `frozen` frozen memtables and all
 * files. */
static int64_t newest_of(const struct version *v, size_t frozen)
{
	int64_t newest = v->file_count ?
		sstable_info(v->files[0].sstable)->max_timestamp : INT64_MIN;
	size_t i;

	for (i = 0; i < frozen; i++) {
		int64_t min, max;

		memtable_timestamps(v->frozen[i].memtable, &min, &max);
		if (max > newest)
			newest = max;
	}
	return newest;
}

/* 1: everything is decided; 0; -errno. */
static int gather_memtables(struct gathering *g, const struct version *v)
{
	size_t left = v->frozen_count;
	int err = gather_memtable(g, v->active);

	while (!err && left) {
		if (g->count && is_decided(g, newest_of(v, left)))
			return 1;
		err = gather_memtable(g, v->frozen[--left].memtable);
	}
	return err;
}

static int gather_files(struct lsm *lsm, struct gathering *g,
			const struct version *v)
{
	size_t partition_len = key_partition_len(g->key), i;
	struct hashes h = { 0, 0 };
	struct bytes row;
	int got = 0;

	if (!v->file_count)
		return 0;
	h.row = sstable_key_hash(g->key);
	if (partition_len)
		h.partition = sstable_key_hash(bytes_of(g->key.ptr,
							partition_len));
	for (i = 0; i < v->file_count && got >= 0; i++) {
		struct sstable *t = v->files[i].sstable;
		struct deletion force = DELETION_NONE;

		/* The files are sorted: no later one has anything newer. */
		if (sstable_info(t)->max_timestamp <= g->deleted ||
		    (g->count &&
		     is_decided(g, sstable_info(t)->max_timestamp)))
			break;
		if (!may_matter(t, g, &h)) {
			add_to(&lsm->counters.filter_skips);
			continue;
		}
		add_to(&lsm->counters.sstables_read);
		watch_file(sstable_info(t)->number);
		got = sstable_lookup(t, g->key, g->arena, &row, &force);
		add_force(g, force);
		if (!got && deletion_is_none(force))
			add_to(&lsm->counters.filter_misses);
		if (got > 0)
			got = add_version(g, row);
	}
	return got < 0 ? got : 0;
}

static bool is_nothing(const struct row *row)
{
	return !row->cell_count && deletion_is_none(row->deletion) &&
	       row->marker.timestamp == NO_TIMESTAMP;
}

static int get(struct lsm *lsm, uint32_t table, struct bytes key, uint64_t mask,
	       struct arena *arena, struct row *row, struct deletion *covering)
{
	struct gathering g = { arena, key, mask, DELETION_NONE, NO_TIMESTAMP,
			       NULL, 0, 0 };
	struct version *v = lsm_pin_read(lsm, table);
	uint64_t begun = 0;
	int err;

	*row = ROW_NONE;
	if (!(add_to(&lsm->counters.gets) % LSM_SAMPLE))
		begun = clock_monotonic_ns();
	if (!v)
		return 0;
	err = gather_memtables(&g, v);
	if (!err)
		err = gather_files(lsm, &g, v);
	version_put(v);
	if (begun)
		latency_add(&lsm->counters.get_time,
			    clock_monotonic_ns() - begun);
	*covering = g.force;
	if (err < 0 || !g.count)
		return err;
	if (g.count > 1 || !deletion_is_none(g.force))
		err = row_merge(row, arena, g.rows, g.count, g.force);
	else
		*row = *g.rows[0];
	return err < 0 ? err : !is_nothing(row);
}

int lsm_get(struct lsm *lsm, uint32_t table, struct bytes key, uint64_t mask,
	    struct arena *arena, struct row *row)
{
	struct deletion covering = DELETION_NONE;

	return get(lsm, table, key, mask, arena, row, &covering);
}

int lsm_get_covered(struct lsm *lsm, uint32_t table, struct bytes key,
		    struct arena *arena, struct row *row,
		    struct deletion *covering)
{
	*covering = DELETION_NONE;
	return get(lsm, table, key, UINT64_MAX, arena, row, covering);
}

/* ------------------------------------------------------------------ iterate */

struct sources {
	struct iterator **list;
	size_t count;
	bool bounds;		/* some have range deletions */
};

static bool overlaps(const struct sstable *t, struct bytes lower,
		     struct bytes upper)
{
	return (!upper.len ||
		bytes_compare(sstable_first_key(t), upper) < 0) &&
	       (!lower.len || bytes_compare(sstable_last_key(t), lower) >= 0);
}

/* Return the hash of the partition that both ends are in, or 0. */
static uint64_t common_partition(struct bytes lower, struct bytes upper)
{
	size_t len = key_partition_len(lower);

	if (!len || !bytes_begin_with(upper, bytes_of(lower.ptr, len)))
		return 0;
	return sstable_key_hash(bytes_of(lower.ptr, len));
}

static int open_sources(struct lsm *lsm, struct sources *s,
			const struct version *v, struct bytes lower,
			struct bytes upper, bool reverse)
{
	uint64_t hash = v->file_count ? common_partition(lower, upper) : 0;
	size_t i;
	int err = 0;

	if (!memtable_is_empty(v->active))
		err = memtable_iterate(&s->list[s->count++], v->active,
				       reverse);
	/* Look after the iterator was made: its moment may have newer
	 * bounds. */
	s->bounds = memtable_has_bounds(v->active);
	for (i = 0; i < v->frozen_count && !err; i++) {
		s->bounds |= memtable_has_bounds(v->frozen[i].memtable);
		err = memtable_iterate(&s->list[s->count++],
				       v->frozen[i].memtable, reverse);
	}
	for (i = 0; i < v->file_count && !err; i++) {
		struct sstable *t = v->files[i].sstable;

		if (!overlaps(t, lower, upper))
			continue;
		if (hash && !sstable_may_contain_partition(t, hash)) {
			add_to(&lsm->counters.filter_skips);
			continue;
		}
		s->bounds |= sstable_info(t)->has_bounds;
		watch_file(sstable_info(t)->number);
		err = sstable_iterate(&s->list[s->count++], t, reverse, false);
	}
	if (err)
		s->count--;	/* the source that failed is not in the list */
	return err;
}

int lsm_iterate(struct iterator **out, struct lsm *lsm, uint32_t table,
		struct bytes lower, struct bytes upper, bool reverse)
{
	struct version *v = lsm_pin_read(lsm, table);
	struct sources s = { NULL, 0, false };
	int err = 0;

	add_to(&lsm->counters.iterators);
	if (v) {
		s.list = mem_zalloc(1 + v->frozen_count + v->file_count,
				    sizeof(*s.list));
		err = s.list ? open_sources(lsm, &s, v, lower, upper, reverse) :
			       -ENOMEM;
	}
	/* The sources hold references of their own. */
	version_put(v);
	if (!err && s.count == 1 && !s.bounds)
		*out = s.list[0];	/* nothing to merge, nothing to hide */
	else if (!err)
		err = merge_open(out, s.list, s.count, reverse);
	else
		while (s.count)
			iterator_close(s.list[--s.count]);
	mem_free(s.list);
	return err;
}
