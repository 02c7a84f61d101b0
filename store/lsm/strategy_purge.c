/*
 * Purge deletions and expired data that may be dropped for good: older than
 * gc_grace, and with a timestamp below that of all other data that may be of
 * their partition, or they would no longer shadow it. Files of which this is
 * true of all data are dropped. Other files are merged together with every file
 * that keeps their data there, so that something is sure to be dropped: this
 * file compares whole files by their tokens and largest timestamps, and the
 * merge (lsm_compact.c) comes to the same result for each partition.
 *
 * The price of a purge is the size of all those files. It is paid at once where
 * a fifth of their entries (tombstone_threshold) will be dropped, and else when the data to drop has
 * waited for a second for each MiB: longer where it is less, and not much
 * longer than ten days. So purges take a MiB a second at most in the long run,
 * however often something is deleted, and all space comes back. Where room is
 * short they do not wait.
 *
 * With unchecked_tombstone_compaction a file with much dead data is rewritten
 * alone, even if other files keep that data: cheap, but maybe in vain. A file
 * whose rewriting was in vain is marked, and not tried again.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/lsm/strategy_pick.h"

#define BYTES_PER_S ((double)(1 << 20))
#define LONGEST_WAIT_S (10.0 * 86400)

static int64_t gc_before(const struct strategy_request *r)
{
	return r->now - r->options->gc_grace_s;
}

/* Return that time, as of the last check for dead files. */
static int64_t expired_before(const struct strategy_request *r)
{
	int64_t period = r->options->expiry_check_s;

	return gc_before(r) - (period > 0 && r->now > 0 && !r->urgent ?
			       r->now % period : 0);
}

/*
 * True if f's deletions may shadow something of g. Compared by tokens, as the
 * merge does: a partition may lie between the keys of a file that has none of
 * its rows.
 */
static bool may_shadow(const struct strategy_file *f,
		       const struct strategy_file *g)
{
	return g->info->min_timestamp <= f->info->max_timestamp &&
	       g->info->first_token <= f->info->last_token &&
	       f->info->first_token <= g->info->last_token;
}

/* ----------------------------------------------------------------- expired */
static bool is_expired(const struct strategy_request *r,
		       const struct strategy_file *f)
{
	return !f->left_out && !f->info->has_permanent &&
	       f->info->max_local_time < expired_before(r) &&
	       f->info->max_timestamp < r->min_memory_timestamp;
}

/* Repeat: each file that is taken out of the list may keep others from being
 * dropped. */
int strategy_expired(struct strategy_pick *pick,
		     const struct strategy_request *r)
{
	bool *dead = mem_zalloc(r->count, sizeof(*dead)), again = true;
	size_t *at = mem_zalloc(r->count, sizeof(*at)), count = 0, i, j;
	int picked = 0;

	if (!dead || !at) {
		picked = -ENOMEM;
		goto out;
	}
	for (i = 0; i < r->count; i++)
		dead[i] = is_expired(r, &r->files[i]);
	while (again) {
		again = false;
		for (i = 0; i < r->count; i++)
			for (j = 0; j < r->count && dead[i]; j++)
				if (!dead[j] && may_shadow(&r->files[i],
							   &r->files[j])) {
					dead[i] = false;
					again = true;
				}
	}
	for (i = 0; i < r->count; i++)
		if (dead[i])
			at[count++] = i;
	if (count) {
		picked = strategy_pick_these(pick, at, count);
		pick->drop_only = true;
	}
out:
	mem_free(dead);
	mem_free(at);
	return picked;
}

/* ------------------------------------------------------------------- purge */
/* A purge of one file and of those that keep some of its data. */
struct purge {
	size_t *at;		/* these files; room for all */
	size_t count;
	uint32_t level;		/* the highest of them */
	double size, entries;
	double going;		/* entries to be dropped, about: at least one */
	int64_t oldest;		/* local time of the data to be dropped */
	int64_t created;	/* when the file was written */
	bool has_bounds;	/* few of them may drop much */
};

static double entries_of(const struct strategy_file *f)
{
	return (double)sstable_entries(f->info) + 1;
}

/* True if all purgeable data of g is sure to be dropped where that of f is. */
static bool is_purged_with(const struct strategy_file *g,
			   const struct strategy_file *f)
{
	return g->info->max_timestamp <= f->info->max_timestamp &&
	       g->info->first_token >= f->info->first_token &&
	       g->info->last_token <= f->info->last_token;
}

static void add_file(struct purge *p, const struct strategy_request *r,
		     const struct strategy_file *f, size_t i)
{
	const struct strategy_file *g = &r->files[i];
	double going = entries_of(g) * g->droppable;

	p->at[p->count++] = i;
	p->size += (double)g->info->size;
	p->entries += entries_of(g);
	if (g->level > p->level)
		p->level = g->level;
	if (g->info->min_local_time >= gc_before(r) || !is_purged_with(g, f))
		return;
	p->going += going > 1 ? going : 1;
	p->has_bounds |= g->info->has_bounds;
	if (g->info->min_local_time < p->oldest)
		p->oldest = g->info->min_local_time;
}

/* Windows are not mixed, and a file that is soon dropped whole is left alone
 * until then. */
static bool is_of_windows(const struct strategy_request *r,
			  const struct purge *p, const struct strategy_file *f)
{
	int64_t window = strategy_window(r, f);
	size_t i;

	for (i = 0; i < p->count; i++)
		if (strategy_window(r, &r->files[p->at[i]]) != window)
			return false;
	return f->info->has_permanent ||
	       f->info->max_local_time < expired_before(r) ||
	       f->info->max_local_time - r->options->window_s > gc_before(r);
}

/* True if the whole file is dead, and the next check for dead files drops
 * it. */
static bool waits_for_check(const struct strategy_request *r,
			    const struct strategy_file *f)
{
	return !f->info->has_permanent &&
	       f->info->max_local_time < gc_before(r) &&
	       f->info->max_local_time >= expired_before(r);
}

/* True if something of file i may be dropped, and this purge is sure to drop
 * it. */
static bool purge_of(struct purge *p, const struct strategy_request *r,
		     size_t i)
{
	const struct strategy_file *f = &r->files[i];
	bool alone = r->options->unchecked_tombstones && !r->urgent &&
		     f->droppable > r->options->tombstone_threshold;
	size_t j;

	*p = (struct purge){ .at = p->at, .oldest = INT64_MAX,
			     .created = f->info->created };
	if (f->left_out || f->no_gain || waits_for_check(r, f) ||
	    f->info->min_local_time >= gc_before(r) ||
	    f->info->max_timestamp >= r->min_memory_timestamp)
		return false;
	for (j = 0; j < r->count; j++) {
		if (j != i && (alone || !may_shadow(f, &r->files[j])))
			continue;
		if (r->files[j].left_out)
			return false;
		add_file(p, r, f, j);
	}
	return r->options->strategy != LSM_TIME_WINDOW || r->urgent ||
	       is_of_windows(r, p, f);
}

/* Return the seconds until it is worth its price: 0 now. */
static double price_wait(const struct purge *p, const struct strategy_request *r)
{
	double share = p->going / p->entries, least = p->size / BYTES_PER_S;
	double worthwhile = r->options->tombstone_threshold;
	double wait = p->has_bounds ? least : least * worthwhile / share;
	double waited = (double)gc_before(r) - (double)p->oldest;

	if (share > worthwhile)
		return 0;
	if (wait > LONGEST_WAIT_S)
		wait = least > LONGEST_WAIT_S ? least : LONGEST_WAIT_S;
	return waited < wait ? wait - waited : 0;
}

/* Return the seconds until the file is old enough. A file from the future (the
 * clock was set back) is. */
static double age_wait(const struct purge *p, const struct strategy_request *r)
{
	double age = (double)r->now - (double)p->created;
	double least = (double)r->options->tombstone_interval_s;

	return age >= 0 && age < least ? least - age : 0;
}

static double wait_of(const struct purge *p, const struct strategy_request *r)
{
	double price = price_wait(p, r), age = age_wait(p, r);

	if (r->urgent)
		return 0;
	return price > age ? price : age;
}

/* Rate the purge: where room is short the one that needs least is best, else
 * the best bargain. */
static double value_of(const struct purge *p, const struct strategy_request *r)
{
	double share = p->going / p->entries;

	return r->urgent ? -p->size * (1 - share) : share;
}

/* Levels from 1 on do not overlap: add the files that the outputs would
 * overlap. */
static void add_level(struct purge *p, const struct strategy_request *r)
{
	struct strategy_file all = r->files[p->at[0]];
	size_t before, i, j;

	if (!p->level)
		return;
	do {
		before = p->count;
		for (i = 0; i < p->count; i++) {
			const struct strategy_file *f = &r->files[p->at[i]];

			if (bytes_compare(f->first_key, all.first_key) < 0)
				all.first_key = f->first_key;
			if (bytes_compare(f->last_key, all.last_key) > 0)
				all.last_key = f->last_key;
		}
		for (i = 0; i < r->count; i++) {
			for (j = 0; j < p->count && p->at[j] != i; j++)
				;
			if (j == p->count && !r->files[i].left_out &&
			    r->files[i].level == p->level &&
			    strategy_overlap(&all, &r->files[i])) {
				p->size += (double)r->files[i].info->size;
				p->at[p->count++] = i;
			}
		}
	} while (p->count != before);
}

static int pick_purge(struct strategy_pick *pick, struct purge *p,
		      const struct strategy_request *r)
{
	if (r->options->strategy == LSM_LEVELED) {
		add_level(p, r);
		pick->level = p->level;
		pick->output_size = strategy_leveled_size(r);
	} else if (r->options->strategy == LSM_UNIFIED) {
		strategy_unified_cut(pick, r, p->size,
				     strategy_unified_share(r, p->at,
							    p->count));
	}
	pick->purges = true;
	return strategy_pick_these(pick, p->at, p->count);
}

int strategy_purge(struct strategy_pick *pick, const struct strategy_request *r)
{
	struct purge p = { .at = mem_zalloc(r->count, sizeof(*p.at)) };
	size_t best = r->count, i;
	double most = 0;
	int picked = 0;

	if (!p.at)
		return -ENOMEM;
	for (i = 0; i < r->count; i++) {
		if (!purge_of(&p, r, i) || wait_of(&p, r) > 0 ||
		    (best < r->count && value_of(&p, r) <= most))
			continue;
		best = i;
		most = value_of(&p, r);
	}
	if (best < r->count && purge_of(&p, r, best))
		picked = pick_purge(pick, &p, r);
	mem_free(p.at);
	return picked;
}

/* -------------------------------------------------------------------- time */
/* Return when data with this local time may be dropped, at a multiple of period
 * (1: any time): later than now, or never. */
static int64_t end_of_grace(const struct strategy_request *r,
			    int64_t local_time, int64_t period)
{
	int64_t end;

	if (__builtin_add_overflow(local_time, r->options->gc_grace_s + 1,
				   &end))
		return INT64_MAX;
	if (end > 0 && end % period &&
	    __builtin_add_overflow(end, period - end % period, &end))
		return INT64_MAX;
	return end > r->now ? end : INT64_MAX;
}

static int64_t earlier_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t strategy_next(const struct strategy_request *r)
{
	struct purge p = { .at = mem_zalloc(r->count, sizeof(*p.at)) };
	int64_t next = INT64_MAX, period = r->options->expiry_check_s;
	size_t i;

	if (period <= 0 || r->urgent)
		period = 1;
	for (i = 0; p.at && r->options->compaction_enabled && i < r->count;
	     i++) {
		const struct sstable_info *info = r->files[i].info;

		if (r->files[i].left_out)
			continue;
		next = earlier_of(next,
				  end_of_grace(r, info->min_local_time, 1));
		next = earlier_of(next, end_of_grace(r, info->max_local_time,
						     period));
		if (purge_of(&p, r, i))
			next = earlier_of(next, r->now + 1 +
						    (int64_t)wait_of(&p, r));
	}
	mem_free(p.at);
	return next;
}
