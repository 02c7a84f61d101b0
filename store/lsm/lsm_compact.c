/*
 * Compaction: merge the files that the strategy picks (compaction_job.h). One at
 * a time; flushes go on beside it.
 *
 * A damaged file is left out from the moment that any reader meets the damage:
 * the others are merged without it. No data of it is dropped, nor any that may
 * shadow some of it, so that it can still be saved.
 */
#include "store/lsm/lsm_compact.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/base/watch.h"
#include "store/lsm/compaction_job.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_flush.h"
#include "store/lsm/lsm_idle.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_pace.h"
#include "store/lsm/lsm_reclaim.h"
#include "store/lsm/lsm_version.h"

#define LONGEST_SLEEP_S 60	/* as the clock may be set meanwhile */
#define RETRY_S 5		/* after an error that may pass */
#define FULL_AGAIN_S 1		/* on a full disk: writers wait when it is none */

/* Print the name of the damaged file, and the offset. */
static void damage_text(char *text, size_t size, const struct sstable *t)
{
	uint64_t offset = 0;
	char name[32];

	sstable_is_damaged(t, &offset);
	sstable_name(name, sstable_info(t)->number);
	snprintf(text, size, "%s is damaged at offset %" PRIu64
		 ": compactions leave it out", name, offset);
}

/* Tell of a damaged file once, when it is first met. */
static void tell_damage(struct lsm *lsm, uint32_t table, struct sstable *t)
{
	char text[120];

	if (!sstable_is_damaged(t, NULL) || !sstable_mark(t, SSTABLE_TOLD))
		return;
	damage_text(text, sizeof(text), t);
	if (lsm->options.damaged)
		lsm->options.damaged(lsm->options.context, table, text);
}

static void tell_damages(const struct compaction_job *j)
{
	size_t i;

	for (i = 0; i < j->from->file_count; i++)
		tell_damage(j->lsm, j->table->number,
			    j->from->files[i].sstable);
}

static int gather_files(struct compaction_job *j)
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
			.left_out = sstable_is_damaged(t, NULL),
			.no_gain = sstable_is_marked(t, SSTABLE_NO_GAIN),
			.droppable = sstable_droppable(
				t, j->now - j->options.gc_grace_s),
		};
	}
	return 0;
}

static void ask(struct compaction_job *j, struct strategy_request *request)
{
	*request = (struct strategy_request){
		.options = &j->options, .files = j->files,
		.count = j->from->file_count, .now = j->now,
		.min_memory_timestamp =
			compaction_job_min_of_memory(j->from, BYTES_EMPTY),
		.urgent = lsm_is_full(j->lsm),
	};
}

/* Limit the size of a file, so that it can be rewritten on a full disk in the
 * room that is held back for it (disk_reserve.c). Only of unified tables whose
 * owner set no size. */
static void take_options(struct compaction_job *j)
{
	mutex_lock(&j->lsm->lock);
	j->options = j->table->options;
	mutex_unlock(&j->lsm->lock);
	if (j->options.strategy == LSM_UNIFIED && !j->options.sstable_size)
		j->options.sstable_size = j->lsm->file_size;
}

/* Writers are slowed down for the debt of the table that has the most. */
static void set_debt(struct lsm *lsm, struct lsm_table *t, uint64_t debt)
{
	uint64_t most = 0;
	size_t i;

	mutex_lock(&lsm->lock);
	t->debt = debt;
	for (i = 0; i < lsm->table_count; i++)
		if (lsm->tables[i]->debt > most)
			most = lsm->tables[i]->debt;
	lsm->debt = most;
	mutex_unlock(&lsm->lock);
}

/* Few files are no debt, whatever a strategy says. Without memory to count them
 * it stays as it was. */
void lsm_count_debt(struct lsm *lsm, struct lsm_table *t)
{
	struct compaction_job j = { .lsm = lsm, .table = t,
				    .now = clock_now_s() };
	struct strategy_request request;

	take_options(&j);
	j.from = lsm_pin(lsm, t->number);
	if (j.from->file_count <= LSM_MOST_WAITING / 2) {
		set_debt(lsm, t, 0);
	} else if (!gather_files(&j)) {
		ask(&j, &request);
		set_debt(lsm, t, strategy_debt(&request));
	}
	mem_free(j.files);
	version_put(j.from);
}

/*
 * Run one step: 1 when something was merged, 0 when there is nothing to do
 * (before *next, which becomes sooner), -EAGAIN when the next step will pick
 * something else. REQUIRES compacting.
 */
static int compact_step(struct lsm *lsm, struct lsm_table *t, bool all,
			int64_t *next)
{
	struct compaction_job j = { .lsm = lsm, .table = t,
				    .now = clock_now_s() };
	struct strategy_request request;
	int got = 0;

	lsm_count_debt(lsm, t);
	take_options(&j);
	if (!all && !j.options.compaction_enabled)
		return 0;
	j.from = lsm_pin(lsm, t->number);
	tell_damages(&j);
	if (j.from->file_count)
		got = gather_files(&j);
	if (!got && j.from->file_count) {
		ask(&j, &request);
		got = all ? strategy_pick_all(&j.pick, &request) :
			    strategy_pick(&j.pick, &request);
		if (!got && strategy_next(&request) < *next)
			*next = strategy_next(&request);
	}
	/* On a full disk lsm_reclaim.c chooses the files to write. Look again
	 * whether it is full: it may end without a flush, which would call
	 * compaction. */
	if (got > 0 && !all && lsm_is_full(lsm) && !j.pick.drop_only &&
	    !j.pick.move_only) {
		strategy_release(&j.pick);
		if (j.now + FULL_AGAIN_S < *next)
			*next = j.now + FULL_AGAIN_S;
		got = 0;
	}
	if (got > 0) {
		got = compaction_job_run(&j);
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

/* Pick the file of that number alone. -ESTALE: it is gone; -EUCLEAN: it is
 * damaged. */
static int pick_one(struct compaction_job *j, uint64_t number)
{
	size_t i;

	for (i = 0; i < j->from->file_count; i++)
		if (sstable_info(j->from->files[i].sstable)->number == number)
			break;
	if (i == j->from->file_count)
		return -ESTALE;
	if (sstable_is_damaged(j->from->files[i].sstable, NULL))
		return -EUCLEAN;
	j->pick.files = mem_zalloc(1, sizeof(*j->pick.files));
	if (!j->pick.files)
		return -ENOMEM;
	j->pick.files[j->pick.count++] = i;
	j->pick.level = j->from->files[i].level;
	return 0;
}

int lsm_rewrite(struct lsm *lsm, struct lsm_table *t, uint64_t number,
		bool measure_only, uint64_t *size)
{
	struct compaction_job j = {
		.lsm = lsm, .table = t, .now = clock_now_s(),
		.most_bytes = *size, .alone = true,
		.measure_only = measure_only,
	};
	int err;

	take_options(&j);
	j.from = lsm_pin(lsm, t->number);
	if (j.options.strategy == LSM_UNIFIED)
		j.pick.output_size = j.options.sstable_size;
	err = pick_one(&j, number);
	if (!err)
		err = compaction_job_run(&j);
	*size = j.written;
	strategy_release(&j.pick);
	version_put(j.from);
	return err;
}

/* Do all that is to be done for a table. Others may come between two steps. */
static int compact_table(struct lsm *lsm, struct lsm_table *t, int64_t *next)
{
	int got;

	do {
		mutex_lock(&lsm->compacting);
		got = lsm_check_writable(lsm);
		if (!got)
			got = compact_step(lsm, t, false, next);
		mutex_unlock(&lsm->compacting);
	} while ((got > 0 || got == -EAGAIN) && !worker_ending(lsm->worker));
	return got;
}

/* Tell of an error if it differs from the last one. */
static void tell_error(struct lsm *lsm, int err)
{
	if (err && err != lsm->compaction_error)
		log_message(LOG_WARNING_LEVEL, "compaction: %s; will be tried "
			    "again",
			    file_is_full(err) ? FILE_FULL : strerror(-err));
	lsm->compaction_error = err;
}

/* Sleep until some data end by time alone. */
static void sleep_until(struct lsm *lsm, int64_t next)
{
	int64_t now = clock_now_s();
	int64_t left = next > now ? next - now : 1;

	if (next != INT64_MAX)
		worker_add_after(lsm->worker, WORKER_COMPACTION,
				 &lsm->compaction_work,
				 1000 * (uint64_t)(left < LONGEST_SLEEP_S ?
						   left : LONGEST_SLEEP_S));
}

/* An error of one table does not keep the others from being compacted. */
void lsm_compaction_run(struct work *work)
{
	struct lsm *lsm = (struct lsm *)((char *)work -
					 offsetof(struct lsm, compaction_work));
	int64_t next = INT64_MAX;
	struct lsm_table *t;
	size_t i;
	int got = 0, err = 0;

	mutex_lock(&lsm->compacting);
	lsm->file_size = lsm_file_size(lsm);
	mutex_unlock(&lsm->compacting);
	for (i = 0; (t = lsm_table_at(lsm, i)); i++) {
		got = compact_table(lsm, t, &next);
		if (got == -EIO || got == -EROFS || got == -ECANCELED)
			break;
		if (got < 0)
			err = got;
	}
	if (file_is_full(err))
		lsm->room_wanted = true;
	if (got != -EIO && got != -EROFS && got != -ECANCELED) {
		mutex_lock(&lsm->compacting);
		got = lsm_reclaim(lsm);
		mutex_unlock(&lsm->compacting);
	}
	if (got == -EIO)
		lsm_fail(lsm, got);
	tell_error(lsm, err);
	if (file_is_full(err))	/* its room is free again */
		lsm_flush_again(lsm);
	if (err)
		next = clock_now_s() + RETRY_S;
	if (!lsm_check_writable(lsm))
		sleep_until(lsm, next);
}

void lsm_each_damaged(struct lsm *lsm,
		      void (*each)(void *context, uint32_t table,
				   const char *text),
		      void *context)
{
	struct lsm_table *t;
	char text[120];
	size_t i, j;

	for (i = 0; (t = lsm_table_at(lsm, i)); i++) {
		struct version *v = lsm_pin(lsm, t->number);

		for (j = 0; j < v->file_count; j++) {
			if (!sstable_is_damaged(v->files[j].sstable, NULL))
				continue;
			damage_text(text, sizeof(text),
				    v->files[j].sstable);
			each(context, t->number, text);
		}
		version_put(v);
	}
}

/* -EUCLEAN (reported) when something of the table was left out. */
static int check_damage(struct lsm *lsm, struct lsm_table *t)
{
	struct version *v = lsm_pin(lsm, t->number);
	uint64_t offset;
	char name[32];
	size_t i;
	int err = 0;

	for (i = 0; i < v->file_count && !err; i++) {
		const struct sstable *file = v->files[i].sstable;

		if (!sstable_is_damaged(file, &offset))
			continue;
		sstable_name(name, sstable_info(file)->number);
		err = log_corrupt(name, offset, "it was left out");
	}
	version_put(v);
	return err;
}

int lsm_compact(struct lsm *lsm, uint32_t table)
{
	int64_t next = INT64_MAX;
	struct lsm_table *t;
	int got = lsm_check_writable(lsm);

	if (got)
		return got;
	mutex_lock(&lsm->lock);
	t = lsm_find_table(lsm, table);
	mutex_unlock(&lsm->lock);
	if (!t)
		return 0;
	got = watch_lock(&lsm->compacting);
	if (got)
		return got;
	lsm->file_size = lsm_file_size(lsm);
	do {
		got = compact_step(lsm, t, true, &next);
	} while (got == -EAGAIN);
	lsm_count_debt(lsm, t);
	mutex_unlock(&lsm->compacting);
	if (got == -EIO)
		lsm_fail(lsm, got);
	if (got == -ECANCELED && watch_ask())
		got = -EINTR;
	if (got < 0)
		return got;
	lsm_idle_shrink(lsm);
	return check_damage(lsm, t);
}
