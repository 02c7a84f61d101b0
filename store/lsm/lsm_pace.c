/*
 * Writers that outrun the disk. Two things pile up then, and each has a bound
 * at which a writer that would add more waits:
 *
 * - in memory, the data that no sstable has yet: five quarters of the budget of
 *   memtables, one batch and what a memtable grows by at a time (2 MiB);
 * - on the disk, the sstables of one table that its strategy would merge and
 *   compaction has not reached: LSM_MOST_WAITING. A reader looks at each one.
 *
 * From a part of each bound on, every batch is slowed down by its size, the
 * more the less is left, so that waiting is rare and no writer is stopped for
 * long.
 *
 * The wait always ends, since flushes and compactions wait for no writer. Files
 * that no compaction would take do not count: those of a table without
 * automatic compaction, damaged ones, those that a strategy leaves alone. Where
 * a compaction fails, above all on a full disk, nobody waits for it: it is
 * tried again, and writers meet the full disk themselves.
 */
#include <errno.h>
#include <time.h>

#include "store/base/watch.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_pace.h"
#include "store/lsm/lsm_write.h"

#define SLOWED_NS_PER_BYTE 20	/* half way, 50 MB/s */
#define LONGEST_PAUSE_NS 100000000

static uint64_t unflushed(const struct lsm *lsm)
{
	return lsm->memtable_bytes + lsm->frozen_bytes;
}

static uint64_t most_unflushed(const struct lsm *lsm)
{
	return lsm->options.memtable_bytes / 4 * 5;
}

/* True if compaction gets to the files that wait for it. */
static bool is_compacting(const struct lsm *lsm)
{
	return !lsm->compaction_error && !lsm_is_full(lsm);
}

static bool has_debt(const struct lsm *lsm)
{
	return lsm->debt >= LSM_MOST_WAITING && is_compacting(lsm);
}

/* Changes of the schema never wait for compactions: they may end them. */
bool lsm_pace_stops(const struct lsm *lsm, const struct batch *batch)
{
	return (unflushed(lsm) > most_unflushed(lsm) ||
		(has_debt(lsm) && !batch->schema)) && lsm_has_threads(lsm);
}

/* Return the ratio of what was used since begin to what is left up to most. */
static double pressure(uint64_t now, uint64_t begin, uint64_t most)
{
	return now <= begin || now >= most ? 0 :
	       (double)(now - begin) / (double)(most - now);
}

void lsm_pace_slow(struct lsm *lsm, uint64_t len)
{
	uint64_t memory_begin = lsm->options.memtable_bytes / 4 * 3;
	uint64_t debt_begin = LSM_MOST_WAITING / 2;
	double memory, debt, most, ns;
	struct timespec pause = { 0, 0 };

	if (unflushed(lsm) <= memory_begin && lsm->debt <= debt_begin)
		return;
	memory = pressure(unflushed(lsm), memory_begin, most_unflushed(lsm));
	debt = pressure(lsm->debt, debt_begin, LSM_MOST_WAITING);
	most = debt > memory && is_compacting(lsm) ? debt : memory;
	ns = (double)len * SLOWED_NS_PER_BYTE * most;
	if (ns < 1 || !lsm_has_threads(lsm))
		return;
	pause.tv_nsec = ns < LONGEST_PAUSE_NS ? (long)ns : LONGEST_PAUSE_NS;
	lsm->counters.paused_ns += (uint64_t)pause.tv_nsec;
	nanosleep(&pause, NULL);
}

int lsm_pace_wait(struct lsm *lsm, const struct batch *batch)
{
	static const struct timespec step = { 0, 2000000 };
	int err = 0;

	while (!err && lsm_pace_stops(lsm, batch)) {
		bool memory = unflushed(lsm) > most_unflushed(lsm);

		if (memory && !lsm->frozen_bytes) {
			err = lsm_freeze_all(lsm);
			worker_add(lsm->worker, WORKER_FLUSH,
				   &lsm->flush_work);
		}
		lsm->counters.paused_ns += (uint64_t)step.tv_nsec;
		nanosleep(&step, NULL);
		if (!err)
			err = lsm_check_writable(lsm);
		if (!err && memory)
			err = lsm->flush_error;
		if (!err)
			err = watch_ask();
	}
	return err;
}

/* The next write meets the error again. */
void lsm_pace(struct lsm *lsm)
{
	struct batch any = BATCH_INIT;

	lsm_pace_wait(lsm, &any);
}
