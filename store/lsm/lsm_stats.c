/* Statistics of the store and of its work, and the check that it is whole. */
#include <errno.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_version.h"
#include "store/lsm/strategy.h"
#include "store/sstable/cache.h"
#include "store/sstable/verify.h"

static void widen(struct lsm_table_stats *s, int64_t min, int64_t max)
{
	if (min < s->min_timestamp)
		s->min_timestamp = min;
	if (max > s->max_timestamp)
		s->max_timestamp = max;
}

static void add_memtable(struct lsm_table_stats *s, const struct memtable *m)
{
	int64_t min, max;

	s->memtable_bytes += memtable_is_empty(m) ? 0 : memtable_memory(m);
	s->row_estimate += memtable_row_count(m);
	s->tombstones += memtable_tombstones(m);
	memtable_timestamps(m, &min, &max);
	widen(s, min, max);
}

static void count_work(struct lsm *lsm, uint32_t table,
		       struct lsm_table_stats *s)
{
	struct lsm_table *t;

	mutex_lock(&lsm->lock);
	t = lsm_find_table(lsm, table);
	if (t) {
		s->reads = t->reads;
		s->writes = t->writes;
		s->debt = t->debt;
	}
	mutex_unlock(&lsm->lock);
}

void lsm_table_stats(struct lsm *lsm, uint32_t table,
		     struct lsm_table_stats *stats)
{
	struct version *v = lsm_pin(lsm, table);
	size_t i;

	*stats = (struct lsm_table_stats){ .min_timestamp = INT64_MAX,
					   .max_timestamp = INT64_MIN };
	if (!v)
		return;
	add_memtable(stats, v->active);
	for (i = 0; i < v->frozen_count; i++)
		add_memtable(stats, v->frozen[i].memtable);
	for (i = 0; i < v->file_count; i++) {
		const struct sstable_info *info =
			sstable_info(v->files[i].sstable);

		stats->sstable_count++;
		stats->sstable_bytes += info->size;
		stats->row_estimate += info->row_count;
		stats->partition_estimate += info->partition_count;
		stats->tombstones += info->tombstone_count;
		stats->raw_bytes += info->raw_size;
		if (info->largest_partition_rows > stats->largest_partition_rows)
			stats->largest_partition_rows =
				info->largest_partition_rows;
		widen(stats, info->min_timestamp, info->max_timestamp);
	}
	version_put(v);
	count_work(lsm, table, stats);
}

static void add_file(struct lsm_shape *shape, const struct live_file *f,
		     int64_t gc_before)
{
	const struct sstable_info *info = sstable_info(f->sstable);
	uint32_t level = f->level < LSM_LEVELS ? f->level : LSM_LEVELS - 1;

	shape->levels[level].files++;
	shape->levels[level].bytes += info->size;
	shape->levels[level].density += strategy_density(info);
	shape->purgeable_bytes += (uint64_t)((double)info->size *
		sstable_droppable(f->sstable, gc_before));
	shape->damaged_files += sstable_is_damaged(f->sstable, NULL);
}

int lsm_shape(struct lsm *lsm, struct lsm_shape *shape)
{
	int64_t now = clock_now_s();
	uint32_t *tables;
	size_t count, i, j;
	int err = lsm_table_list(lsm, &tables, &count);

	*shape = (struct lsm_shape){ .purgeable_bytes = 0 };
	for (i = 0; i < count && !err; i++) {
		struct version *v = lsm_pin(lsm, tables[i]);
		struct lsm_table *t;
		int64_t grace;

		mutex_lock(&lsm->lock);
		t = lsm_find_table(lsm, tables[i]);
		grace = t ? t->options.gc_grace_s : 0;
		mutex_unlock(&lsm->lock);
		for (j = 0; v && j < v->file_count; j++)
			add_file(shape, &v->files[j], now - grace);
		version_put(v);
	}
	mem_free(tables);
	return err;
}

uint64_t lsm_moment(const struct lsm *lsm)
{
	return lsm->counters.flushes + lsm->counters.compactions;
}

void lsm_stats(struct lsm *lsm, struct lsm_stats *stats)
{
	const struct lsm_counters *c = &lsm->counters;
	struct commitlog_stats log;
	struct block_cache_stats cache;

	commitlog_stats(lsm->log, &log);
	block_cache_stats(lsm->cache, &cache);
	*stats = (struct lsm_stats){
		.applied = c->applied, .gets = c->gets,
		.iterators = c->iterators, .bytes_written = c->bytes_written,
		.flushes = c->flushes, .compactions = c->compactions,
		.bytes_flushed = c->bytes_flushed,
		.bytes_compacted = c->bytes_compacted,
		.log_bytes = log.bytes, .log_segments = log.segments,
		.syncs = log.syncs, .cache_hits = cache.hits,
		.cache_misses = cache.misses, .cache_bytes = cache.bytes,
		.cache_room = cache.capacity, .cache_held = cache.held,
		.cache_dropped = cache.dropped,
		.memtable_bytes = lsm->memtable_bytes + lsm->frozen_bytes,
		.memtable_room = lsm->options.memtable_bytes,
		.sstables_read = c->sstables_read,
		.filter_skips = c->filter_skips,
		.filter_misses = c->filter_misses,
		.tombstones_read = c->tombstones_read,
		.debt = lsm->debt, .paused_ns = c->paused_ns,
		.faulted = lsm->failed != 0, .sync_time = log.sync_time,
	};
	latency_sum(&stats->get_time, &c->get_time);
	latency_sum(&stats->apply_time, &c->apply_time);
}

struct verifying {
	const struct lsm_verify_told *told;
	uint64_t done, total;
};

static int verify_table(struct lsm *lsm, uint32_t number, struct verifying *all)
{
	const struct lsm_verify_told *told = all->told;
	struct version *v = lsm_pin(lsm, number);
	size_t i;
	int worst = 0;

	for (i = 0; v && i < v->file_count && worst != -EINTR; i++) {
		struct sstable *t = v->files[i].sstable;
		int err = sstable_verify(t);

		if (err == -EUCLEAN && told->report)
			told->report(told->context, log_corrupt_last());
		if (err && (worst != -EUCLEAN || err == -EINTR))
			worst = err;
		all->done += sstable_info(t)->size;
		if (all->done > all->total)	/* files came meanwhile */
			all->total = all->done;
		if (told->progress)
			told->progress(told->context, all->done, all->total);
	}
	version_put(v);
	return worst;
}

int lsm_verify_tables(struct lsm *lsm, const uint32_t *tables, size_t count,
		      const struct lsm_verify_told *told)
{
	struct verifying all = { .told = told };
	size_t i;
	int worst = 0;

	for (i = 0; i < count && told->progress; i++) {
		struct lsm_table_stats stats;

		lsm_table_stats(lsm, tables[i], &stats);
		all.total += stats.sstable_bytes;
	}
	for (i = 0; i < count && worst != -EINTR; i++) {
		int err = verify_table(lsm, tables[i], &all);

		if (err && (worst != -EUCLEAN || err == -EINTR))
			worst = err;
	}
	return worst;
}

/* A snapshot that is removed meanwhile takes its files along. */
int lsm_verify_snapshots(struct lsm *lsm, const struct lsm_verify_told *told)
{
	struct manifest_file *files;
	size_t count, i;
	int worst = manifest_past_files(lsm->manifest, &files, &count);

	for (i = 0; i < count && worst != -EINTR; i++) {
		struct sstable *t;
		int err;

		mutex_lock(&lsm->viewing);
		err = manifest_has_file(lsm->manifest, files[i].info.number) ?
			      lsm_open_named(lsm, lsm->cache, &files[i], &t) :
			      -ENOENT;
		mutex_unlock(&lsm->viewing);
		if (err == -ENOENT)
			continue;
		if (!err) {
			err = sstable_verify(t);
			sstable_put(t);
		}
		if (err == -EUCLEAN && told->report)
			told->report(told->context, log_corrupt_last());
		if (err && (worst != -EUCLEAN || err == -EINTR))
			worst = err;
	}
	mem_free(files);
	return worst;
}

int lsm_verify(struct lsm *lsm, void (*report)(void *context, const char *text),
	       void *context)
{
	struct lsm_verify_told told = { report, NULL, context };
	uint32_t *tables;
	size_t count;
	int worst = lsm_table_list(lsm, &tables, &count), err;

	if (!worst)
		worst = lsm_verify_tables(lsm, tables, count, &told);
	mem_free(tables);
	if (worst && worst != -EUCLEAN)
		return worst;
	err = lsm_verify_snapshots(lsm, &told);
	return err ? err : worst;
}
