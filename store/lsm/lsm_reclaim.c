/*
 * Room from what was deleted, on a full disk. The strategies merge files that
 * are alike, for which there may be no room; here each file is rewritten with
 * those whose deletions may concern it, the smallest first, and only the result
 * that is smaller than its inputs is kept. For it the reserve is lent
 * (disk_reserve.c), and what one step gains is there for the next.
 *
 * A pass looks once at each file that there was at its begin, so it ends. The
 * next begins when something was flushed since, or a minute later, for what has
 * expired meanwhile; and not before twice the time that the last one took:
 * deletions one by one do not make the disk busy.
 *
 * Order against crashes: that of every compaction (compaction.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/lsm/lsm_internal.h"

/* A file that may hold what is deleted. */
struct dirty {
	struct table *table;
	uint64_t number;
	uint64_t size;		/* of all that would be merged */
};

struct pass {
	struct lsm *lsm;
	struct dirty *files;
	size_t count, room;
};

static bool has_deletions(const struct sstable_info *info)
{
	return info->tombstone_count || info->has_bounds;
}

/* Might g's deletions concern something of f? */
static bool may_delete(const struct sstable *g, const struct sstable *f)
{
	const struct sstable_info *a = sstable_info(g), *b = sstable_info(f);

	return has_deletions(a) && a->max_timestamp >= b->min_timestamp &&
	       bytes_compare(sstable_first_key(g), sstable_last_key(f)) <= 0 &&
	       bytes_compare(sstable_first_key(f), sstable_last_key(g)) <= 0;
}

/* The numbers of f, which is the i-th, and those that may delete in it. */
static size_t gather(const struct version *v, size_t i, uint64_t *numbers,
		     uint64_t *size)
{
	const struct sstable *f = v->files[i].sstable;
	size_t count = 0, j;

	*size = 0;
	for (j = 0; j < v->file_count; j++) {
		const struct sstable *g = v->files[j].sstable;

		if (j != i && !may_delete(g, f))
			continue;
		if (numbers)
			numbers[count] = sstable_info(g)->number;
		count++;
		*size += sstable_info(g)->size;
	}
	return count;
}

static int add_dirty(struct pass *p, struct table *t, uint64_t number,
		     uint64_t size)
{
	if (p->count == p->room) {
		size_t room = p->room ? 2 * p->room : 64;
		struct dirty *grown = mem_resize(p->files, room,
						 sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		p->files = grown;
		p->room = room;
	}
	p->files[p->count++] = (struct dirty){ t, number, size };
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const struct dirty *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

static int find_dirty(struct pass *p)
{
	struct table *t;
	size_t i, j;
	int err = 0;

	for (i = 0; !err && (t = lsm_table_at(p->lsm, i)); i++) {
		struct version *v = lsm_pin(p->lsm, t->number);

		for (j = 0; j < v->file_count && !err; j++) {
			const struct sstable_info *info =
				sstable_info(v->files[j].sstable);
			uint64_t size;
			size_t others = gather(v, j, NULL, &size) - 1;

			/* Has it anything that may go? */
			if (others || info->max_local_time != INT64_MIN)
				err = add_dirty(p, t, info->number, size);
		}
		version_put(v);
	}
	if (p->count)
		qsort(p->files, p->count, sizeof(*p->files), by_size);
	return err;
}

/* 0 when it was rewritten, -ENOSPC, -ERANGE when nothing would be gained,
 * -ESTALE when it is gone already, -errno. */
static int rewrite(struct pass *p, const struct dirty *d)
{
	struct version *v = lsm_pin(p->lsm, d->table->number);
	uint64_t *numbers = mem_zalloc(v->file_count + 1, sizeof(*numbers));
	struct lsm_rewrite what = { .numbers = numbers };
	uint64_t size;
	size_t i;
	int err = numbers ? -ESTALE : -ENOMEM;

	for (i = 0; numbers && i < v->file_count; i++) {
		if (sstable_info(v->files[i].sstable)->number != d->number)
			continue;
		what.count = gather(v, i, numbers, &size);
		what.most_bytes = size - size / 16;
		what.level = what.count == 1 ? v->files[i].level : 0;
		err = 0;
		break;
	}
	version_put(v);
	if (!err)
		err = lsm_compact_files(p->lsm, d->table, &what);
	mem_free(numbers);
	return err;
}

/* Errors that concern this file, or this moment, alone. */
static bool goes_on_after(int err)
{
	return !err || err == -ERANGE || err == -ESTALE || err == -EUCLEAN ||
	       err == -EAGAIN ||
	       lsm_is_passing(err);
}

static int run_pass(struct pass *p)
{
	struct lsm *lsm = p->lsm;
	int err = find_dirty(p);
	size_t i;

	for (i = 0; i < p->count && goes_on_after(err); i++) {
		err = lsm->reserve_spent ? -ENOSPC : rewrite(p, &p->files[i]);
		if (file_is_full(err)) {
			lsm_reserve_lend(lsm);
			err = rewrite(p, &p->files[i]);
		}
		lsm_reserve_take_back(lsm);
		if (lsm->reserve_spent)
			(void)lsm_reserve_keep(lsm, 0);
	}
	mem_free(p->files);
	return goes_on_after(err) ? 0 : err;
}

void lsm_want_room(struct lsm *lsm)
{
	atomic_store(&lsm->room_wanted, true);
	if (lsm->worker)
		worker_add(lsm->worker, WORKER_COMPACTION,
			   &lsm->compaction_work);
}

#define AGAIN_AFTER_NS ((uint64_t)60 * 1000000000)

/* Could there be something that the last pass has not seen? */
static bool is_worth_it(const struct lsm *lsm, uint64_t now)
{
	return !lsm->reclaim_after_ns ||
	       lsm->counters.flushes != lsm->reclaimed_flushes ||
	       now > lsm->reclaim_after_ns + AGAIN_AFTER_NS;
}

int lsm_reclaim(struct lsm *lsm)
{
	struct pass p = { .lsm = lsm };
	uint64_t begin = clock_monotonic_ns();
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
	err = run_pass(&p);
	lsm->reclaim_after_ns = clock_monotonic_ns() +
				2 * (clock_monotonic_ns() - begin);
	return err;
}
