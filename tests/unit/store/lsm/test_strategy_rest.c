/*
 * The picks of a strategy come to an end, with any options: flush after flush of
 * made-up files, and merges of what is picked.
 */
#include <stdlib.h>

#include "tests/lib/random.h"
#include "tests/unit/store/lsm/strategy_files.h"

/*
 * Flush after flush of random size, and whatever is picked merged: it comes to
 * an end each time, and few files stay for a reader.
 */
START_TEST(a_strategy_comes_to_rest)	/* _i: strategy and seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	uint64_t written = 0, flushed = 0;
	int flush, steps = 0;

	options.strategy = all[_i % 4];
	for (flush = 0; flush < 300; flush++) {
		struct strategy_pick pick;
		uint64_t size = MIB / 2 + random_below(&rng, 2 * MIB);

		add(size, 0, 999);
		flushed += size;
		while (strategy_pick(&pick, &request) > 0) {
			uint64_t sum = 0;
			uint32_t level = pick.level;
			size_t i, j, to = 0;

			for (j = 0; j < pick.count; j++)
				sum += infos[pick.files[j]].size;
			written += pick.move_only ? 0 : sum;
			for (i = 0; i < count; i++) {
				bool gone = false;
				uint64_t kept = infos[i].size;
				uint32_t old = files[i].level;

				for (j = 0; j < pick.count; j++)
					gone |= pick.files[j] == i;
				if (gone)
					continue;
				files[to].level = old;
				infos[to++].size = kept;
			}
			strategy_release(&pick);
			count = request.count = to;
			add(sum, 0, 999)->level = level;
			ck_assert_int_lt(++steps, 2000);
		}
		ck_assert_uint_le(count, 40);
	}
	ck_assert_uint_lt(written, flushed * 80);
	if (options.strategy == LSM_UNIFIED)
		ck_assert_uint_lt(written, flushed * 12);
}
END_TEST

/* The files of a table, as often as they are made again for the strategy. */
struct span {
	uint64_t size;
	int first, last;
};
static struct span spans[MOST];
static size_t span_count;

static void add_span(uint64_t size, int first, int last)
{
	ck_assert_uint_lt(span_count, MOST);
	spans[span_count++] = (struct span){ size, first, last };
}

static void offer_spans(void)
{
	size_t i;

	request.count = count = 0;
	for (i = 0; i < span_count; i++) {
		add(spans[i].size, spans[i].first, spans[i].last);
		/* Of one key: their tokens say nothing of the share. */
		if (spans[i].first == spans[i].last)
			infos[i].partition_count = 1;
	}
}

/* Merge the picked files into one, or one for each shard. Returns their
 * bytes. */
static uint64_t merge_spans(const struct strategy_pick *pick)
{
	struct span sum = { 0, 999, 0 };
	int width = pick->shards ? 1000 / (int)pick->shards : 1000, from;
	size_t i, j, to = 0;

	for (i = 0; i < span_count; i++) {
		struct span s = spans[i];

		for (j = 0; j < pick->count && pick->files[j] != i; j++)
			;
		if (j == pick->count) {
			spans[to++] = s;
			continue;
		}
		sum.size += s.size;
		sum.first = s.first < sum.first ? s.first : sum.first;
		sum.last = s.last > sum.last ? s.last : sum.last;
	}
	span_count = to;
	width = width ? width : 1;
	for (from = sum.first; from <= sum.last;) {
		int last = (from / width + 1) * width - 1;

		if (last > sum.last || pick->shards < 2)
			last = sum.last;
		add_span(sum.size / (uint64_t)(sum.last - sum.first + 1) *
				 (uint64_t)(last - from + 1) + 1, from, last);
		from = last + 1;
	}
	return sum.size;
}

/*
 * Flushes of a partition or a few, anywhere and of any size: their number has a
 * bound though they overlap nothing, and the bytes that are written for that.
 */
START_TEST(small_files_side_by_side_are_few)	/* _i: seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	uint64_t written = 0, flushed = 0;
	int flush, steps = 0, merges = 0;
	size_t most = 0;

	span_count = 0;
	for (flush = 0; flush < 2000; flush++) {
		int first = (int)random_below(&rng, 1000);
		int width = random_below(&rng, 8) || _i % 2 == 0 ? 0 :
			    (int)random_below(&rng, 1000 - (uint64_t)first);
		uint64_t size = 1000 + random_below(&rng, (uint64_t)1 <<
						    (10 + _i % 4 * 4));
		struct strategy_pick pick;

		options.sstable_size = _i % 4 == 3 ? 128 * MIB :
				       (2 + (uint64_t)_i % 3 * 20) * MIB;
		add_span(size, first, first + width);
		flushed += size;
		offer_spans();
		for (steps = 0; strategy_pick(&pick, &request) > 0; steps++) {
			ck_assert_int_lt(steps, 100);
			merges++;
			written += merge_spans(&pick);
			strategy_release(&pick);
			offer_spans();
		}
		most = span_count > most ? span_count : most;
	}
	ck_assert_int_gt(merges, 50);
	/* Small ones, and those that are not: of an eighth of the cut or
	 * more. */
	ck_assert_uint_le(most, 33 + 2 * 8 * flushed / options.sstable_size +
				8);
	ck_assert_uint_lt(written, flushed * 24);
}
END_TEST

/* ------------------------------------------------------- with any options */
static void choose_options(struct random *rng)
{
	static const uint64_t sizes[] = { 0, 1, MIB, 10 * MIB, 100 * MIB };
	uint32_t i;

	options.tombstone_threshold = (double)random_below(rng, 12) / 10;
	options.tombstone_interval_s = (int64_t)random_below(rng, 3) * 10;
	options.unchecked_tombstones = random_below(rng, 2);
	options.expiry_check_s = (int64_t)random_below(rng, 2) * 600;
	options.min_threshold = (uint32_t)random_below(rng, 12);
	options.max_threshold = (uint32_t)random_below(rng, 40);
	options.small_sstable = sizes[random_below(rng, 5)];
	options.bucket_low = (double)random_below(rng, 12) / 10;
	options.bucket_high = options.bucket_low +
			      (double)(1 + random_below(rng, 20)) / 10;
	options.sstable_size = MIB << random_below(rng, 8);
	options.fanout = (uint32_t)random_below(rng, 12);
	options.writes_to_rise = random_below(rng, 2);
	options.window_s = 1 + (int64_t)random_below(rng, 100);
	options.timestamps_per_s = 1;
	options.flush_size = MIB << random_below(rng, 4);
	options.least_size = sizes[random_below(rng, 5)];
	options.base_shards = (uint32_t)(1 + random_below(rng, 50));
	options.growth = (double)random_below(rng, 11) / 10;
	options.most_files = (uint32_t)random_below(rng, 40);
	options.overlap = (enum lsm_overlap)random_below(rng, 3);
	options.scaling_count = (uint32_t)(1 + random_below(rng, 6));
	for (i = 0; i < options.scaling_count; i++)
		options.scaling[i] = (int32_t)random_below(rng, 30) - 15;
}

/* Let a part of a file, or all of it, be purged. */
static void kill_some(struct random *rng, size_t i)
{
	if (random_below(rng, 3))
		return;
	may_go(i, (double)random_below(rng, 11) / 10,
	       (int64_t)random_below(rng, 1000000));
	infos[i].max_timestamp = 10 + (int64_t)random_below(rng, 1000);
	if (random_below(rng, 2))
		return;
	infos[i].has_permanent = false;
	infos[i].max_local_time = NOW - 900 - (int64_t)random_below(rng, 1000);
}

/* Take file i out. */
static void take_out(size_t i)
{
	for (count--; i < count; i++) {
		struct sstable_info info = infos[i + 1];
		struct strategy_file f = files[i + 1];

		memcpy(keys[i], keys[i + 1], sizeof(keys[i]));
		infos[i] = info;
		f.info = &infos[i];
		f.first_key = bytes_str(keys[i][0]);
		f.last_key = bytes_str(keys[i][1]);
		files[i] = f;
	}
	request.count = count;
}

/*
 * Do what is picked: results are cut into equal parts of the keys, nothing of
 * them may go any more, and a purge that was alone is in vain.
 */
static void do_picked(const struct strategy_pick *pick)
{
	struct span sum = { 0, 999, 0 };
	bool gone[MOST] = { false };
	uint32_t parts = pick->shards ? pick->shards : 1;
	int width, from;
	size_t i;

	for (i = 0; i < pick->count; i++) {
		const struct strategy_file *f = &files[pick->files[i]];
		int first = atoi(keys[pick->files[i]][0]);
		int last = atoi(keys[pick->files[i]][1]);

		gone[pick->files[i]] = true;
		sum.size += f->info->size;
		sum.first = first < sum.first ? first : sum.first;
		sum.last = last > sum.last ? last : sum.last;
		if (pick->move_only)
			files[pick->files[i]].level = pick->level;
	}
	if (pick->move_only)
		return;
	for (i = MOST; i--;)
		if (gone[i])
			take_out(i);
	if (pick->drop_only)
		return;
	if (pick->output_size && sum.size / pick->output_size + 1 > parts)
		parts = (uint32_t)(sum.size / pick->output_size) + 1;
	width = parts > 1000 ? 1 : 1000 / (int)parts;
	for (from = sum.first; from <= sum.last;) {
		int last = (from / width + 1) * width - 1;
		struct strategy_file *f;

		if (last > sum.last || parts == 1)
			last = sum.last;
		ck_assert_uint_lt(count, MOST);
		f = add(sum.size / (uint64_t)(sum.last - sum.first + 1) *
				(uint64_t)(last - from + 1) + 1, from, last);
		f->level = pick->level;
		f->no_gain = pick->purges && pick->count == 1;
		infos[count - 1].created = NOW;
		if (from == last)
			infos[count - 1].partition_count = 1;
		from = last + 1;
	}
}

START_TEST(any_options_come_to_rest)	/* _i: strategy and seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	int flush, steps;

	options.strategy = all[_i % 4];
	for (flush = 0; flush < 60; flush++) {
		int first = (int)random_below(&rng, 900);
		int width = random_below(&rng, 3) ?
			    (int)random_below(&rng, 999 - (uint64_t)first) : 0;
		uint64_t size = 1000 + random_below(&rng, MIB <<
						    random_below(&rng, 3));
		struct strategy_pick pick;

		if (flush % 10 == 0)
			choose_options(&rng);
		ck_assert_uint_lt(count, MOST);
		add(size, first, first + width);
		kill_some(&rng, count - 1);
		for (steps = 0; strategy_pick(&pick, &request) > 0; steps++) {
			do_picked(&pick);
			strategy_release(&pick);
			ck_assert_msg(steps < 3000, "seed %d: goes on", _i);
		}
		strategy_debt(&request);
		strategy_next(&request);
		if (strategy_pick_all(&pick, &request) > 0)
			strategy_release(&pick);
	}
}
END_TEST

/* ------------------------------------------------- with a few large
 * partitions */
static uint64_t weights[MOST][1000];	/* of each file, for each key */

static void add_weighed(const uint64_t *of_keys)
{
	int first = 999, last = 0, key;
	uint64_t size = 0;

	ck_assert_uint_lt(count, MOST);
	for (key = 0; key < 1000; key++) {
		if (!of_keys[key])
			continue;
		first = key < first ? key : first;
		last = key;
		size += of_keys[key];
	}
	memcpy(weights[count], of_keys, sizeof(weights[0]));
	add(size, first, last);
}

/* Add the sum as files, which end where a compaction ends them. */
static void cut_weighed(const struct strategy_pick *pick, const uint64_t *sum,
			uint64_t total)
{
	uint64_t part[1000] = { 0 }, size = 0, done = 0;
	int shards = pick->shards ? (int)pick->shards : 1, shard = 0, key;

	for (key = 0; key < 1000; key++) {
		bool ends = shard != key * shards / 1000 &&
			    size >= pick->least_size &&
			    total - done >= pick->least_size;

		if (sum[key] && size && (ends || (pick->output_size &&
						  size >= pick->output_size))) {
			add_weighed(part);
			memset(part, 0, sizeof(part));
			size = 0;
		}
		if (!sum[key])
			continue;
		part[key] = sum[key];
		size += sum[key];
		done += sum[key];
		shard = key * shards / 1000;
	}
	add_weighed(part);
}

static void merge_weighed(const struct strategy_pick *pick)
{
	uint64_t sum[1000] = { 0 }, total = 0;
	bool gone[MOST] = { false };
	size_t i, key;

	for (i = 0; i < pick->count; i++)
		gone[pick->files[i]] = true;
	for (i = MOST; i--;) {
		if (!gone[i])
			continue;
		for (key = 0; key < 1000; key++)
			sum[key] += weights[i][key];
		total += infos[i].size;
		memmove(weights[i], weights[i + 1],
			(count - i - 1) * sizeof(weights[0]));
		take_out(i);
	}
	cut_weighed(pick, sum, total);
}

/*
 * Where few keys have most of the data, results are cut into small files beside
 * large ones. Merged side by side they overlap the large ones, which must not
 * have them cut again, and so on without end.
 */
START_TEST(large_partitions_come_to_rest)	/* _i: seed */
{
	static const int32_t scalings[] = { -998, -98, -8, 0, 2 };
	struct random rng = random_seeded((uint64_t)_i);
	bool large[1000] = { false };
	int flush, steps, i;

	for (i = 0; i < 30; i++)
		large[random_below(&rng, 1000)] = true;
	options.sstable_size = MIB << _i % 3;
	options.scaling[0] = scalings[_i % 5];
	options.scaling_count = 1;
	for (flush = 0; flush < 40; flush++) {
		uint64_t part[1000];
		struct strategy_pick pick;

		for (i = 0; i < 1000; i++)
			part[i] = large[i] ? MIB / 8 : 64;
		add_weighed(part);
		for (steps = 0; strategy_pick(&pick, &request) > 0; steps++) {
			merge_weighed(&pick);
			strategy_release(&pick);
			ck_assert_msg(steps < 200, "seed %d: goes on", _i);
		}
	}
}
END_TEST

SUITE(strategy_rest)
{
	TCase *tc = tcase_create("strategy_rest");

	tcase_add_checked_fixture(tc, begin, NULL);
	tcase_add_loop_test(tc, small_files_side_by_side_are_few, 0, 12);
	tcase_add_loop_test(tc, a_strategy_comes_to_rest, 0, 8);
	tcase_add_loop_test(tc, any_options_come_to_rest, 0, 200);
	tcase_add_loop_test(tc, large_partitions_come_to_rest, 0, 15);
	suite_add_tcase(suite, tc);
}
