#include "store/lsm/compaction_job.h"

#include <errno.h>
#include <inttypes.h>

#include "store/base/alloc.h"
#include "store/base/counted.h"
#include "store/base/log.h"
#include "store/base/watch.h"
#include "store/lsm/lsm_reclaim.h"
#include "store/lsm/lsm_version.h"
#include "store/sstable/verify.h"

static bool is_input(const struct compaction_job *j, const struct sstable *t)
{
	size_t i;

	for (i = 0; i < j->pick.count; i++)
		if (j->inputs[i] == t)
			return true;
	return false;
}

int64_t compaction_job_min_of_memory(const struct version *v,
				     struct bytes partition)
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

/* Look at the version as it is now: what was flushed since the beginning is in
 * a file that is no input. */
static int64_t min_other_timestamp(void *context, struct bytes partition)
{
	struct compaction_job *j = context;
	struct version *v = lsm_pin(j->lsm, j->table->number);
	uint64_t hash = sstable_key_hash(partition);
	int64_t token = (int64_t)(get_be64(partition.ptr) ^ (uint64_t)1 << 63);
	int64_t least = compaction_job_min_of_memory(v, partition);
	size_t i;

	for (i = 0; i < v->file_count; i++) {
		struct sstable *t = v->files[i].sstable;
		const struct sstable_info *info = sstable_info(t);

		/* Compare the tokens first: the filter now and then says yes of
		 * a key that is not there, and strategy_purge must be right. */
		if (info->min_timestamp < least && token >= info->first_token &&
		    token <= info->last_token && !is_input(j, t) &&
		    sstable_may_contain_partition(t, hash))
			least = info->min_timestamp;
	}
	version_put(v);
	return least;
}

static uint64_t next_number(void *context)
{
	return manifest_next_number(((struct compaction_job *)context)->lsm->manifest);
}

static bool cancelled(void *context)
{
	struct compaction_job *j = context;

	return j->lsm->failed || watch_ask() ||
	       (j->lsm->worker && worker_ending(j->lsm->worker));
}

static bool may_shadow_inputs(const struct compaction_job *j,
			      const struct sstable *t)
{
	size_t i;

	for (i = 0; i < j->pick.count; i++)
		if (lsm_may_shadow(t, j->inputs[i]))
			return true;
	return false;
}

/* Add the files that may delete or overwrite something of the inputs. */
static void add_shadows(struct compaction_job *j)
{
	const struct version *v = j->from;
	size_t i;

	for (i = 0; i < v->file_count; i++) {
		struct sstable *t = v->files[i].sstable;

		if (!is_input(j, t) && may_shadow_inputs(j, t))
			j->inputs[j->pick.count + j->shadow_count++] = t;
	}
}

static int prepare(struct compaction_job *j)
{
	struct compaction_setup setup = {
		.files = j->lsm->files, .dir = j->lsm->dir,
		.cache = j->lsm->cache, .table = j->table->number,
		.output = lsm_writer_options(j->table->number, &j->options),
		.level = j->pick.level, .output_size = j->pick.output_size,
		.most_bytes = j->most_bytes,
		.shards = j->pick.shards, .least_size = j->pick.least_size,
		.drop_only = j->pick.drop_only,
		.move_only = j->pick.move_only, .now = j->now,
		.gc_before = j->now - j->options.gc_grace_s,
		.min_other_timestamp = min_other_timestamp,
		.next_number = next_number, .cancelled = cancelled,
		.context = j,
	};
	size_t i;

	setup.output.measure_only = j->measure_only;
	j->inputs = mem_zalloc(j->from->file_count, sizeof(*j->inputs));
	if (!j->inputs)
		return -ENOMEM;
	for (i = 0; i < j->pick.count; i++)
		j->inputs[i] = j->from->files[j->pick.files[i]].sstable;
	if (j->alone || (j->options.overlapping_tombstones &&
			 !j->pick.drop_only && !j->pick.move_only))
		add_shadows(j);
	setup.inputs = j->inputs;
	setup.input_count = j->pick.count;
	setup.shadows = j->inputs + j->pick.count;
	setup.shadow_count = j->shadow_count;
	return compaction_prepare(&j->compaction, &setup);
}

/* Make the next version: outputs in place of inputs. */
static struct version *next_version(struct compaction_job *j)
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
			.sstable = sstable_get(
				compaction_output(j->compaction, i)),
			.level = j->pick.level };
	version_arrange(v);
	return v;
}

static int install(struct compaction_job *j)
{
	struct lsm *lsm = j->lsm;
	struct version *v = next_version(j);
	int err;

	/* This reserves memory; the version is made again below, with the files
	 * that a flush adds. */
	j->spare = v ? version_spare(v, 16) : NULL;
	version_put(v);
	err = j->spare ? compaction_install(j->compaction, lsm->manifest) :
			 -ENOMEM;
	if (err)
		return err;
	mutex_lock(&lsm->write);
	while (!(v = next_version(j)))
		;	/* the manifest has it: no way back */
	v = lsm_swap(lsm, j->table, v);
	mutex_unlock(&lsm->write);
	version_put(v);
	compaction_drop_inputs(j->compaction, lsm->manifest);
	lsm->counters.compactions++;
	lsm->counters.bytes_compacted +=
		compaction_bytes_written(j->compaction);
	return 0;
}

static uint64_t everything_in(const struct sstable *t)
{
	const struct sstable_info *info = sstable_info(t);

	return info->row_count + info->cell_count + info->tombstone_count +
	       info->raw_size;
}

/*
 * True if the merge purged nothing although it should have. That happens only
 * if older data came meanwhile or statistics lie. It is not tried again.
 */
static bool purged_nothing(const struct compaction_job *j)
{
	uint64_t before = 0, after = 0;
	size_t i;

	if (!j->pick.purges)
		return false;
	for (i = 0; i < j->pick.count; i++)
		before += everything_in(j->inputs[i]);
	for (i = 0; i < compaction_output_count(j->compaction); i++)
		after += everything_in(compaction_output(j->compaction, i));
	return after >= before;
}

/* Find out which files are damaged: the one that the merge met is marked
 * already, unless its checksums are right and its rows are not. */
static int find_damage(struct compaction_job *j)
{
	size_t count = j->pick.count + j->shadow_count, i;
	bool found = false;
	int err = 0;

	for (i = 0; i < count; i++)
		found |= sstable_is_damaged(j->inputs[i], NULL);
	for (i = 0; !found && i < count; i++) {
		if (cancelled(j))
			return -ECANCELED;
		err = sstable_verify(j->inputs[i]);
		if (err && err != -EUCLEAN)
			return err;
	}
	for (i = 0; i < count; i++)
		found |= sstable_is_damaged(j->inputs[i], NULL);
	for (i = 0; !found && i < j->pick.count; i++)
		sstable_set_damaged(j->inputs[i], 0);
	return -EAGAIN;
}

/* Log the compaction, for the option log_all. */
static void log_compaction(const struct compaction_job *j)
{
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < j->pick.count; i++)
		size += sstable_info(j->inputs[i])->size;
	if (j->pick.drop_only || j->pick.move_only)
		log_message(LOG_INFO_LEVEL, "compaction of table %" PRIu32
			    ": %s of %s %s", j->table->number,
			    counted(j->pick.count, "file").text,
			    counted(size, "byte").text,
			    j->pick.drop_only ? "dropped" :
						"moved to another level");
	else
		log_message(LOG_INFO_LEVEL, "compaction of table %" PRIu32
			    ": %s of %s merged to %s of %s",
			    j->table->number,
			    counted(j->pick.count, "file").text,
			    counted(size, "byte").text,
			    counted(compaction_output_count(j->compaction),
				    "file").text,
			    counted(compaction_bytes_written(j->compaction),
				    "byte").text);
}

int compaction_job_run(struct compaction_job *j)
{
	size_t i;
	int err = prepare(j);

	if (!err)
		err = compaction_run(j->compaction);
	if (!err)
		j->written = compaction_bytes_written(j->compaction);
	if (!err && j->measure_only) {
		;
	} else if (!err && purged_nothing(j)) {
		for (i = 0; i < j->pick.count; i++)
			sstable_mark(j->inputs[i], SSTABLE_NO_GAIN);
		err = -EAGAIN;
	} else if (!err) {
		mutex_lock(&j->lsm->install);
		err = install(j);
		mutex_unlock(&j->lsm->install);
		if (!err && j->options.log_compactions)
			log_compaction(j);
	} else if (err == -EUCLEAN) {
		err = find_damage(j);
	}
	compaction_free(j->compaction);
	mem_free(j->inputs);
	version_put(j->spare);
	return err;
}
