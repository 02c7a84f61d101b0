/*
 * Unified: the level of a file follows from its density, which is its size
 * divided by the share of the tokens that it covers. The fan-out of a level
 * says how many times as dense it is as the one before. On a tiered level that
 * many overlapping files are merged, to about one file of the next level; on a
 * levelled one two are enough. By default levels are tiered by four below a
 * quarter of a gigabyte, and levelled by ten above.
 *
 * Results are cut into equal shards of the tokens, base_shard_count times a
 * power of two, so that files stay near one size however large the table, and
 * work on one shard does not touch the others.
 *
 * Small files side by side do not overlap, but each costs a descriptor, a
 * filter and a lookup: when there are more than MOST_SMALL, those of one size
 * are merged, four to the next size, until they are not small any more.
 */
#include <errno.h>
#include <math.h>

#include "store/base/alloc.h"
#include "store/lsm/strategy_pick.h"

#define LEVELS LSM_MOST_LEVELS
#define MOST_SMALL 32
#define ALIKE 4			/* files of one size: up to so many times */
#define SMALL_PART 4		/* of the least size that files are cut to */
#define LEAST_PART 2		/* of that, which each file has where it is cut */
#define DEFAULT_TARGET ((double)(256 << 20))
#define LEAST_SIZE ((double)(1 << 20))	/* of a file that is cut */
#define MOST_SHARDS 4096
#define LARGEST 1e18			/* more is no limit */
/* The least number of partitions whose tokens estimate the share. */
#define FEW_PARTITIONS 64

static double share_of(const struct sstable_info *info)
{
	double span = (double)((uint64_t)info->last_token -
			       (uint64_t)info->first_token);
	double share = span / 18446744073709551616.0;

	if (info->partition_count < FEW_PARTITIONS || share > 1)
		return 1;
	return share < 1.0 / MOST_SHARDS ? 1.0 / MOST_SHARDS : share;
}

double strategy_density(const struct sstable_info *info)
{
	return (double)info->size / share_of(info);
}

/* ------------------------------------------------------------------ levels */
/* Return the scaling parameter: negative is levelled, 0 both, positive
 * tiered. */
static int64_t scaling_of(const struct strategy_request *r, unsigned level)
{
	const struct lsm_table_options *o = r->options;

	return o->scaling[level < o->scaling_count ? level :
						     o->scaling_count - 1];
}

static double fanout_of(const struct strategy_request *r, unsigned level)
{
	int64_t scaling = scaling_of(r, level);

	return (double)((scaling < 0 ? -scaling : scaling) + 2);
}

/* Return how many overlapping files are worth a merge. */
static size_t trigger_of(const struct strategy_request *r, unsigned level)
{
	int64_t scaling = scaling_of(r, level);

	return scaling > 0 ? (size_t)scaling + 2 : 2;
}

static unsigned level_of(const struct strategy_request *r,
			 const struct strategy_file *f)
{
	double density = strategy_density(f->info);
	double end = (double)r->options->flush_size * fanout_of(r, 0);
	unsigned level = 0;

	while (density >= end && level < LEVELS - 1)
		end *= fanout_of(r, ++level);
	return level;
}

/* ------------------------------------------------------------------ shards */
static double target_of(const struct strategy_request *r)
{
	return r->options->sstable_size ? (double)r->options->sstable_size :
					  DEFAULT_TARGET;
}

/* Return the average size of the files that a result is cut into, at least: so
 * that those are not too small, and merged again. */
static double least_of(const struct strategy_request *r)
{
	double most = target_of(r) / 2, least = (double)r->options->least_size;

	if (!r->options->least_size || least > most)
		return most;
	return least > LEAST_SIZE ? least : LEAST_SIZE < most ? LEAST_SIZE : most;
}

/*
 * Without growth files have the target size at most, and half of it at least,
 * unless the base count wants smaller ones. With it a table that is n times the
 * target has files of n^growth times the target.
 */
void strategy_unified_cut(struct strategy_pick *pick,
			  const struct strategy_request *r, double size,
			  double share)
{
	double density = size / share, target = target_of(r);
	double base = r->options->base_shards, shards;

	if (density > target && r->options->growth > 0)
		target *= pow(density / target, r->options->growth);
	for (shards = base; shards * target < density; shards *= 2)
		if (shards * 2 > MOST_SHARDS)
			break;
	/* Halve them, or make one: then shards of one size fit into those of
	 * another. */
	while (shards > 1 && shards * least_of(r) > density)
		shards = fmod(shards, 2) == 0 ? shards / 2 : 1;
	pick->shards = shards > MOST_SHARDS ? MOST_SHARDS : (uint32_t)shards;
	pick->least_size = (uint64_t)(least_of(r) / LEAST_PART);
	pick->output_size = target < LARGEST ? (uint64_t)target * 4 : 0;
}

/* ----------------------------------------------------------------- buckets */

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
		if (!r->files[i].left_out &&
		    level_of(r, &r->files[i]) == level)
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
	/* A file of one or two partitions cannot be split. */
	return share < 1.0 / MOST_SHARDS ? 1 : share;
}

/* Return the place of the file at whose first key the most overlap; the bucket
 * is sorted by first keys. */
static size_t most_overlapping(const struct strategy_candidates *bucket)
{
	size_t best = 0, most = 0, i;

	for (i = 0; i < bucket->count; i++) {
		size_t cover = covering(bucket, 0, i);

		if (cover > most) {
			most = cover;
			best = i;
		}
	}
	return best;
}

/*
 * Reduce the bucket to the files over the key that the most cover, or to these
 * and those that overlap one of them. Others might not overlap, and a merge
 * would change nothing.
 */
static void keep_most_overlapping(struct strategy_candidates *bucket,
				  enum lsm_overlap overlap)
{
	size_t best = most_overlapping(bucket), i, kept = 0;
	struct bytes key = bucket->files[bucket->at[best]].first_key;
	struct bytes first = key, last = key;

	for (i = 0; i <= best; i++) {
		const struct strategy_file *f = &bucket->files[bucket->at[i]];

		if (bytes_compare(f->last_key, key) < 0)
			continue;
		if (bytes_compare(f->first_key, first) < 0)
			first = f->first_key;
		if (bytes_compare(f->last_key, last) > 0)
			last = f->last_key;
	}
	if (overlap == LSM_OVERLAP_NONE)
		first = last = key;
	for (i = 0; i < bucket->count; i++) {
		const struct strategy_file *f = &bucket->files[bucket->at[i]];

		if (bytes_compare(f->first_key, last) <= 0 &&
		    bytes_compare(f->last_key, first) >= 0)
			bucket->at[kept++] = bucket->at[i];
	}
	bucket->count = kept;
}

static size_t most_files(const struct strategy_request *r)
{
	return r->options->most_files < 2 ? 2 : r->options->most_files;
}

static void reduce_bucket(struct strategy_candidates *bucket,
			  const struct strategy_request *r)
{
	if (r->options->overlap != LSM_OVERLAP_TRANSITIVE)
		keep_most_overlapping(bucket, r->options->overlap);
	if (bucket->count <= most_files(r))
		return;
	keep_most_overlapping(bucket, LSM_OVERLAP_NONE);
	if (bucket->count <= most_files(r))
		return;
	/* Of these take the smallest, which are the cheapest. */
	strategy_candidates_sort(bucket, strategy_by_size);
	bucket->count = most_files(r);
}

static int pick_bucket(struct strategy_pick *pick,
		       struct strategy_candidates *c,
		       const struct strategy_request *r, struct bucket b)
{
	struct strategy_candidates bucket = { c->files, c->at + b.from,
					     b.end - b.from };
	double size = 0;
	size_t i;

	reduce_bucket(&bucket, r);
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
	uint64_t most = c->files[c->at[from]].info->size * ALIKE;
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
	double target = target_of(r), size = 0;
	size_t from, end = 0, i, count = 0;

	c->count = 0;
	for (i = 0; i < r->count; i++)
		if (!r->files[i].left_out &&
		    (double)r->files[i].info->size < least_of(r) / SMALL_PART)
			c->at[c->count++] = i;
	if (c->count <= MOST_SMALL)
		return 0;
	strategy_candidates_sort(c, strategy_by_size);
	for (from = 0; from < c->count; from++) {
		end = alike_end(c, from);
		if (end - from >= ALIKE)
			break;
	}
	if (from == c->count) {		/* of very many sizes: the smallest */
		from = 0;
		end = ALIKE;
	}
	for (i = from; i < end && count < most_files(r) && size <= target; i++) {
		size += (double)c->files[c->at[i]].info->size;
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
		if (b.overlap >= trigger_of(r, level) &&
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
