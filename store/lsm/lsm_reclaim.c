/*
 * Gain room from deleted or overwritten data on a full disk. The strategies
 * merge files that are alike, for which there may be no room; here each file is
 * rewritten alone, without the data that others delete or overwrite
 * (compaction.h), the oldest first. So no more room is needed than for what is
 * left of one file, which the reserve lends (disk_reserve.c), and none for a
 * file of which all is deleted; the room that one step gains is there for the
 * next. When all older files have been looked at, the deletions themselves may
 * be dropped.
 *
 * The size of a file is found out before it is written: a file that would
 * shrink too little is not written, and none is begun that does not fit.
 *
 * A pass looks at each file, and at all again while much was gained, so it
 * ends. The next pass begins when something was flushed since; else a minute
 * later, for data that expired meanwhile; after a pass that gained nothing the
 * delay is doubled. And none begins before twice the time that the last one
 * took: deletions one by one do not make the disk busy.
 *
 * Order against crashes: that of every compaction (compaction.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/array.h"
#include "store/base/clock.h"
#include "store/lsm/disk_reserve.h"
#include "store/lsm/lsm_compact.h"
#include "store/lsm/lsm_flush.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/lsm_reclaim.h"
#include "store/lsm/lsm_version.h"

/* A file that may shrink. */
struct dirty {
	struct lsm_table *table;
	uint64_t number, size;
	int64_t newest;		/* its largest timestamp */
};

struct pass {
	struct lsm *lsm;
	struct dirty *files;
	size_t count, room;
	uint64_t size;		/* of all these */
	uint64_t gained;
	bool was_short;		/* there was no room for one */
};

bool lsm_may_shadow(const struct sstable *t, const struct sstable *f)
{
	const struct sstable_info *a = sstable_info(t), *b = sstable_info(f);

	return a->max_timestamp >= b->min_timestamp &&
	       a->first_token <= b->last_token &&
	       b->first_token <= a->last_token &&
	       !sstable_is_damaged(t, NULL);
}

static bool is_dirty(const struct version *v, size_t i)
{
	const struct sstable *f = v->files[i].sstable;
	size_t j;

	if (sstable_is_damaged(f, NULL))
		return false;
	if (sstable_info(f)->max_local_time != INT64_MIN)
		return true;	/* deletions, or what expires */
	for (j = 0; j < v->file_count; j++)
		if (j != i && lsm_may_shadow(v->files[j].sstable, f))
			return true;
	return false;
}

static int add_dirty(struct pass *p, struct lsm_table *t,
		     const struct sstable_info *info)
{
	struct dirty *grown = array_grow(p->files, p->count, sizeof(*grown),
					 &p->room);

	if (!grown)
		return -ENOMEM;
	p->files = grown;
	p->files[p->count++] = (struct dirty){ t, info->number, info->size,
					       info->max_timestamp };
	p->size += info->size;
	return 0;
}

static int by_age(const void *a, const void *b)
{
	const struct dirty *x = a, *y = b;

	if (x->newest != y->newest)
		return x->newest < y->newest ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int find_dirty(struct pass *p)
{
	struct lsm_table *t;
	size_t i, j;
	int err = 0;

	p->count = 0;
	p->size = 0;
	for (i = 0; !err && (t = lsm_table_at(p->lsm, i)); i++) {
		struct version *v = lsm_pin(p->lsm, t->number);

		for (j = 0; j < v->file_count && !err; j++)
			if (is_dirty(v, j))
				err = add_dirty(p, t, sstable_info(
						v->files[j].sstable));
		version_put(v);
	}
	if (p->count)
		qsort(p->files, p->count, sizeof(*p->files), by_age);
	return err;
}

/* Room beside the file: for the manifest's edit and for rounding. */
#define SLACK ((uint64_t)64 << 10)

/* 0 when it was rewritten, -ENOSPC, -ERANGE when it would shrink too little,
 * -ESTALE when the file is gone already, -errno. */
static int rewrite(struct pass *p, const struct dirty *d)
{
	struct lsm *lsm = p->lsm;
	uint64_t most = d->size - d->size / 16, size = most;
	int err = lsm_rewrite(lsm, d->table, d->number, true, &size);

	if (!err && size)
		err = lsm_reserve_lend(lsm, size + SLACK);
	if (file_is_full(err))
		p->was_short = true;
	if (!err) {
		size = most;
		err = lsm_rewrite(lsm, d->table, d->number, false, &size);
		lsm_reserve_take_back(lsm);
	}
	if (!err)
		p->gained += d->size - size;
	if (lsm->reserve_spent)
		(void)lsm_reserve_keep(lsm, 0);
	if (!err)
		lsm_flush_again(lsm);
	return err;
}

/* True for errors that concern only this file, or this moment. */
static bool is_of_one_file(int err)
{
	return !err || err == -ERANGE || err == -ESTALE || err == -EUCLEAN ||
	       err == -EAGAIN ||
	       lsm_is_passing(err);
}

static int look_at_all(struct pass *p)
{
	int err = find_dirty(p);
	size_t i;

	p->gained = 0;
	p->was_short = false;
	for (i = 0; i < p->count && is_of_one_file(err); i++)
		err = rewrite(p, &p->files[i]);
	return is_of_one_file(err) ? 0 : err;
}

/* The room gained is for files that did not fit before; and where much was
 * dropped, deletions may be dropped that were needed. */
static int run_pass(struct pass *p, bool *any)
{
	int err;

	do {
		err = look_at_all(p);
		*any |= p->gained;
	} while (!err && p->gained &&
		 (p->was_short || p->gained > p->size / 16));
	mem_free(p->files);
	return err;
}

void lsm_want_room(struct lsm *lsm)
{
	atomic_store(&lsm->room_wanted, true);
	if (lsm->worker)
		worker_add(lsm->worker, WORKER_COMPACTION,
			   &lsm->compaction_work);
}

#define LEAST_AGAIN_NS ((uint64_t)60 * 1000000000)
#define MOST_AGAIN_NS (60 * LEAST_AGAIN_NS)

/* True if there may be something that the last pass has not seen. */
static bool is_worth_it(const struct lsm *lsm, uint64_t now)
{
	return !lsm->reclaim_after_ns ||
	       lsm->counters.flushes != lsm->reclaimed_flushes ||
	       now > lsm->reclaim_after_ns + lsm->reclaim_again_ns;
}

static void note_pass(struct lsm *lsm, uint64_t begin, bool gained)
{
	uint64_t now = clock_monotonic_ns(), again = 2 * lsm->reclaim_again_ns;

	if (gained || again < LEAST_AGAIN_NS)
		again = LEAST_AGAIN_NS;
	lsm->reclaim_again_ns = again < MOST_AGAIN_NS ? again : MOST_AGAIN_NS;
	lsm->reclaim_after_ns = now + 2 * (now - begin);
}

int lsm_reclaim(struct lsm *lsm)
{
	struct pass p = { .lsm = lsm };
	uint64_t begin = clock_monotonic_ns();
	bool gained = false;
	int err;

	if (!atomic_load(&lsm->room_wanted) || !is_worth_it(lsm, begin))
		return 0;
	if (begin < lsm->reclaim_after_ns) {
		worker_add_after(lsm->worker, WORKER_COMPACTION,
				 &lsm->compaction_work,
				 (lsm->reclaim_after_ns - begin) / 1000000 + 1);
		return 0;
	}
	atomic_store(&lsm->room_wanted, false);
	lsm->reclaimed_flushes = lsm->counters.flushes;
	err = run_pass(&p, &gained);
	note_pass(lsm, begin, gained);
	return err;
}
