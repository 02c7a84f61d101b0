/* Open and close the engine; its tables; its background works. */
#include "store/lsm/lsm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/base/memory.h"
#include "store/lsm/dead_rows.h"
#include "store/lsm/dead_sweep.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_compact.h"
#include "store/lsm/lsm_flush.h"
#include "store/lsm/lsm_idle.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_recover.h"
#include "store/lsm/lsm_version.h"
#include "store/lsm/lsm_write.h"
#include "store/sstable/cache.h"

void lsm_table_defaults(struct lsm_table_options *options)
{
	*options = (struct lsm_table_options){
		.gc_grace_s = 864000, .compression = COMPRESSION_LZ4,
		.strategy = LSM_UNIFIED, .compaction_enabled = true,
		.tombstone_threshold = 0.2,
		.min_threshold = 4, .max_threshold = 32,
		.small_sstable = (uint64_t)50 << 20,
		.bucket_low = 0.5, .bucket_high = 1.5, .fanout = 10,
		.window_s = 86400, .timestamps_per_s = 1000000,
		.flush_size = 1 << 20, .base_shards = 1, .most_files = 32,
		/* Tiered by four below 256 MiB, then levelled by ten. */
		.scaling = { 2, 2, 2, 2, -8 }, .scaling_count = 5,
	};
}

struct sstable_options lsm_writer_options(uint32_t table,
					  const struct lsm_table_options *o)
{
	return (struct sstable_options){
		.table = table,
		.block_size = o->block_size, .filter_bits = o->filter_bits,
		.compression = o->compression, .least_ratio = o->least_ratio,
	};
}

int lsm_check_writable(const struct lsm *lsm)
{
	return lsm->options.read_only || lsm->failed ? -EROFS : 0;
}

bool lsm_has_failed(const struct lsm *lsm)
{
	return lsm->failed;
}

int lsm_fail(struct lsm *lsm, int err)
{
	int none = 0;
	char text[80];

	if (!atomic_compare_exchange_strong(&lsm->failed, &none, err))
		return err;
	snprintf(text, sizeof(text),
		 "input/output error %d: the store is read-only now", -err);
	log_message(LOG_ERROR_LEVEL, "%s", text);
	if (lsm->options.notice)
		lsm->options.notice(lsm->options.context, text);
	return err;
}

/* ------------------------------------------------------------------ tables */

/* Find the place of the number, or where it would be inserted. */
static size_t place_of(const struct lsm *lsm, uint32_t number)
{
	size_t low = 0, high = lsm->table_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (lsm->tables[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct lsm_table *lsm_find_table(const struct lsm *lsm, uint32_t number)
{
	size_t at = place_of(lsm, number);

	return at < lsm->table_count && lsm->tables[at]->number == number ?
	       lsm->tables[at] : NULL;
}

uint64_t lsm_partition_state(struct lsm *lsm, uint32_t table, int64_t token)
{
	return turns_state(&lsm->turns, table, (uint64_t)token);
}

uint64_t lsm_state(struct lsm *lsm)
{
	return turns_state_of_all(&lsm->turns);
}

static struct lsm_table *new_table(uint32_t number)
{
	struct lsm_table *t = mem_zalloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->number = number;
	lsm_table_defaults(&t->options);
	atomic_init(&t->active_begin, NOT_IN_LOG);
	t->version = version_copy(NULL, 0);
	if (t->version)
		return t;
	mem_free(t);
	return NULL;
}

struct lsm_table *lsm_make_table(struct lsm *lsm, uint32_t number)
{
	struct lsm_table *t = lsm_find_table(lsm, number), **grown;
	size_t at = place_of(lsm, number);

	if (t)
		return t;
	t = new_table(number);
	if (!t)
		return NULL;
	mutex_lock(&lsm->lock);
	grown = array_grow(lsm->tables, lsm->table_count, sizeof(*grown),
			   &lsm->table_room);
	if (!grown) {
		mutex_unlock(&lsm->lock);
		version_put(t->version);
		mem_free(t);
		return NULL;
	}
	lsm->tables = grown;
	memmove(lsm->tables + at + 1, lsm->tables + at,
		(lsm->table_count - at) * sizeof(*lsm->tables));
	lsm->tables[at] = t;
	lsm->table_count++;
	mutex_unlock(&lsm->lock);
	return t;
}

int lsm_table_set(struct lsm *lsm, uint32_t table,
		  const struct lsm_table_options *options)
{
	struct lsm_table *t;

	mutex_lock(&lsm->write);
	t = lsm_make_table(lsm, table);
	if (t) {
		mutex_lock(&lsm->lock);
		t->options = *options;
		mutex_unlock(&lsm->lock);
	}
	mutex_unlock(&lsm->write);
	if (!t)
		return -ENOMEM;
	lsm_count_debt(lsm, t);		/* writers may be waiting for it */
	if (lsm->worker && !lsm->options.read_only)
		worker_add(lsm->worker, WORKER_COMPACTION,
			   &lsm->compaction_work);
	return 0;
}

static void drop_files(struct lsm *lsm, const struct version *v)
{
	size_t i;

	for (i = 0; i < v->file_count; i++)
		lsm_drop_file(lsm, v->files[i].sstable);
}

/*
 * Remove all data of a table by one edit of the manifest. No writer comes
 * between the mark and the edit: later batches lie after the mark. The log is
 * synced up to the mark first, so that it cannot end below it.
 */
static int empty_table(struct lsm *lsm, struct lsm_table *t, bool drop)
	REQUIRES(&lsm->install) REQUIRES(&lsm->write)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	uint64_t mark = commitlog_end(lsm->log);
	struct version *v = version_copy(NULL, 0), *old;
	size_t i;
	int err = v ? 0 : -ENOMEM;

	if (drop) {
		manifest_edit_drop_table(&edit, t->number, mark);
	} else {
		manifest_edit_drop_files(&edit, t->number);
		manifest_edit_mark(&edit, t->number, mark);
	}
	if (!err)
		err = commitlog_sync(lsm->log, mark);
	if (!err)
		err = manifest_apply(lsm->manifest, &edit);
	manifest_edit_release(&edit);
	if (err) {
		version_put(v);
		return err;
	}
	t->dropped = drop;
	turns_begin_all(&lsm->turns);
	old = lsm_swap(lsm, t, v);
	turns_end(&lsm->turns);
	atomic_store(&t->active_begin, NOT_IN_LOG);
	lsm->memtable_bytes -= memtable_memory(old->active);
	memtable_mark_replaced(old->active);
	for (i = 0; i < old->frozen_count; i++) {
		lsm->frozen_bytes -= memtable_memory(old->frozen[i].memtable);
		memtable_mark_replaced(old->frozen[i].memtable);
	}
	drop_files(lsm, old);
	version_put(old);
	return 0;
}

static int try_to_empty(struct lsm *lsm, uint32_t table, bool drop)
{
	struct lsm_table *t;
	int err;

	mutex_lock(&lsm->install);
	mutex_lock(&lsm->write);
	t = lsm_make_table(lsm, table);
	err = !t ? -ENOMEM : t->dropped ? 0 : empty_table(lsm, t, drop);
	mutex_unlock(&lsm->write);
	mutex_unlock(&lsm->install);
	if (!err)
		lsm_count_debt(lsm, t);
	return err;
}

static int change_table(struct lsm *lsm, uint32_t table, bool drop)
{
	int err = lsm_check_writable(lsm);

	if (err)
		return err;
	err = try_to_empty(lsm, table, drop);
	if (file_is_full(err) && lsm_reserve_spend(lsm)) {
		err = try_to_empty(lsm, table, drop);
		lsm_reserve_end(lsm);
	}
	/* A full disk has room now: at least that of the removed data's log. */
	if (!err && (lsm->no_room || lsm->reserve_spent) &&
	    lsm_flush_all(lsm, true) == -EIO)
		lsm_fail(lsm, -EIO);
	if (err == -EIO)
		lsm_fail(lsm, err);
	return err;
}

int lsm_table_drop(struct lsm *lsm, uint32_t table)
{
	return change_table(lsm, table, true);
}

int lsm_table_truncate(struct lsm *lsm, uint32_t table)
{
	return change_table(lsm, table, false);
}

static bool has_data(const struct version *v)
{
	return v->file_count || v->frozen_count || !memtable_is_empty(v->active);
}

int lsm_table_list(struct lsm *lsm, uint32_t **tables, size_t *count)
{
	uint32_t *list;
	size_t i;

	*count = 0;
	mutex_lock(&lsm->lock);
	list = mem_zalloc(lsm->table_count, sizeof(*list));
	for (i = 0; list && i < lsm->table_count; i++)
		if (has_data(lsm->tables[i]->version))
			list[(*count)++] = lsm->tables[i]->number;
	mutex_unlock(&lsm->lock);
	*tables = list;
	return list ? 0 : -ENOMEM;
}

uint32_t lsm_table_last(struct lsm *lsm)
{
	uint32_t last = manifest_last_table(lsm->manifest);

	mutex_lock(&lsm->lock);
	if (lsm->table_count &&
	    lsm->tables[lsm->table_count - 1]->number > last)
		last = lsm->tables[lsm->table_count - 1]->number;
	mutex_unlock(&lsm->lock);
	return last;
}

/* -------------------------------------------------------------- properties */

int lsm_property_set(struct lsm *lsm, const char *name, struct bytes value)
{
	struct manifest_edit edit = MANIFEST_EDIT_INIT;
	int err = lsm_check_writable(lsm);

	if (err)
		return err;
	manifest_edit_property(&edit, name, value);
	mutex_lock(&lsm->install);
	err = manifest_apply(lsm->manifest, &edit);
	mutex_unlock(&lsm->install);
	manifest_edit_release(&edit);
	if (err == -EIO)
		lsm_fail(lsm, err);
	return err;
}

int lsm_property_get(struct lsm *lsm, const char *name, struct buf *value)
{
	return manifest_property(lsm->manifest, name, value);
}

/* ------------------------------------------------------------------- works */

/* Freeze memtables of tables with memtable_flush_period when it is over. */
static void freeze_old(struct lsm *lsm)
{
	uint64_t now = clock_monotonic_ns();
	bool any = false;
	size_t i;

	mutex_lock(&lsm->write);
	for (i = 0; i < lsm->table_count; i++) {
		struct lsm_table *t = lsm->tables[i];
		int64_t period = t->options.memtable_flush_period_ms;

		if (period <= 0 || memtable_is_empty(t->version->active)) {
			t->dirty_since_ns = 0;
		} else if (!t->dirty_since_ns) {
			t->dirty_since_ns = now;
		} else if (now - t->dirty_since_ns >=
			   (uint64_t)period * 1000000) {
			any |= !lsm_freeze(lsm, t);
			t->dirty_since_ns = 0;
		}
	}
	mutex_unlock(&lsm->write);
	if (any)
		worker_add(lsm->worker, WORKER_FLUSH, &lsm->flush_work);
}

static void run_log(struct work *work)
{
	struct lsm *lsm = (struct lsm *)((char *)work -
					 offsetof(struct lsm, log_work));
	double seconds = lsm->options.commit_s > 0 ? lsm->options.commit_s : 1;

	int err = 0;

	if (commitlog_synced(lsm->log) < commitlog_end(lsm->log))
		err = commitlog_sync(lsm->log, commitlog_end(lsm->log));
	if (err)
		lsm_fail(lsm, err);
	freeze_old(lsm);
	lsm_idle_look(lsm);
	worker_add_after(lsm->worker, WORKER_LOG, work,
			 (uint64_t)(seconds * 1000));
}

static void run_spare(struct work *work)
{
	struct lsm *lsm = (struct lsm *)((char *)work -
					 offsetof(struct lsm, spare_work));

	/* Without a spare a writer makes it, or gets the error. */
	(void)commitlog_prepare(lsm->log, 0);
	atomic_store(&lsm->spare_asked, false);
}

int lsm_start(struct lsm *lsm)
{
	int err;

	if (lsm->options.read_only)
		return 0;
	lsm_reserve_begin(lsm);
	dead_hints_begin(lsm);
	err = lsm_reserve_keep(lsm, 0);
	lsm->room_wanted = file_is_full(err);
	if (!err || lsm_is_passing(err))	/* a writer tries again */
		err = worker_new(&lsm->worker, lsm->options.no_threads);
	if (!err && !lsm->options.no_threads)
		worker_add(lsm->worker, WORKER_LOG, &lsm->log_work);
	if (!err)
		worker_add(lsm->worker, WORKER_COMPACTION,
			   &lsm->compaction_work);
	if (!err && lsm->frozen_bytes)	/* since recovery */
		worker_add(lsm->worker, WORKER_FLUSH, &lsm->flush_work);
	if (!err)
		worker_add(lsm->worker, WORKER_SWEEP, &lsm->sweep_work);
	return err;
}

int lsm_settle(struct lsm *lsm)
{
	if (lsm->worker)
		worker_drain(lsm->worker);
	return lsm->failed ? -EIO : 0;
}

/* --------------------------------------------------------- open and close */

void lsm_init(struct lsm *lsm, const struct file_ops *files, int dir,
	      const struct lsm_options *options)
{
	lsm->files = files;
	lsm->dir = dir;
	lsm->options = *options;
	if (!lsm->options.cache_bytes)
		lsm->options.cache_bytes = memory_default_cache();
	if (!lsm->options.memtable_bytes)
		lsm->options.memtable_bytes = memory_default_memtables();
	mutex_init(&lsm->flushing);
	mutex_init(&lsm->compacting);
	mutex_init(&lsm->viewing);
	mutex_init(&lsm->install);
	mutex_init(&lsm->write);
	mutex_init(&lsm->lock);
	mutex_init(&lsm->room);
	lsm->log_work = WORK_INIT(run_log);
	lsm->spare_work = WORK_INIT(run_spare);
	lsm->idle_work = WORK_INIT(lsm_idle_run);
	lsm->flush_work = WORK_INIT(lsm_flush_run);
	lsm->compaction_work = WORK_INIT(lsm_compaction_run);
	lsm->sweep_work = WORK_INIT(dead_sweep_run);
}

void lsm_release(struct lsm *lsm)
{
	size_t i;

	for (i = 0; i < lsm->table_count; i++) {
		version_put(lsm->tables[i]->version);
		dead_spans_free(lsm->tables[i]->dead);
		dead_hints_free(lsm->tables[i]->hints);
		mem_free(lsm->tables[i]);
	}
	mem_free(lsm->tables);
	commitlog_close(lsm->log);
	manifest_close(lsm->manifest);
	if (lsm->cache)
		block_cache_free(lsm->cache);
	mutex_release(&lsm->flushing);
	mutex_release(&lsm->compacting);
	mutex_release(&lsm->viewing);
	mutex_release(&lsm->install);
	mutex_release(&lsm->write);
	mutex_release(&lsm->lock);
	mutex_release(&lsm->room);
	mem_free(lsm);
}

static int check_current(struct lsm *lsm)
{
	int fd = file_open(lsm->files, lsm->dir, "CURRENT", O_RDONLY);

	file_close(lsm->files, fd);
	return fd == -ENOENT ? log_corrupt("CURRENT", 0, "it is missing") :
	       fd < 0 ? fd : 0;
}

int lsm_open(struct lsm **out, const struct file_ops *files, int dir,
	     const struct lsm_options *options)
{
	struct lsm *lsm = mem_zalloc(1, sizeof(*lsm));
	int err;

	if (!lsm)
		return -ENOMEM;
	lsm_init(lsm, files, dir, options);
	err = options->exists ? check_current(lsm) : 0;
	if (!err)
		err = manifest_open(&lsm->manifest, files, dir,
				    options->read_only);
	if (!err)
		err = block_cache_new(&lsm->cache, lsm->options.cache_bytes);
	if (!err)
		err = lsm_recover(lsm);
	if (err)
		lsm_release(lsm);
	else
		*out = lsm;
	return err;
}

int lsm_close(struct lsm *lsm)
{
	int err = 0;

	if (!lsm)
		return 0;
	worker_free(lsm->worker);
	lsm->worker = NULL;
	if (!lsm->options.read_only)
		err = lsm_sync(lsm, commitlog_end(lsm->log));
	if (!lsm->options.read_only && !err && !lsm_check_writable(lsm))
		lsm_note_log_end(lsm);
	lsm_release(lsm);
	return err;
}
