/*
 * Compaction: what the strategy picks is merged (compaction.h), and the table's
 * version swapped. One at a time; flushes go on beside it.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/lsm/compaction.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/strategy.h"

struct job {
	struct lsm *lsm;
	struct table *table;
	struct lsm_table_options options;
	struct version *from;
	int64_t now;
	struct strategy_file *files;	/* as from->files */
	struct strategy_pick pick;
	struct sstable **inputs;
	struct compaction *compaction;
	struct version *spare;
};

static bool is_input(const struct job *j, const struct sstable *t)
{
	size_t i;

	for (i = 0; i < j->pick.count; i++)
		if (j->inputs[i] == t)
			return true;
	return false;
}

static int64_t min_of_memory(const struct version *v, struct bytes partition)
{
	int64_t least = INT64_MAX, min, max;
	size_t i;

	for (i = 0; i <= v->frozen_count; i++) {
		const struct memtable *m = i < v->frozen_count ?
					   v->frozen[i].memtable : v->active;

		if (memtable_is_empty(m))
			continue;
		if (partition.len &&
		    !memtable_may_contain_partition(m, partition))
			continue;
		memtable_timestamps(m, &min, &max);
		if (min < least)
			least = min;
	}
	return least;
}

/* Of the version as it is now: what was flushed since the begin is in a file
 * that is no input. */
static int64_t min_other_timestamp(void *context, struct bytes partition)
{
	struct job *j = context;
	struct version *v = lsm_pin(j->lsm, j->table->number);
	uint64_t hash = key_hash(partition);
	int64_t least = min_of_memory(v, partition);
	size_t i;

	for (i = 0; i < v->file_count; i++) {
		struct sstable *t = v->files[i].sstable;
		int64_t min = sstable_info(t)->min_timestamp;

		if (min < least && !is_input(j, t) &&
		    sstable_may_contain_partition(t, hash))
			least = min;
	}
	version_put(v);
	return least;
}

static uint64_t next_number(void *context)
{
	return manifest_next_number(((struct job *)context)->lsm->manifest);
}

static bool cancelled(void *context)
{
	struct job *j = context;

	return j->lsm->failed || (j->lsm->worker &&
				  worker_ending(j->lsm->worker));
}

static int gather_files(struct job *j)
{
	const struct version *v = j->from;
	size_t i;

	j->files = mem_zalloc(v->file_count, sizeof(*j->files));
	if (!j->files)
		return -ENOMEM;
	for (i = 0; i < v->file_count; i++) {
		struct sstable *t = v->files[i].sstable;

		j->files[i] = (struct strategy_file){
			.info = sstable_info(t),
			.first_key = sstable_first_key(t),
			.last_key = sstable_last_key(t),
			.level = v->files[i].level,
			.droppable = sstable_droppable(
				t, j->now - j->options.gc_grace_s),
		};
	}
	return 0;
}

static int prepare(struct job *j)
{
	struct compaction_setup setup = {
		.files = j->lsm->files, .dir = j->lsm->dir,
		.cache = j->lsm->cache, .table = j->table->number,
		.output = { .block_size = j->options.block_size,
			    .filter_bits = j->options.filter_bits,
			    .compress = j->options.compress },
		.level = j->pick.level, .output_size = j->pick.output_size,
		.shard_bits = j->pick.shard_bits,
		.drop_only = j->pick.drop_only,
		.move_only = j->pick.move_only, .now = j->now,
		.gc_before = j->now - j->options.gc_grace_s,
		.min_other_timestamp = min_other_timestamp,
		.next_number = next_number, .cancelled = cancelled,
		.context = j,
	};
	size_t i;

	j->inputs = mem_zalloc(j->pick.count, sizeof(*j->inputs));
	if (!j->inputs)
		return -ENOMEM;
	for (i = 0; i < j->pick.count; i++)
		j->inputs[i] = j->from->files[j->pick.files[i]].sstable;
	setup.inputs = j->inputs;
	setup.input_count = j->pick.count;
	return compaction_prepare(&j->compaction, &setup);
}

/* The version after: outputs for inputs. */
static struct version *next_version(struct job *j)
{
	size_t outputs = compaction_output_count(j->compaction), i, kept = 0;
	struct version *v;

	mutex_lock(&j->lsm->lock);
	v = version_copy_to(&j->spare, j->table->version, outputs);
	mutex_unlock(&j->lsm->lock);
	if (!v)
		return NULL;
	for (i = 0; i < v->file_count; i++) {
		struct live_file *f = &v->files[i];

		if (is_input(j, f->sstable)) {
			if (!j->pick.move_only) {
				sstable_put(f->sstable);
				continue;
			}
			f->level = j->pick.level;
		}
		v->files[kept++] = *f;
	}
	v->file_count = kept;
	for (i = 0; i < outputs; i++)
		v->files[v->file_count++] = (struct live_file){
			sstable_get(compaction_output(j->compaction, i)),
			j->pick.level };
	version_sort_files(v);
	return v;
}

static int install(struct job *j)
{
	struct lsm *lsm = j->lsm;
	struct version *v = next_version(j);
	int err;

	/* There is memory for it; made anew below, with what a flush adds. */
	j->spare = v ? version_spare(v, 16) : NULL;
	version_put(v);
	err = j->spare ? compaction_install(j->compaction, lsm->manifest) :
			 -ENOMEM;
	if (err)
		return err;
	mutex_lock(&lsm->write);
	while (!(v = next_version(j)))
		;	/* the manifest has it: it must come to be */
	v = lsm_swap(lsm, j->table, v);
	mutex_unlock(&lsm->write);
	version_put(v);
	compaction_drop_inputs(j->compaction);
	lsm->counters.compactions++;
	lsm->counters.bytes_compacted +=
		compaction_bytes_written(j->compaction);
	return 0;
}

static int run(struct job *j)
{
	int err = prepare(j);

	if (!err)
		err = compaction_run(j->compaction);
	if (!err) {
		mutex_lock(&j->lsm->install);
		err = install(j);
		mutex_unlock(&j->lsm->install);
	}
	compaction_free(j->compaction);
	mem_free(j->inputs);
	version_put(j->spare);
	return err;
}

/* One step: 1 when something was merged, 0 when there is nothing to do. */
static int compact_step(struct lsm *lsm, struct table *t, bool all)
{
	struct job j = { .lsm = lsm, .table = t, .now = clock_now_s() };
	struct strategy_request request;
	int got;

	mutex_lock(&lsm->lock);
	j.options = t->options;
	mutex_unlock(&lsm->lock);
	if (!all && !j.options.compaction_enabled)
		return 0;
	j.from = lsm_pin(lsm, t->number);
	got = j.from->file_count ? gather_files(&j) : 0;
	request = (struct strategy_request){
		.options = &j.options, .files = j.files,
		.count = j.from->file_count, .now = j.now,
		.min_memory_timestamp = min_of_memory(j.from, BYTES_EMPTY),
	};
	if (!got && j.from->file_count)
		got = all ? strategy_pick_all(&j.pick, &request) :
			    strategy_pick(&j.pick, &request);
	if (got > 0) {
		got = run(&j);
		strategy_release(&j.pick);
		if (!got)
			got = 1;
		else if (got == -ESTALE)
			got = 0;	/* truncated or dropped meanwhile */
	}
	mem_free(j.files);
	version_put(j.from);
	return got;
}

void lsm_compaction_run(struct work *work)
{
	struct lsm *lsm = (struct lsm *)((char *)work -
					 offsetof(struct lsm, compaction_work));
	struct table *t;
	size_t i;
	int got = 0;

	mutex_lock(&lsm->compacting);
	for (i = 0; got >= 0 && (t = lsm_table_at(lsm, i)); i++) {
		do {
			got = lsm_check_writable(lsm);
			if (!got)
				got = compact_step(lsm, t, false);
		} while (got > 0 && !worker_ending(lsm->worker));
	}
	mutex_unlock(&lsm->compacting);
	if (got == -EIO)
		lsm_fail(lsm, got);
	else if (got < 0 && got != -ECANCELED && got != -EROFS)
		log_message(LOG_WARNING_LEVEL, "compaction: error %d", -got);
}

int lsm_compact(struct lsm *lsm, uint32_t table)
{
	struct table *t;
	int got = lsm_check_writable(lsm);

	if (got)
		return got;
	mutex_lock(&lsm->lock);
	t = lsm_find_table(lsm, table);
	mutex_unlock(&lsm->lock);
	if (!t)
		return 0;
	mutex_lock(&lsm->compacting);
	got = compact_step(lsm, t, true);
	mutex_unlock(&lsm->compacting);
	if (got == -EIO)
		lsm_fail(lsm, got);
	return got < 0 ? got : 0;
}
