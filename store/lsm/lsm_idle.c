/*
 * A store that nobody writes to. While there are writes the log has segments
 * of 16 MiB, one of them made beforehand, and the reserve is as large as what
 * only the log has. Some seconds after the last write, flush or compaction that
 * room is given back: memtables are flushed, the log becomes one small segment,
 * ready to be written, and the reserve shrinks. The next segments are twice as
 * large each, and made beforehand as ever: so no sync of a busy store changes
 * more than before.
 *
 * A log that is small already is left alone: few rows are not flushed for it.
 * A compaction that was asked for gives back at once what holds nothing, and
 * flushes nothing for it.
 *
 * Order against crashes: that of a flush (lsm_flush.c), then that of a log on a
 * full disk: one edit forgets the segments, which hold nothing that is needed,
 * then their files are removed; a new one is made as any (commitlog.c).
 */
#include "store/lsm/lsm_idle.h"

#include <errno.h>

#include "store/base/clock.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_flush.h"

#define IDLE_NS ((uint64_t)10 * 1000000000)
/* An idle log has no more. */
#define IDLE_LOG_BYTES ((uint64_t)1 << 20)

void lsm_idle_look(struct lsm *lsm)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t done = commitlog_appended(lsm->log) + lsm->counters.flushes +
			lsm->counters.compactions;

	if (!lsm->idle_since_ns || done != lsm->idle_done) {
		lsm->idle_done = done;
		lsm->idle_since_ns = now;
		lsm->idle_seen = false;
	} else if (!lsm->idle_seen && now - lsm->idle_since_ns >= IDLE_NS) {
		lsm->idle_seen = true;
		worker_add(lsm->worker, WORKER_FLUSH, &lsm->idle_work);
	}
}

/* Writers wait meanwhile: there are none as a rule. */
static int shrink_log(struct lsm *lsm)
{
	struct commitlog_stats log;
	int err = 0;

	mutex_lock(&lsm->write);
	commitlog_stats(lsm->log, &log);
	if (!log.held)
		err = commitlog_shrink(lsm->log);
	mutex_unlock(&lsm->write);
	/* Else the next writer makes a segment. */
	if (!err && !log.held)
		(void)commitlog_prepare(lsm->log, 0);
	return err;
}

static int give_back(struct lsm *lsm)
{
	struct commitlog_stats log;
	int err = 0;

	if (lsm_check_writable(lsm) || lsm_is_full(lsm))
		return 0;
	commitlog_stats(lsm->log, &log);
	if (log.bytes > IDLE_LOG_BYTES) {
		err = lsm_flush_all(lsm, false);
		if (!err)
			err = shrink_log(lsm);
	}
	if (!err)
		lsm_reserve_shrink(lsm);
	return err;
}

/* Treat an error as that of a flush in the background. */
static void end(struct lsm *lsm, int err)
{
	if (lsm_is_passing(err) && lsm->worker)	/* it tries again */
		worker_add(lsm->worker, WORKER_FLUSH, &lsm->flush_work);
	else if (err && err != -EROFS && !lsm_is_passing(err))
		lsm_fail(lsm, err);
}

void lsm_idle_shrink(struct lsm *lsm)
{
	struct commitlog_stats log;
	int err = 0;

	if (lsm_check_writable(lsm) || lsm_is_full(lsm))
		return;
	commitlog_stats(lsm->log, &log);
	if (!log.held && log.bytes > IDLE_LOG_BYTES)
		err = shrink_log(lsm);
	if (!err)
		lsm_reserve_shrink(lsm);
	end(lsm, err);
}

void lsm_idle_run(struct work *work)
{
	struct lsm *lsm = (struct lsm *)((char *)work -
					 offsetof(struct lsm, idle_work));

	end(lsm, give_back(lsm));
}
