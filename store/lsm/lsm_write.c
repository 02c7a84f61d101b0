/*
 * Write a batch: the log gets room for it, the batch goes into the memtables,
 * unseen, then into the log, and is then committed in the memtables. An error
 * on the way takes it back; once the log has it nothing can fail. All under the
 * one write lock, so that the log's order is the order in which readers see
 * batches.
 *
 * Changes that are taken back stay in the memtables' memory: so a full disk is
 * detected before.
 */
#include <errno.h>

#include "store/base/clock.h"
#include "store/base/log.h"
#include "store/lsm/dead_rows.h"
#include "store/lsm/dead_sweep.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_flush.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_pace.h"
#include "store/lsm/lsm_reclaim.h"
#include "store/lsm/lsm_version.h"
#include "store/lsm/lsm_write.h"
#include "store/row/key.h"

_Static_assert(LSM_LARGEST_BATCH == LOG_LARGEST_BATCH, "one limit");

/* A log of this size or less is as small as it gets on a full disk. */
#define SMALL_LOG ((uint64_t)128 << 10)

/* With the write lock the active memtable cannot change. */
static struct memtable *active_of(const struct lsm_table *t)
{
	return t->version->active;
}

int lsm_freeze(struct lsm *lsm, struct lsm_table *t)
{
	struct version *v, *old;
	struct memtable *fresh;

	if (memtable_is_empty(active_of(t)))
		return 0;
	if (memtable_new(&fresh))
		return -ENOMEM;
	mutex_lock(&lsm->lock);
	v = version_copy(t->version, 0);
	mutex_unlock(&lsm->lock);
	if (!v) {
		memtable_put(fresh);
		return -ENOMEM;
	}
	v->frozen[v->frozen_count++] = (struct frozen){
		v->active, t->active_begin, commitlog_end(lsm->log),
	};
	lsm->frozen_bytes += memtable_memory(v->active);
	lsm->memtable_bytes -= memtable_memory(v->active);
	v->active = fresh;
	old = lsm_swap(lsm, t, v);
	/* Stored after the version, so that a search for the log's beginning
	 * sees one of them. */
	atomic_store(&t->active_begin, NOT_IN_LOG);
	version_put(old);
	return 0;
}

int lsm_freeze_all(struct lsm *lsm)
{
	size_t i;
	int err = 0;

	mutex_lock(&lsm->write);
	for (i = 0; i < lsm->table_count && !err; i++)
		err = lsm_freeze(lsm, lsm->tables[i]);
	mutex_unlock(&lsm->write);
	return err;
}

uint64_t lsm_log_begin(struct lsm *lsm, const struct lsm_table *flushed,
		       uint64_t flushed_mark)
{
	/* Read it first: later appends lie after it. */
	uint64_t begin = commitlog_end(lsm->log);
	size_t i, j;

	mutex_lock(&lsm->lock);
	for (i = 0; i < lsm->table_count; i++) {
		struct lsm_table *t = lsm->tables[i];
		uint64_t active = atomic_load(&t->active_begin);
		const struct version *v = t->version;

		/* An empty memtable gets its batch before the log does. */
		if (active < begin && !memtable_is_empty(v->active))
			begin = active;
		for (j = 0; j < v->frozen_count; j++)
			if ((t != flushed || v->frozen[j].mark > flushed_mark) &&
			    v->frozen[j].begin < begin)
				begin = v->frozen[j].begin;
	}
	mutex_unlock(&lsm->lock);
	return begin;
}

/* Choose the table with the largest active memtable, or with the oldest log. */
static struct lsm_table *pick_victim(struct lsm *lsm, bool by_log)
{
	struct lsm_table *best = NULL;
	size_t i;

	for (i = 0; i < lsm->table_count; i++) {
		struct lsm_table *t = lsm->tables[i];

		if (memtable_is_empty(active_of(t)))
			continue;
		if (!best || (by_log ? t->active_begin < best->active_begin :
			      memtable_memory(active_of(t)) >
			      memtable_memory(active_of(best))))
			best = t;
	}
	return best;
}

/* True if the log is much longer than the data in memory, which lengthens
 * recovery. */
static bool log_is_long(struct lsm *lsm)
{
	uint64_t begin = NOT_IN_LOG, end = commitlog_end(lsm->log);
	size_t i;

	if (!lsm->table_count)
		return false;
	for (i = 0; i < lsm->table_count; i++)
		if (lsm->tables[i]->active_begin < begin &&
		    !memtable_is_empty(active_of(lsm->tables[i])))
			begin = lsm->tables[i]->active_begin;
	/* In segments, which have 16 MiB when it matters. */
	return begin < end && (end >> 32) - (begin >> 32) > 32;
}

bool lsm_has_threads(const struct lsm *lsm)
{
	return lsm->worker && !lsm->options.no_threads;
}

static void keep_budget(struct lsm *lsm)
{
	bool full = lsm->memtable_bytes > lsm->options.memtable_bytes / 2;
	struct lsm_table *t;

	if (!lsm_has_threads(lsm))
		return;
	if (!full && !(lsm->counters.applied % 1024 == 0 && log_is_long(lsm)))
		return;
	t = pick_victim(lsm, !full);
	if (t && !lsm_freeze(lsm, t))
		worker_add(lsm->worker, WORKER_FLUSH, &lsm->flush_work);
}

/* Add to a counter that has one writer: cheaper than an atomic addition. */
static void add_to(_Atomic uint64_t *counter, uint64_t more)
{
	uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, now + more, memory_order_release);
}

static void take_back(struct lsm_table *touched)
{
	for (; touched; touched = touched->next_touched) {
		struct memtable *m = active_of(touched);

		memtable_rollback(m);
		touched->touched = touched->bears = false;
	}
}

static void commit_all(struct lsm_table *touched)
{
	for (; touched; touched = touched->next_touched) {
		memtable_commit(active_of(touched));
		add_to(&touched->writes, 1);
		if (touched->bears)
			add_to(&touched->births, 1);
		touched->touched = touched->bears = false;
	}
}

static struct lsm_table *table_of(struct lsm *lsm, uint32_t number,
			      struct lsm_table *last)
{
	return last && last->number == number ? last :
	       lsm_make_table(lsm, number);
}

/* Check the keys: a row at an invalid key could never be flushed. */
static bool has_keys(const struct batch_op *op)
{
	return key_partition_len(op->key) &&
	       (!bytes_is_null(op->row) || key_partition_len(op->to));
}

/* Tell what knows of dead rows, before the operation is committed. */
static void note_life(struct lsm *lsm, struct lsm_table *t,
		      const struct batch_op *op)
{
	dead_hints_add(lsm, t, op);
	if (bytes_is_null(op->row) || !row_may_live(op->row))
		return;
	t->bears = true;
	if (atomic_load_explicit(&t->dead, memory_order_relaxed))
		dead_spans_write(t->dead, op->key);
}

/* Add the batch to the memtables; *touched lists those to commit. */
static int add_all(struct lsm *lsm, const struct batch *batch,
		   struct lsm_table **touched)
{
	struct reader r = reader_of(buf_bytes(&batch->bytes));
	struct lsm_table *t = NULL;
	struct batch_op op;
	int got;

	while ((got = batch_next(&r, &op)) > 0) {
		size_t before;
		int err;

		if (!has_keys(&op))
			return -EINVAL;
		t = table_of(lsm, op.table, t);
		if (!t || t->dropped)
			return t ? -ESTALE : -ENOMEM;
		if (!t->touched) {
			t->touched = true;
			t->next_touched = *touched;
			*touched = t;
			if (t->active_begin == NOT_IN_LOG)
				atomic_store(&t->active_begin,
					     commitlog_end(lsm->log));
		}
		note_life(lsm, t, &op);
		turns_begin(&lsm->turns, op.table, get_be64(op.key.ptr));
		before = memtable_memory(active_of(t));
		err = memtable_add(active_of(t), &op);
		if (memtable_memory(active_of(t)) != before)
			lsm->memtable_bytes +=
				memtable_memory(active_of(t)) - before;
		if (err)
			return err;
	}
	return got;
}

/* -EAGAIN: it has to wait (lsm_pace.c), or needs a segment of the log. */
static int try_to_add(struct lsm *lsm, const struct batch *batch,
		      enum log_room room, uint64_t *end)
{
	struct lsm_table *touched = NULL;
	int err;

	mutex_lock(&lsm->write);
	err = lsm_pace_stops(lsm, batch) ?
		      -EAGAIN :
		      commitlog_room(lsm->log, batch->bytes.len, room);
	if (!err)
		err = add_all(lsm, batch, &touched);
	if (!err)
		err = commitlog_append(lsm->log, buf_bytes(&batch->bytes), end);
	if (err) {
		take_back(touched);
	} else {
		commit_all(touched);
		add_to(&lsm->counters.applied, 1);
		add_to(&lsm->counters.bytes_written, batch->bytes.len);
		keep_budget(lsm);
	}
	turns_end(&lsm->turns);
	mutex_unlock(&lsm->write);
	return err;
}

static int add(struct lsm *lsm, const struct batch *batch, enum log_room room,
	       uint64_t *end)
{
	int err;

	do {
		err = try_to_add(lsm, batch, room, end);
		if (err != -EAGAIN)
			return err;
		err = lsm_pace_wait(lsm, batch);
		if (!err && room == LOG_GROWING)
			err = commitlog_prepare(lsm->log, batch->bytes.len);
	} while (!err);
	return err;
}

/* Make a segment of the log's reserve: nobody makes it again meanwhile, or
 * takes it for whole. */
static int add_from_reserve(struct lsm *lsm, const struct batch *batch,
			    uint64_t *end)
{
	int err;

	mutex_lock(&lsm->room);
	lsm->reserve_spent = true;
	err = try_to_add(lsm, batch, LOG_RESERVE, end);
	mutex_unlock(&lsm->room);
	if (err == -EAGAIN)	/* a flush needs the lock */
		err = -ENOSPC;
	return err;
}

/* Continue where there is no room for the log's next segment
 * (disk_reserve.c). */
static int add_when_full(struct lsm *lsm, const struct batch *batch,
			 uint64_t *end)
{
	bool frees = lsm_frees_room(batch);
	int err = lsm_make_room(lsm);

	if (err && !(frees && file_is_full(err)))
		return err;
	err = add(lsm, batch, err ? LOG_LEAST : LOG_FITTING, end);
	return frees && file_is_full(err) ? add_from_reserve(lsm, batch, end) :
					    err;
}

/* True if the log has segments that a flush would free. */
static bool log_is_large(struct lsm *lsm)
{
	struct commitlog_stats log;

	commitlog_stats(lsm->log, &log);
	return log.bytes > SMALL_LOG;
}

/* Until the reserves are whole again only batches that free room are
 * written. */
static int refill_reserve(struct lsm *lsm, uint64_t more)
{
	int err = lsm_reserve_keep(lsm, more);

	if (!file_is_full(err) || !log_is_large(lsm))
		return err;
	err = lsm_make_room(lsm);
	return err ? err : lsm_reserve_keep(lsm, more);
}

static int insert(struct lsm *lsm, const struct batch *batch, uint64_t *position)
{
	bool reserve_is_short, frees;
	int err = lsm_check_writable(lsm);

	if (err)
		return err;
	if (batch->bytes.failed)
		return -ENOMEM;
	if (batch->bytes.len > LSM_LARGEST_BATCH)
		return -EFBIG;
	if (!batch->bytes.len) {
		*position = lsm_position(lsm);
		return 0;
	}
	reserve_is_short = lsm_reserve_is_short(lsm, batch->bytes.len);
	frees = (reserve_is_short || lsm_is_full(lsm)) &&
		lsm_frees_room(batch);
	if (reserve_is_short && !frees)
		err = refill_reserve(lsm, batch->bytes.len);
	if (!err) {
		err = add(lsm, batch, LOG_GROWING, position);
		if (file_is_full(err))
			err = add_when_full(lsm, batch, position);
	}
	if (err == -EROFS || err == -EIO)
		lsm_fail(lsm, -EIO);
	if (file_is_full(err) && !atomic_exchange(&lsm->refused, true))
		lsm_want_room(lsm);
	if (err)
		return err;
	/* The deletion is to give room. */
	if (frees && lsm_is_full(lsm))
		lsm_flush_later(lsm);
	if (!frees && lsm->refused)
		lsm->refused = false;
	if (commitlog_needs_spare(lsm->log) && lsm->worker &&
	    !atomic_exchange(&lsm->spare_asked, true))
		worker_add(lsm->worker, WORKER_LOG, &lsm->spare_work);
	return 0;
}

/* The first writer that is refused gets the disk's error, wherever it was met:
 * in a flush in the background, say. */
int lsm_insert(struct lsm *lsm, const struct batch *batch, uint64_t *position)
{
	bool sampled = !(lsm->counters.applied % LSM_SAMPLE);
	uint64_t begun = sampled ? clock_monotonic_ns() : 0;
	int err = insert(lsm, batch, position);

	if (sampled)
		latency_add(&lsm->counters.apply_time,
			    clock_monotonic_ns() - begun);

	if (!lsm->failed || (err != -EROFS && err != -EIO))
		return err;
	return atomic_exchange(&lsm->told, true) ? err : -EIO;
}

int lsm_acknowledge(struct lsm *lsm, const struct batch *batch,
		    uint64_t position)
{
	lsm_pace_slow(lsm, batch->bytes.len);
	return lsm->options.commit_s == 0 ? lsm_sync(lsm, position) : 0;
}

int lsm_apply(struct lsm *lsm, const struct batch *batch, uint64_t *position)
{
	uint64_t end;
	int err;

	if (!position)
		position = &end;
	err = lsm_insert(lsm, batch, position);
	return err || !batch->bytes.len ?
		       err : lsm_acknowledge(lsm, batch, *position);
}

int lsm_sync(struct lsm *lsm, uint64_t position)
{
	int err;

	if (lsm->options.read_only)
		return 0;
	/* The log may be good where a flush failed: sync it all the same, but
	 * acknowledge nothing any more. */
	err = commitlog_sync(lsm->log, position);
	if (err)
		lsm_fail(lsm, err);
	if (!err && lsm->failed)
		err = -EIO;
	if (err)
		lsm->told = true;
	return err;
}

uint64_t lsm_position(struct lsm *lsm)
{
	return commitlog_end(lsm->log);
}
