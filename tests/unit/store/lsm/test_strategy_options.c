/* Each option of a strategy changes the files that it picks. */
#include "tests/unit/store/lsm/strategy_files.h"

START_TEST(buckets)
{
	struct strategy_pick pick;
	int i;

	options.strategy = LSM_SIZE_TIERED;
	for (i = 0; i < 4; i++)
		add((uint64_t)(100 + 40 * i) * MIB, 0, 999);
	ck_assert_str_eq(picked(&pick), "");	/* 220 is too far from 120 */
	options.bucket_high = 2;
	ck_assert_str_eq(picked(&pick), "1 2 3 4");
	options.bucket_high = 1.1;
	ck_assert_str_eq(picked(&pick), "");
	options.small_sstable = 300 * MIB;
	ck_assert_str_eq(picked(&pick), "1 2 3 4");
	options.small_sstable = 0;
	options.min_threshold = 2;
	ck_assert_str_eq(picked(&pick), "");
	options.bucket_high = 1.45;
	ck_assert_str_eq(picked(&pick), "1 2");
	options.max_threshold = 2;
	options.bucket_high = 3;
	ck_assert_str_eq(picked(&pick), "1 2");
}
END_TEST

START_TEST(fan_out_of_levels)
{
	struct strategy_pick pick;
	int i;

	options.strategy = LSM_LEVELED;
	options.sstable_size = 10 * MIB;
	for (i = 0; i < 5; i++)
		add(10 * MIB, i * 50, i * 50 + 40)->level = 1;
	ck_assert_str_eq(picked(&pick), "");
	options.fanout = 4;
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert(pick.move_only);
	ck_assert_uint_eq(pick.level, 2);
	strategy_release(&pick);
	options.writes_to_rise = true;
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert(!pick.move_only);
	ck_assert_uint_eq(pick.count, 1);
	strategy_release(&pick);
	/* Everything goes to the level that it fits into. */
	for (i = 1; i < 4; i++) {
		static const uint32_t levels[] = { 0, 8, 3, 2 };

		options.fanout = (uint32_t)i;
		ck_assert_int_eq(strategy_pick_all(&pick, &request), 1);
		ck_assert_uint_eq(pick.level, levels[i]);
		strategy_release(&pick);
	}
}
END_TEST

START_TEST(resolution_of_timestamps)
{
	struct strategy_pick pick;

	options.strategy = LSM_TIME_WINDOW;
	add_day(5 * MIB, 5);
	add_day(5 * MIB, 6);
	add_day(5 * MIB, 7);
	ck_assert_str_eq(picked(&pick), "");
	/* In nanoseconds these are three moments of one day. */
	options.timestamps_per_s = 1000000000;
	options.min_threshold = 3;
	ck_assert_str_eq(picked(&pick), "1 2 3");
	options.window_s = INT64_MAX;
	ck_assert_str_eq(picked(&pick), "1 2 3");
}
END_TEST

START_TEST(expiry_by_the_clock)	/* _i: time window, unified */
{
	struct strategy_pick pick;

	options.strategy = _i ? LSM_UNIFIED : LSM_TIME_WINDOW;
	request.now = NOW - NOW % 600 + 599;
	add(5 * MIB, 0, 500);
	infos[0].has_permanent = false;
	infos[0].min_local_time = infos[0].max_local_time =
		request.now - 1002;
	files[0].droppable = 1;
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert(pick.drop_only);
	strategy_release(&pick);
	options.expiry_check_s = 600;
	ck_assert_str_eq(picked(&pick), "");
	ck_assert_int_eq(strategy_next(&request), request.now + 1);
	request.urgent = true;
	ck_assert_str_eq(picked(&pick), "1");
	request.urgent = false;
	request.now++;
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert(pick.drop_only);
	strategy_release(&pick);
	/* It ends in the first second of a period, and a second later. */
	request.now -= 100;
	infos[0].min_local_time = INT64_MAX;
	infos[0].max_local_time = request.now + 100 - 1001;
	ck_assert_int_eq(strategy_next(&request), request.now + 100);
	infos[0].max_local_time++;
	ck_assert_int_eq(strategy_next(&request), request.now + 700);
}
END_TEST

START_TEST(tombstones)	/* _i: strategy */
{
	struct strategy_pick pick;

	options.strategy = all[_i];
	add(500 * MIB, 0, 500);
	may_go(0, 0.3, 1);
	ck_assert_str_eq(picked(&pick), "1");
	options.tombstone_threshold = 0.31;
	ck_assert_str_eq(picked(&pick), "");
	options.tombstone_threshold = 0;
	files[0].droppable = 0.001;
	ck_assert_str_eq(picked(&pick), "1");
	/* Not before the file is so old, unless room is short. */
	infos[0].created = NOW - 99;
	options.tombstone_interval_s = 100;
	ck_assert_str_eq(picked(&pick), "");
	ck_assert_int_eq(strategy_next(&request), NOW + 2);
	request.urgent = true;
	ck_assert_str_eq(picked(&pick), "1");
	request.urgent = false;
	infos[0].created--;
	ck_assert_str_eq(picked(&pick), "1");
	infos[0].created = NOW + 1000;
	ck_assert_str_eq(picked(&pick), "1");
}
END_TEST

START_TEST(tombstones_unchecked)	/* _i: strategy */
{
	struct strategy_pick pick;

	options.strategy = all[_i];
	options.min_threshold = 10;
	add(5 * MIB, 0, 500);
	may_go(0, 0.9, 1);
	add(5 * MIB, 100, 200);		/* keeps some of it there */
	ck_assert_str_eq(picked(&pick), "1 2");
	options.unchecked_tombstones = true;
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert_uint_eq(pick.count, 1);
	ck_assert(pick.purges);
	strategy_release(&pick);
	files[0].no_gain = true;
	ck_assert_str_eq(picked(&pick), "");
}
END_TEST

static void scale(const int32_t *scaling, uint32_t n)
{
	memcpy(options.scaling, scaling, n * sizeof(*scaling));
	options.scaling_count = n;
}

START_TEST(scaling_parameters)
{
	struct strategy_pick pick;
	int i;

	for (i = 0; i < 3; i++)
		add(2 * MIB, 0, 999);
	ck_assert_str_eq(picked(&pick), "");
	scale((int32_t[]){ 0 }, 1);			/* N: two */
	ck_assert_str_eq(picked(&pick), "1 2 3");
	scale((int32_t[]){ 2 }, 1);			/* T4 */
	ck_assert_str_eq(picked(&pick), "");
	scale((int32_t[]){ 1 }, 1);			/* T3 */
	ck_assert_str_eq(picked(&pick), "1 2 3");
	scale((int32_t[]){ -8 }, 1);			/* L10 */
	ck_assert_str_eq(picked(&pick), "1 2 3");
	/* 2 MiB are of level 0 or, where that ends below, of level 1. */
	scale((int32_t[]){ 2, -8 }, 2);
	ck_assert_str_eq(picked(&pick), "");
	scale((int32_t[]){ 0, -8 }, 2);
	ck_assert_str_eq(picked(&pick), "1 2 3");
	scale((int32_t[]){ 0, 2 }, 2);
	ck_assert_str_eq(picked(&pick), "");
	options.flush_size = 2 * MIB;			/* of level 0 again */
	ck_assert_str_eq(picked(&pick), "1 2 3");
	/* Numbers as large as they can be. */
	scale((int32_t[]){ INT32_MIN, INT32_MAX }, 2);
	ck_assert_str_eq(picked(&pick), "1 2 3");
	scale((int32_t[]){ INT32_MAX }, 1);
	ck_assert_str_eq(picked(&pick), "");
}
END_TEST

static uint32_t shards_of(uint64_t size)
{
	struct strategy_pick pick;
	uint32_t shards;

	count = 0;
	add(size, 0, 999);
	add(size, 0, 999);
	ck_assert_int_eq(strategy_pick_all(&pick, &request), 1);
	shards = pick.shards;
	strategy_release(&pick);
	return shards;
}

START_TEST(shards)
{
	ck_assert_uint_eq(shards_of(500 * MIB), 4);
	options.sstable_size = 1000 * MIB;		/* target_sstable_size */
	ck_assert_uint_eq(shards_of(500 * MIB), 1);
	ck_assert_uint_eq(shards_of(501 * MIB), 2);
	options.base_shards = 3;
	ck_assert_uint_eq(shards_of(500 * MIB), 1);	/* too small for three */
	options.least_size = 100 * MIB;			/* min_sstable_size */
	ck_assert_uint_eq(shards_of(500 * MIB), 3);
	ck_assert_uint_eq(shards_of(5000 * MIB), 12);
	options.base_shards = 1;
	options.growth = 1;
	ck_assert_uint_eq(shards_of(50000 * MIB), 1);
	options.growth = 0.5;
	ck_assert_uint_eq(shards_of(50000 * MIB), 16);
	options.growth = 0;
	ck_assert_uint_eq(shards_of(50000 * MIB), 128);
	options.base_shards = UINT32_MAX;
	ck_assert_uint_le(shards_of((uint64_t)1 << 60), 4096);
	options.sstable_size = UINT64_MAX;
	ck_assert_uint_eq(shards_of(MIB), 1);
}
END_TEST

START_TEST(overlap_and_most_files)
{
	struct strategy_pick pick;
	int i;

	add(2 * MIB, 0, 100);		/* overlaps 2, which overlaps all */
	add(2 * MIB, 100, 200);
	for (i = 0; i < 4; i++)
		add(2 * MIB, 200, 300);
	ck_assert_str_eq(picked(&pick), "1 2 3 4 5 6");
	options.overlap = LSM_OVERLAP_NONE;
	ck_assert_str_eq(picked(&pick), "2 3 4 5 6");
	infos[1].size = 10 * MIB;	/* of another level */
	ck_assert_str_eq(picked(&pick), "3 4 5 6");
	add(2 * MIB, 290, 400);
	add(2 * MIB, 350, 460);
	ck_assert_str_eq(picked(&pick), "3 4 5 6 7");
	files[6].first_key = bytes_str("301");
	ck_assert_str_eq(picked(&pick), "3 4 5 6");
	files[2].last_key = bytes_str("310");
	options.overlap = LSM_OVERLAP_SINGLE;
	ck_assert_str_eq(picked(&pick), "3 4 5 6 7");
	options.overlap = LSM_OVERLAP_TRANSITIVE;
	ck_assert_str_eq(picked(&pick), "3 4 5 6 7 8");
	options.most_files = 3;
	infos[3].size--;
	infos[5].size--;
	infos[6].size--;
	ck_assert_str_eq(picked(&pick), "3 4 6");
	options.most_files = 0;
	ck_assert_str_eq(picked(&pick), "4 6");
}
END_TEST

SUITE(strategy_options)
{
	TCase *tc = tcase_create("strategy_options");

	tcase_add_checked_fixture(tc, begin, NULL);
	tcase_add_test(tc, buckets);
	tcase_add_test(tc, fan_out_of_levels);
	tcase_add_test(tc, resolution_of_timestamps);
	tcase_add_loop_test(tc, expiry_by_the_clock, 0, 2);
	tcase_add_loop_test(tc, tombstones, 0, ARRAY_SIZE(all));
	tcase_add_loop_test(tc, tombstones_unchecked, 0, ARRAY_SIZE(all));
	tcase_add_test(tc, scaling_parameters);
	tcase_add_test(tc, shards);
	tcase_add_test(tc, overlap_and_most_files);
	suite_add_tcase(suite, tc);
}
