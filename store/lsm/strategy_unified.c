/*
 * Unified: the level of a file follows from its density, which is its size
 * divided by the share of the tokens that it covers. Below a quarter of a
 * gigabyte the levels are tiered: four overlapping files of a level are merged,
 * to a file about four times as dense. Above, they are levelled: each level is
 * ten times as dense as the one before, and two overlapping files are enough.
 *
 * Results are cut at power-of-two boundaries of the tokens, so that files stay
 * near one size however large the table, and work on one shard does not touch
 * the others.
 *
 * Small files side by side overlap nothing, but each costs a descriptor, a
 * filter and a look: when there are more than MOST_SMALL, those of one size are
 * merged, four to the next size, until they are not small any more.
 */
#include <errno.h>
#include <math.h>

#include "store/base/alloc.h"
#include "store/lsm/strategy_pick.h"

#define SMALLEST ((double)(1 << 20))	/* density of level 0's end / 4 */
#define TIERED_LEVELS 4
#define TIERED_FANOUT 4
#define LEVELLED_FANOUT 10
#define LEVELS 16
#define MOST_FILES 32
#define MOST_SMALL 32
#define SMALL_PART 8		/* of the size that files are cut at */
#define DEFAULT_TARGET ((uint64_t)256 << 20)
#define MOST_SHARD_BITS 12
/* With fewer partitions their tokens do not estimate the share. */
#define FEW_PARTITIONS 64

static double share_of(const struct sstable_info *info)
{
	double span = (double)((uint64_t)info->last_token -
			       (uint64_t)info->first_token);
	double share = span / 18446744073709551616.0;

	if (info->partition_count < FEW_PARTITIONS || share > 1)
		return 1;
	return share < 1.0 / (1 << MOST_SHARD_BITS) ?
		       1.0 / (1 << MOST_SHARD_BITS) : share;
}

double strategy_density(const struct sstable_info *info)
{
	return (double)info->size / share_of(info);
}

static unsigned level_of(const struct strategy_file *f)
{
	double density = strategy_density(f->info);
	double end = SMALLEST * TIERED_FANOUT;
	unsigned level = 0;

	while (density >= end && level < LEVELS - 1) {
		level++;
		end *= level < TIERED_LEVELS ? TIERED_FANOUT : LEVELLED_FANOUT;
	}
	return level;
}

static size_t trigger_of(unsigned level)
{
	return level < TIERED_LEVELS ? TIERED_FANOUT : 2;
}

static uint64_t target_of(const struct strategy_request *r)
{
	return r->options->sstable_size ? r->options->sstable_size :
					  DEFAULT_TARGET;
}

void strategy_unified_cut(struct strategy_pick *pick,
			  const struct strategy_request *r, double size,
			  double share)
{
	double target = (double)target_of(r);
	double density = size / share;

	while (density > target && pick->shard_bits < MOST_SHARD_BITS) {
		density /= 2;
		pick->shard_bits++;
	}
	pick->output_size = (uint64_t)target * 4;
}

/* Files of one level by first key; the most that cover one point. */
struct bucket {
	size_t from, end;	/* in the sorted list */
	size_t overlap;
};

/* Count the files of the bucket that cover the first key of its i-th file. */
static size_t covering(const struct strategy_candidates *c, size_t from,
		       size_t i)
{
	struct bytes key = c->files[c->at[i]].first_key;
	size_t count = 0, j;

	for (j = from; j <= i; j++)
		count += bytes_compare(c->files[c->at[j]].last_key, key) >= 0;
	return count;
}

/* Find the bucket of transitively overlapping files that begins at from. */
static struct bucket bucket_at(const struct strategy_candidates *c, size_t from)
{
	struct bytes last = c->files[c->at[from]].last_key;
	struct bucket b = { from, from + 1, 1 };

	while (b.end < c->count) {
		const struct strategy_file *f = &c->files[c->at[b.end]];
		size_t overlap;

		if (bytes_compare(f->first_key, last) > 0)
			break;
		if (bytes_compare(f->last_key, last) > 0)
			last = f->last_key;
		overlap = covering(c, from, b.end);
		if (overlap > b.overlap)
			b.overlap = overlap;
		b.end++;
	}
	return b;
}

/* Find the bucket of this level with the most overlap; c is reduced to the
 * level. */
static struct bucket best_of_level(struct strategy_candidates *c,
				   const struct strategy_request *r,
				   unsigned level)
{
	struct bucket best = { 0, 0, 0 }, b;
	size_t i, from;

	c->count = 0;
	for (i = 0; i < r->count; i++)
		if (!r->files[i].left_out && level_of(&r->files[i]) == level)
			c->at[c->count++] = i;
	strategy_candidates_sort(c, strategy_by_first_key);
	for (from = 0; from < c->count; from = b.end) {
		b = bucket_at(c, from);
		if (b.overlap > best.overlap)
			best = b;
	}
	return best;
}

double strategy_unified_share(const struct strategy_request *r,
			      const size_t *at, size_t count)
{
	uint64_t first = UINT64_MAX, last = 0;
	double share;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct sstable_info *info = r->files[at[i]].info;
		uint64_t from = (uint64_t)info->first_token ^ (uint64_t)1 << 63;
		uint64_t to = (uint64_t)info->last_token ^ (uint64_t)1 << 63;

		first = from < first ? from : first;
		last = to > last ? to : last;
	}
	share = (double)(last - first) / 18446744073709551616.0;
	/* One or two partitions: nowhere to cut. */
	return share < 1.0 / (1 << MOST_SHARD_BITS) ? 1 : share;
}

/*
 * Reduce too many files to those over the key that the most cover. Others might
 * not overlap, and a merge would change nothing.
 */
static void keep_thickest(struct strategy_candidates *bucket)
{
	size_t best = 0, most = 0, i, kept = 0;
	struct bytes key;

	strategy_candidates_sort(bucket, strategy_by_first_key);
	for (i = 0; i < bucket->count; i++) {
		size_t cover = covering(bucket, 0, i);

		if (cover > most) {
			most = cover;
			best = i;
		}
	}
	key = bucket->files[bucket->at[best]].first_key;
	for (i = 0; i <= best; i++)
		if (bytes_compare(bucket->files[bucket->at[i]].last_key,
				  key) >= 0)
			bucket->at[kept++] = bucket->at[i];
	bucket->count = kept;
	/* Of these take the smallest, which are the cheapest. */
	if (bucket->count > MOST_FILES) {
		strategy_candidates_sort(bucket, strategy_by_size);
		bucket->count = MOST_FILES;
	}
}

static int pick_bucket(struct strategy_pick *pick,
		       struct strategy_candidates *c,
		       const struct strategy_request *r, struct bucket b)
{
	struct strategy_candidates bucket = { c->files, c->at + b.from,
					     b.end - b.from };
	double size = 0;
	size_t i;

	if (bucket.count > MOST_FILES)
		keep_thickest(&bucket);
	for (i = 0; i < bucket.count; i++)
		size += (double)c->files[bucket.at[i]].info->size;
	strategy_unified_cut(pick, r, size,
			     strategy_unified_share(r, bucket.at,
						    bucket.count));
	return strategy_pick_these(pick, bucket.at, bucket.count);
}

/* Find where the files of about the size of the from-th end; c is sorted by
 * size. */
static size_t alike_end(const struct strategy_candidates *c, size_t from)
{
	uint64_t most = c->files[c->at[from]].info->size * TIERED_FANOUT;
	size_t i = from + 1;

	while (i < c->count && c->files[c->at[i]].info->size < most)
		i++;
	return i;
}

/*
 * Merge them to one file, not cut, so that their number falls each time. It
 * gets at most the size that files are cut at.
 */
static int pick_small(struct strategy_pick *pick, struct strategy_candidates *c,
		      const struct strategy_request *r)
{
	uint64_t target = target_of(r), size = 0;
	size_t from, end, i, count = 0;

	c->count = 0;
	for (i = 0; i < r->count; i++)
		if (!r->files[i].left_out &&
		    r->files[i].info->size < target / SMALL_PART)
			c->at[c->count++] = i;
	if (c->count <= MOST_SMALL)
		return 0;
	strategy_candidates_sort(c, strategy_by_size);
	for (from = 0; from < c->count; from++) {
		end = alike_end(c, from);
		if (end - from >= TIERED_FANOUT)
			break;
	}
	if (from == c->count) {		/* of very many sizes: the smallest */
		from = 0;
		end = TIERED_FANOUT;
	}
	for (i = from; i < end && count < MOST_FILES && size <= target; i++) {
		size += c->files[c->at[i]].info->size;
		count += size <= target;
	}
	return strategy_pick_these(pick, c->at + from, count);
}

int strategy_unified(struct strategy_pick *pick,
		     const struct strategy_request *r)
{
	size_t best_overlap = 0;
	unsigned level, best_level = LEVELS;
	struct strategy_candidates c;
	int picked = strategy_candidates_init(&c, r);

	for (level = 0; !picked && level < LEVELS; level++) {
		struct bucket b = best_of_level(&c, r, level);

		/* Prefer most overlap, the lower level on ties. */
		if (b.overlap >= trigger_of(level) &&
		    b.overlap > best_overlap) {
			best_overlap = b.overlap;
			best_level = level;
		}
	}
	if (!picked && best_level < LEVELS)
		picked = pick_bucket(pick, &c, r,
				     best_of_level(&c, r, best_level));
	if (!picked)
		picked = pick_small(pick, &c, r);
	strategy_candidates_release(&c);
	return picked;
}
