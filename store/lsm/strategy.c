/*
 * The common part of all strategies: files that are dead as a whole are dropped
 * first, then the strategy picks, and when it has nothing to do other files are
 * purged (strategy_purge.c). Size-tiered and time window are here too; unified
 * and leveled have files of their own.
 *
 * Without new data the compactions end. Each merge of a strategy leaves fewer
 * files over some key and no more over any other, or moves data to a higher
 * level; none makes an entry. Each purge is sure to leave fewer entries.
 */
#include "store/lsm/strategy.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/lsm/strategy_pick.h"

#define MOST_STEPS 64

/* ------------------------------------------------------------ candidates */
int strategy_candidates_init(struct strategy_candidates *c,
			     const struct strategy_request *r)
{
	size_t i;

	c->files = r->files;
	c->count = 0;
	c->at = mem_zalloc(r->count, sizeof(*c->at));
	if (!c->at)
		return -ENOMEM;
	for (i = 0; i < r->count; i++)
		if (!r->files[i].left_out)
			c->at[c->count++] = i;
	return 0;
}

void strategy_candidates_release(struct strategy_candidates *c)
{
	mem_free(c->at);
}

/* Sift, for a heap sort: few files, no memory, no order that makes it slow. */
static void sift(struct strategy_candidates *c, size_t from, size_t end,
		 int (*compare)(const struct strategy_file *,
				const struct strategy_file *))
{
	for (;;) {
		size_t child = 2 * from + 1, swap;

		if (child >= end)
			return;
		if (child + 1 < end && compare(&c->files[c->at[child]],
					       &c->files[c->at[child + 1]]) < 0)
			child++;
		if (compare(&c->files[c->at[from]],
			    &c->files[c->at[child]]) >= 0)
			return;
		swap = c->at[from];
		c->at[from] = c->at[child];
		c->at[child] = swap;
		from = child;
	}
}

void strategy_candidates_sort(struct strategy_candidates *c,
			      int (*compare)(const struct strategy_file *a,
					     const struct strategy_file *b))
{
	size_t i;

	for (i = c->count / 2; i--;)
		sift(c, i, c->count, compare);
	for (i = c->count; i-- > 1;) {
		size_t swap = c->at[0];

		c->at[0] = c->at[i];
		c->at[i] = swap;
		sift(c, 0, i, compare);
	}
}

/* Ties by number, so that a pick depends on nothing but the files. */
static int by_number(const struct strategy_file *a,
		     const struct strategy_file *b)
{
	return (a->info->number > b->info->number) -
	       (a->info->number < b->info->number);
}

int strategy_by_size(const struct strategy_file *a,
		     const struct strategy_file *b)
{
	int order = (a->info->size > b->info->size) -
		    (a->info->size < b->info->size);

	return order ? order : by_number(a, b);
}

int strategy_by_first_key(const struct strategy_file *a,
			  const struct strategy_file *b)
{
	int order = bytes_compare(a->first_key, b->first_key);

	return order ? order : by_number(a, b);
}

static int by_newest(const struct strategy_file *a,
		     const struct strategy_file *b)
{
	int64_t x = a->info->max_timestamp, y = b->info->max_timestamp;
	int order = (x < y) - (x > y);

	return order ? order : by_number(a, b);
}

bool strategy_overlap(const struct strategy_file *a,
		      const struct strategy_file *b)
{
	return bytes_compare(a->first_key, b->last_key) <= 0 &&
	       bytes_compare(b->first_key, a->last_key) <= 0;
}

int strategy_pick_these(struct strategy_pick *pick, const size_t *at,
			size_t count)
{
	pick->files = mem_zalloc(count, sizeof(*pick->files));
	if (!pick->files)
		return -ENOMEM;
	memcpy(pick->files, at, count * sizeof(*at));
	pick->count = count;
	return 1;
}

void strategy_release(struct strategy_pick *pick)
{
	mem_free(pick->files);
	memset(pick, 0, sizeof(*pick));
}

/* ----------------------------------------------------------- size tiered */
/*
 * c is sorted by size. Find where the bucket that begins at `from` ends: its
 * files have sizes near its average, or are all small.
 */
static size_t bucket_end(const struct strategy_candidates *c, size_t from,
			 const struct lsm_table_options *o)
{
	double sum = 0, average = 0, least = (double)o->small_sstable;
	size_t i;

	for (i = from; i < c->count; i++) {
		double size = (double)c->files[c->at[i]].info->size;
		bool alike = (size >= average * o->bucket_low &&
			      size <= average * o->bucket_high) ||
			     (size < least && average < least);

		if (i > from && !alike)
			break;
		sum += size;
		average = sum / (double)(i - from + 1);
	}
	return i;
}

/* Pick the bucket of similar sizes to merge next, of these alone: 1, 0,
 * -ENOMEM. */
static int strategy_bucket(struct strategy_pick *pick,
			   struct strategy_candidates *c,
			   const struct lsm_table_options *options)
{
	size_t least = options->min_threshold, most = options->max_threshold;
	size_t from, end;

	if (least < 2)
		least = 2;
	if (most < least)
		most = least;
	strategy_candidates_sort(c, strategy_by_size);
	/* Take the smallest sizes first: they are the cheapest to merge. */
	for (from = 0; from < c->count; from = end) {
		end = bucket_end(c, from, options);
		if (end - from >= least)
			return strategy_pick_these(pick, c->at + from,
						   end - from < most ?
						   end - from : most);
	}
	return 0;
}

static int strategy_size_tiered(struct strategy_pick *pick,
				const struct strategy_request *r)
{
	struct strategy_candidates c;
	int picked = strategy_candidates_init(&c, r);

	if (!picked)
		picked = strategy_bucket(pick, &c, r->options);
	strategy_candidates_release(&c);
	return picked;
}

/* ----------------------------------------------------------- time window */
int64_t strategy_window(const struct strategy_request *r,
			const struct strategy_file *f)
{
	int64_t t = f->info->max_timestamp, window;

	if (__builtin_mul_overflow(r->options->window_s,
				   r->options->timestamps_per_s, &window))
		window = INT64_MAX;
	if (window <= 0)
		window = 1;
	return t >= 0 ? t / window : -((-(t + 1)) / window) - 1;
}

/*
 * The newest window is still written to: it is tiered. Each older one becomes
 * one file. c is sorted by time, newest first.
 */
static int pick_window(struct strategy_pick *pick,
		       const struct strategy_candidates *c,
		       const struct strategy_request *r)
{
	size_t most = r->options->max_threshold, from, end;

	if (most < 2)
		most = 2;
	for (from = 0; from < c->count; from = end) {
		struct strategy_candidates window = { c->files, c->at + from,
						     0 };
		int64_t at = strategy_window(r, &c->files[c->at[from]]);
		int picked;

		for (end = from; end < c->count; end++)
			if (strategy_window(r, &c->files[c->at[end]]) != at)
				break;
		window.count = end - from;
		if (!from) {
			picked = strategy_bucket(pick, &window, r->options);
			if (picked)
				return picked;
		} else if (window.count > 1) {
			strategy_candidates_sort(&window, strategy_by_size);
			return strategy_pick_these(pick, window.at,
						   window.count < most ?
						   window.count : most);
		}
	}
	return 0;
}

static int strategy_time_window(struct strategy_pick *pick,
				const struct strategy_request *r)
{
	struct strategy_candidates c;
	int picked = strategy_candidates_init(&c, r);

	if (!picked) {
		strategy_candidates_sort(&c, by_newest);
		picked = pick_window(pick, &c, r);
	}
	strategy_candidates_release(&c);
	return picked;
}

/* ------------------------------------------------------------------ face */
static int pick_merge(struct strategy_pick *pick,
		      const struct strategy_request *r)
{
	switch (r->options->strategy) {
	case LSM_SIZE_TIERED:
		return strategy_size_tiered(pick, r);
	case LSM_LEVELED:
		return strategy_leveled(pick, r);
	case LSM_TIME_WINDOW:
		return strategy_time_window(pick, r);
	default:
		return strategy_unified(pick, r);
	}
}

int strategy_pick(struct strategy_pick *pick, const struct strategy_request *r)
{
	int picked;

	memset(pick, 0, sizeof(*pick));
	if (!r->options->compaction_enabled || !r->count)
		return 0;
	picked = strategy_expired(pick, r);
	/* Where room is short, make some first. */
	if (!picked && r->urgent)
		picked = strategy_purge(pick, r);
	if (!picked)
		picked = pick_merge(pick, r);
	if (!picked && !r->urgent)
		picked = strategy_purge(pick, r);
	return picked;
}

int strategy_pick_all(struct strategy_pick *pick,
		      const struct strategy_request *r)
{
	double size = 0;
	struct strategy_candidates c;
	size_t i;
	int picked;

	memset(pick, 0, sizeof(*pick));
	picked = strategy_candidates_init(&c, r);
	if (!picked && c.count)
		picked = strategy_pick_these(pick, c.at, c.count);
	strategy_candidates_release(&c);
	if (picked <= 0)
		return picked;
	for (i = 0; i < pick->count; i++)
		size += (double)r->files[pick->files[i]].info->size;
	if (r->options->strategy == LSM_LEVELED) {
		pick->output_size = strategy_leveled_size(r);
		pick->level = strategy_leveled_level(r, size);
	} else if (r->options->strategy == LSM_UNIFIED) {
		strategy_unified_cut(pick, r, size, 1);
	}
	return 1;
}

uint64_t strategy_debt(const struct strategy_request *r)
{
	struct strategy_file *files = mem_zalloc(r->count, sizeof(*files));
	struct strategy_request left = *r;
	struct strategy_pick pick;
	uint64_t debt = 0;
	int steps = 0;
	size_t i;

	if (!files || !r->options->compaction_enabled)
		steps = MOST_STEPS;
	else if (r->count)
		memcpy(files, r->files, r->count * sizeof(*files));
	left.files = files;
	for (; steps < MOST_STEPS; steps++) {
		memset(&pick, 0, sizeof(pick));
		if (pick_merge(&pick, &left) <= 0)
			break;
		for (i = 0; i < pick.count; i++)
			files[pick.files[i]].left_out = true;
		debt += pick.count;
		strategy_release(&pick);
	}
	mem_free(files);
	return debt;
}
