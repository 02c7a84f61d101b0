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

struct hashes {
	uint64_t partition, row;
};

/* True if the file may hold anything about the key. A range deletion is not in
 * the row filter: with bounds only the partition's filter counts. */
static bool may_matter(struct sstable *t, const struct hashes *h)
{
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

/* Fill found with the files whose range the key is in, at most one of each run.
 * Returns how many. */
static size_t find_files(const struct live_file **found,
			 const struct version *v, struct bytes key)
{
	size_t run, at, count = 0;

	for (run = 0; run < v->run_count; run++) {
		at = version_find_in_run(v, run, key);
		if (at < v->run_ends[run] &&
		    bytes_compare(v->in_runs[at]->first, key) <= 0)
			found[count++] = v->in_runs[at];
	}
	return count;
}

/* Take the newest of these files out. */
static const struct live_file *take_newest(const struct live_file **files,
					   size_t count)
{
	const struct live_file *newest = files[0];
	size_t i, at = 0;

	for (i = 1; i < count; i++)
		if (files[i] < newest)	/* their order in the version */
			newest = files[at = i];
	files[at] = files[count - 1];
	return newest;
}

static int gather_file(struct lsm *lsm, struct gathering *g, struct sstable *t)
{
	struct deletion force = DELETION_NONE;
	struct bytes row;
	int got;

	add_to(&lsm->counters.sstables_read);
	watch_file(sstable_info(t)->number);
	got = sstable_lookup(t, g->key, g->arena, &row, &force);
	add_force(g, force);
	if (!got && deletion_is_none(force))
		add_to(&lsm->counters.filter_misses);
	return got > 0 ? add_version(g, row) : got;
}

static int gather_files(struct lsm *lsm, struct gathering *g,
			const struct version *v)
{
	size_t partition_len = key_partition_len(g->key);
	const struct live_file **files;
	struct hashes h = { 0, 0 };
	size_t left;
	int err = 0;

	if (!v->file_count)
		return 0;
	files = arena_alloc(g->arena, v->run_count * sizeof(*files));
	if (!files)
		return -ENOMEM;
	left = find_files(files, v, g->key);
	h.row = sstable_key_hash(g->key);
	if (partition_len)
		h.partition = sstable_key_hash(bytes_of(g->key.ptr,
							partition_len));
	while (left && !err) {
		struct sstable *t = take_newest(files, left--)->sstable;

		/* No later one has anything newer. */
		if (sstable_info(t)->max_timestamp <= g->deleted ||
		    (g->count &&
		     is_decided(g, sstable_info(t)->max_timestamp)))
			break;
		if (may_matter(t, &h))
			err = gather_file(lsm, g, t);
		else
			add_to(&lsm->counters.filter_skips);
	}
	return err;
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

/* The range that is read. hash: of its partition; 0: it is of several. */
struct scanned_range {
	struct bytes lower, upper;
	uint64_t hash;
	bool reverse;
};

struct sources {
	struct iterator **list;
	size_t count;
	bool bounds;		/* some have range deletions */
};

/* Return the hash of the partition that both ends are in, or 0. */
static uint64_t common_partition(struct bytes lower, struct bytes upper)
{
	size_t len = key_partition_len(lower);

	if (!len || !bytes_begin_with(upper, bytes_of(lower.ptr, len)))
		return 0;
	return sstable_key_hash(bytes_of(lower.ptr, len));
}

/* Open the files of a run that may have something in the range as one source.
 * hash: of the one partition that is read, or 0. list: room for the files. */
static int open_run(struct lsm *lsm, struct sources *s, const struct version *v,
		    size_t run, const struct scanned_range *range,
		    struct sstable **list)
{
	size_t i = version_find_in_run(v, run, range->lower), count = 0;
	int err;

	for (; i < v->run_ends[run]; i++) {
		struct live_file *f = v->in_runs[i];

		if (range->upper.len &&
		    bytes_compare(f->first, range->upper) >= 0)
			break;
		if (range->hash && !sstable_may_contain_partition(
					   f->sstable, range->hash)) {
			add_to(&lsm->counters.filter_skips);
			continue;
		}
		s->bounds |= sstable_info(f->sstable)->has_bounds;
		list[count++] = f->sstable;
	}
	if (!count)
		return 0;
	err = sstable_iterate_run(&s->list[s->count], list, count,
				  range->reverse, false);
	if (!err)
		s->count++;
	return err;
}

static int open_files(struct lsm *lsm, struct sources *s,
		      const struct version *v,
		      const struct scanned_range *range)
{
	struct sstable **list;
	size_t run;
	int err = 0;

	if (!v->file_count)
		return 0;
	list = mem_zalloc(v->file_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (run = 0; run < v->run_count && !err; run++)
		err = open_run(lsm, s, v, run, range, list);
	mem_free(list);
	return err;
}

static int open_sources(struct lsm *lsm, struct sources *s,
			const struct version *v,
			const struct scanned_range *range)
{
	size_t i;
	int err = 0;

	if (!memtable_is_empty(v->active))
		err = memtable_iterate(&s->list[s->count++], v->active,
				       range->reverse);
	/* Look after the iterator was made: its moment may have newer
	 * bounds. */
	s->bounds = memtable_has_bounds(v->active);
	for (i = 0; i < v->frozen_count && !err; i++) {
		s->bounds |= memtable_has_bounds(v->frozen[i].memtable);
		err = memtable_iterate(&s->list[s->count++],
				       v->frozen[i].memtable, range->reverse);
	}
	if (err) {
		s->count--;	/* the source that failed is not in the list */
		return err;
	}
	return open_files(lsm, s, v, range);
}

int lsm_iterate(struct iterator **out, struct lsm *lsm, uint32_t table,
		struct bytes lower, struct bytes upper, bool reverse)
{
	struct version *v = lsm_pin_read(lsm, table);
	struct scanned_range range = { lower, upper, 0, reverse };
	struct sources s = { NULL, 0, false };
	int err = 0;

	add_to(&lsm->counters.iterators);
	if (v) {
		if (v->file_count)
			range.hash = common_partition(lower, upper);
		s.list = mem_zalloc(1 + v->frozen_count + v->run_count,
				    sizeof(*s.list));
		err = s.list ? open_sources(lsm, &s, v, &range) : -ENOMEM;
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
