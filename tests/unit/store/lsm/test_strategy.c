/* The files that strategies pick, by their sizes, keys, times and levels. */
#include "tests/unit/store/lsm/strategy_files.h"

START_TEST(a_strategy_finds_nothing_to_do)
{
	struct strategy_pick pick;
	uint64_t i;

	options.strategy = all[_i];
	ck_assert_str_eq(picked(&pick), "");
	add(5 * MIB, 0, 999);
	ck_assert_str_eq(picked(&pick), "");
	ck_assert_uint_eq(strategy_debt(&request), 0);
	for (i = 0; i < 10; i++)
		add(5 * MIB, 0, 999);
	ck_assert_str_ne(picked(&pick), "");
	ck_assert_uint_eq(strategy_debt(&request), 11);
	files[3].left_out = true;
	ck_assert_uint_eq(strategy_debt(&request), 10);
	files[3].left_out = false;
	options.compaction_enabled = false;
	ck_assert_uint_eq(strategy_debt(&request), 0);
	ck_assert_str_eq(picked(&pick), "");
	ck_assert_int_eq(strategy_pick_all(&pick, &request), 1);
	ck_assert_uint_eq(pick.count, 11);
	strategy_release(&pick);
	for (i = 0; i < 11; i++)
		files[i].left_out = true;
	ck_assert_int_eq(strategy_pick_all(&pick, &request), 0);
	options.compaction_enabled = true;
	ck_assert_str_eq(picked(&pick), "");
}
END_TEST

START_TEST(tiers_of_similar_size)
{
	struct strategy_pick pick;

	options.strategy = LSM_SIZE_TIERED;
	add(400 * MIB, 0, 999);
	add(100 * MIB, 0, 999);
	add(390 * MIB, 0, 999);
	add(110 * MIB, 0, 999);
	add(90 * MIB, 0, 999);
	ck_assert_str_eq(picked(&pick), "");
	add(105 * MIB, 0, 999);
	ck_assert_str_eq(picked(&pick), "2 4 5 6");
	options.min_threshold = 2;
	add(1 * MIB, 0, 999);
	add(40 * MIB, 0, 999);		/* small ones are alike */
	ck_assert_str_eq(picked(&pick), "7 8");
	options.max_threshold = 3;
	files[6].left_out = true;
	ck_assert_str_eq(picked(&pick), "2 5 6");
}
END_TEST

START_TEST(levels_do_not_overlap)
{
	struct strategy_pick pick;
	int i;

	options.strategy = LSM_LEVELED;
	options.sstable_size = 10 * MIB;
	for (i = 0; i < 3; i++)
		add(4 * MIB, 100, 300);
	add(10 * MIB, 0, 99)->level = 1;
	add(10 * MIB, 200, 299)->level = 1;
	add(10 * MIB, 300, 399)->level = 1;
	ck_assert_str_eq(picked(&pick), "");
	add(4 * MIB, 150, 160);
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert_uint_eq(pick.level, 1);
	ck_assert_uint_eq(pick.output_size, 10 * MIB);
	strategy_release(&pick);
	ck_assert_str_eq(picked(&pick), "1 2 3 5 6 7");
	files[4].left_out = true;	/* it is overlapped from now on */
	ck_assert_str_eq(picked(&pick), "1 2 3 6 7");
}
END_TEST

START_TEST(a_full_level_moves_on)
{
	struct strategy_pick pick;
	int i;

	options.strategy = LSM_LEVELED;
	options.sstable_size = 10 * MIB;
	for (i = 0; i < 11; i++)
		add(10 * MIB, i * 50, i * 50 + 40)->level = 1;
	add(10 * MIB, 0, 999)->level = 2;
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert_uint_eq(pick.count, 2);
	ck_assert_uint_eq(pick.level, 2);
	ck_assert(!pick.move_only);
	strategy_release(&pick);
	/* Nothing below one of them: it only changes its level. */
	files[11].last_key = bytes_str("299");
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert_uint_eq(pick.count, 1);
	ck_assert_uint_ge(pick.files[0], 6);
	ck_assert(pick.move_only);
	strategy_release(&pick);
}
END_TEST

START_TEST(windows_are_not_mixed)
{
	struct strategy_pick pick;

	options.strategy = LSM_TIME_WINDOW;
	add_day(5 * MIB, 7);
	add_day(5 * MIB, 7);
	add_day(5 * MIB, 7);
	add_day(5 * MIB, 6);
	add_day(5 * MIB, -1);
	ck_assert_str_eq(picked(&pick), "");
	add_day(500 * MIB, 6);
	ck_assert_str_eq(picked(&pick), "4 6");
	add_day(5 * MIB, 7);		/* the newest has its tier full */
	ck_assert_str_eq(picked(&pick), "1 2 3 7");
	options.window_s = 3 * 86400;
	ck_assert_str_eq(picked(&pick), "1 2 3 4 7");
}
END_TEST

START_TEST(dead_files_go_whole)	/* _i: strategy */
{
	struct strategy_pick pick;
	int i;

	options.strategy = all[_i];
	options.min_threshold = 10;
	for (i = 0; i < 3; i++) {
		add(5 * MIB, 0, 500);
		infos[i].has_permanent = false;
		infos[i].max_local_time = NOW - 1001;
		infos[i].max_timestamp = 10 + i;
	}
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert(pick.drop_only);
	ck_assert_uint_eq(pick.count, 3);
	strategy_release(&pick);
	/* Older data that the third would shadow keeps it, and only it. */
	add(5 * MIB, 500, 600)->level = 1;
	infos[3].min_timestamp = 12;
	infos[2].min_timestamp = 12;
	ck_assert_str_eq(picked(&pick), "1 2");
	/* A file that stays may itself be shadowed. */
	infos[1].min_timestamp = infos[2].min_timestamp = 11;
	ck_assert_str_eq(picked(&pick), "1");
	infos[3].min_timestamp = 13;
	ck_assert_str_eq(picked(&pick), "1 2 3");
	request.min_memory_timestamp = 10;
	ck_assert_str_eq(picked(&pick), "");
	request.min_memory_timestamp = INT64_MAX;
	for (i = 0; i < 3; i++)
		infos[i].max_local_time = NOW - 1000;	/* in grace */
	ck_assert_str_eq(picked(&pick), "");
}
END_TEST

START_TEST(files_with_many_tombstones_go_at_once)	/* _i: strategy */
{
	struct strategy_pick pick;

	options.strategy = all[_i];
	add(5 * MIB, 0, 500);
	add(5 * MIB, 600, 700);
	may_go(0, 0.2, 1);
	may_go(1, 0.21, 1);
	ck_assert_str_eq(picked(&pick), "2");
	ck_assert_uint_eq(strategy_debt(&request), 0);
	request.min_memory_timestamp = 20;	/* may keep it */
	ck_assert_str_eq(picked(&pick), "");
	ck_assert(strategy_next(&request) == INT64_MAX ||
		  strategy_next(&request) > NOW);
	request.min_memory_timestamp = INT64_MAX;
	files[1].no_gain = true;
	ck_assert_str_eq(picked(&pick), "");
	files[1].no_gain = false;
	files[1].left_out = true;
	ck_assert_str_eq(picked(&pick), "");
	files[1].left_out = false;
	infos[1].min_local_time = NOW - 1000;	/* not yet, for sure */
	ck_assert_str_eq(picked(&pick), "");
	options.compaction_enabled = false;
	may_go(1, 1, 1000000);
	ck_assert_str_eq(picked(&pick), "");
	ck_assert(strategy_next(&request) == INT64_MAX);
}
END_TEST

/* Files that keep its tombstones from going are picked too, by tokens and
 * timestamps. */
START_TEST(files_that_keep_tombstones_come_along)	/* _i: strategy */
{
	struct strategy_pick pick;

	options.strategy = all[_i];
	options.min_threshold = 10;
	add(5 * MIB, 100, 500)->level = 1;
	may_go(0, 0.9, 1);
	add(5 * MIB, 500, 800);		/* one token is enough */
	add(5 * MIB, 501, 999);
	add(5 * MIB, 0, 999);
	infos[3].min_timestamp = 21;	/* newer than all of it */
	infos[3].max_timestamp = 30;
	ck_assert_str_eq(picked(&pick), "1 2");
	infos[3].min_timestamp = 20;
	ck_assert_str_eq(picked(&pick), "1 2 4");
	/* Tombstones that shadow data of a damaged file may not go. */
	files[1].left_out = true;
	ck_assert_str_eq(picked(&pick), "");
	files[3].left_out = true;
	infos[1].min_timestamp = 21;
	ck_assert_str_eq(picked(&pick), "");
	infos[3].min_timestamp = 21;
	ck_assert_str_eq(picked(&pick), "1");
}
END_TEST

/* The less goes, the longer it waits; but not for ever. */
START_TEST(files_with_few_tombstones_go_later)	/* _i: strategy */
{
	struct strategy_pick pick;
	int64_t next;

	options.strategy = all[_i];
	options.min_threshold = 10;
	add(50 * MIB, 0, 999);
	may_go(0, 0.1, 50);		/* 100 s: 50 MiB for half a bargain */
	ck_assert_str_eq(picked(&pick), "");
	next = strategy_next(&request);
	ck_assert_int_ge(next, NOW + 49);
	ck_assert_int_le(next, NOW + 52);
	request.urgent = true;
	ck_assert_str_eq(picked(&pick), "1");
	request.urgent = false;
	may_go(0, 0.1, 101);
	ck_assert_str_eq(picked(&pick), "1");
	may_go(0, 0.1, 51);
	infos[0].has_bounds = true;	/* who knows what they cover */
	ck_assert_str_eq(picked(&pick), "1");
	infos[0].has_bounds = false;
	infos[0].cell_count = 1000000000;
	may_go(0, 0.000001, 10 * 86400 - 2);
	ck_assert_str_eq(picked(&pick), "");
	ck_assert_int_le(strategy_next(&request), NOW + 4);
	may_go(0, 0, 10 * 86400 + 1);
	ck_assert_str_eq(picked(&pick), "1");
	infos[0].size = (uint64_t)1 << 40;	/* 12 days, to be paid for */
	ck_assert_str_eq(picked(&pick), "");
	may_go(0, 0, 13 * 86400);
	ck_assert_str_eq(picked(&pick), "1");
	/* Nothing to wait for, and something. */
	infos[0].min_local_time = INT64_MAX;
	infos[0].max_local_time = INT64_MIN;
	ck_assert(strategy_next(&request) == INT64_MAX);
	infos[0].has_permanent = false;
	infos[0].min_local_time = NOW + 5;
	infos[0].max_local_time = NOW + 7;
	ck_assert_int_eq(strategy_next(&request), NOW + 1006);
}
END_TEST

START_TEST(levels_stay_apart_in_a_purge)
{
	struct strategy_pick pick;

	options.strategy = LSM_LEVELED;
	options.sstable_size = 10 * MIB;
	add(10 * MIB, 0, 300)->level = 1;
	add(10 * MIB, 200, 600)->level = 2;
	add(10 * MIB, 601, 900)->level = 2;
	add(10 * MIB, 0, 199)->level = 2;
	infos[3].min_timestamp = 21;	/* not in the way, but overlapped */
	may_go(0, 1, 1);
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert_uint_eq(pick.level, 2);
	ck_assert_uint_eq(pick.output_size, 10 * MIB);
	ck_assert(pick.purges);
	strategy_release(&pick);
	ck_assert_str_eq(picked(&pick), "1 2 4");
}
END_TEST

START_TEST(windows_are_not_mixed_in_a_purge)
{
	struct strategy_pick pick;

	options.strategy = LSM_TIME_WINDOW;
	add_day(5 * MIB, 6);
	add_day(5 * MIB, 7);
	may_go(0, 0.9, 1);
	ck_assert_str_eq(picked(&pick), "1");
	may_go(0, 0, -1);
	may_go(1, 0.9, 1);
	ck_assert_str_eq(picked(&pick), "");
	request.urgent = true;
	ck_assert_str_eq(picked(&pick), "1 2");
	request.urgent = false;
	/* A file that will soon be dropped whole is not rewritten. */
	infos[0].min_timestamp = INT64_MAX;
	ck_assert_str_eq(picked(&pick), "2");
	infos[1].has_permanent = false;
	ck_assert_str_eq(picked(&pick), "");
	infos[1].max_local_time = NOW + 200000;
	ck_assert_str_eq(picked(&pick), "2");
}
END_TEST

/* A damaged file of a level does not keep others there. */
START_TEST(damaged_files_are_left_out)	/* _i: strategy */
{
	struct strategy_pick pick;
	int i;

	options.strategy = all[_i];
	for (i = 0; i < 5; i++)
		add(5 * MIB, 0, 999);
	files[2].left_out = true;
	ck_assert_str_eq(picked(&pick), "1 2 4 5");
	ck_assert_int_eq(strategy_pick_all(&pick, &request), 1);
	ck_assert_uint_eq(pick.count, 4);
	strategy_release(&pick);
}
END_TEST

/* Many files of one level side by side, and some of them thick: what is merged
 * overlaps, or it would continue for ever. */
START_TEST(too_many_files_are_merged_where_they_overlap)
{
	struct strategy_pick pick;
	int i;

	for (i = 0; i < 60; i++)	/* a chain of small ones */
		add(5 * MIB, i * 10, i * 10 + 10);
	for (i = 0; i < 4; i++)
		add(6 * MIB, 300, 312);
	ck_assert_str_eq(picked(&pick), "30 31 61 62 63 64");
}
END_TEST

START_TEST(unified_merges_what_overlaps)
{
	struct strategy_pick pick;
	int i;

	for (i = 0; i < 8; i++)		/* side by side: nothing to do */
		add(2 * MIB, i * 100, i * 100 + 90);
	ck_assert_str_eq(picked(&pick), "");
	for (i = 0; i < 3; i++)
		add(2 * MIB, 120, 210);
	ck_assert_str_eq(picked(&pick), "2 3 9 10 11");
	begin();
	for (i = 0; i < 2; i++)		/* dense: two are enough */
		add(300 * MIB, 0, 999);
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert_uint_eq(pick.shards, 4);
	ck_assert_uint_eq(pick.output_size, 1024 * MIB);
	strategy_release(&pick);
	/* A shard of a dense table is dense, however small. */
	begin();
	for (i = 0; i < 2; i++)
		add(10 * MIB, 500, 510);
	ck_assert_str_eq(picked(&pick), "1 2");
	begin();
	for (i = 0; i < 2; i++)
		add(10 * MIB, 0, 999);
	ck_assert_str_eq(picked(&pick), "");
}
END_TEST

START_TEST(a_few_small_files_side_by_side_are_let_be)
{
	struct strategy_pick pick;
	int i;

	for (i = 0; i < 32; i++)
		add(MIB + (uint64_t)i, i * 10, i * 10 + 5);
	ck_assert_str_eq(picked(&pick), "");
	add(200, 900, 900);
	ck_assert_int_eq(strategy_pick(&pick, &request), 1);
	ck_assert_uint_eq(pick.count, 32);
	ck_assert_uint_eq(pick.shards, 0);
	ck_assert_uint_eq(pick.output_size, 0);
	strategy_release(&pick);
	for (i = 0; i < 33; i++)
		files[i].left_out = true;
	ck_assert_str_eq(picked(&pick), "");
}
END_TEST

SUITE(strategy)
{
	TCase *tc = tcase_create("strategy");

	tcase_add_checked_fixture(tc, begin, NULL);
	tcase_add_loop_test(tc, a_strategy_finds_nothing_to_do, 0,
			    ARRAY_SIZE(all));
	tcase_add_test(tc, tiers_of_similar_size);
	tcase_add_test(tc, levels_do_not_overlap);
	tcase_add_test(tc, a_full_level_moves_on);
	tcase_add_test(tc, windows_are_not_mixed);
	tcase_add_loop_test(tc, dead_files_go_whole, 0, ARRAY_SIZE(all));
	tcase_add_loop_test(tc, files_with_many_tombstones_go_at_once, 0,
			    ARRAY_SIZE(all));
	tcase_add_loop_test(tc, files_that_keep_tombstones_come_along, 0,
			    ARRAY_SIZE(all));
	tcase_add_loop_test(tc, files_with_few_tombstones_go_later, 0,
			    ARRAY_SIZE(all));
	tcase_add_test(tc, levels_stay_apart_in_a_purge);
	tcase_add_test(tc, windows_are_not_mixed_in_a_purge);
	tcase_add_loop_test(tc, damaged_files_are_left_out, 0,
			    ARRAY_SIZE(all));
	tcase_add_test(tc, too_many_files_are_merged_where_they_overlap);
	tcase_add_test(tc, unified_merges_what_overlaps);
	tcase_add_test(tc, a_few_small_files_side_by_side_are_let_be);
	suite_add_tcase(suite, tc);
}
