/*
 * The options that tables have for the engine; their effects on the files that
 * it writes; and that ALTER TABLE acts at once.
 */
#include <stdio.h>

#include "store/engine_options.h"
#include "store/schema/options.h"
#include "store/schema/table_edit.h"
#include "store/table/inner.h"
#include "tests/lib/answers.h"
#include "tests/lib/random.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store store;
static struct cql_session *session;

static void run(const char *statement)
{
	struct buf why = BUF_INIT;
	int err = answer_to(session, statement, &why);

	ck_assert_msg(!err, "%s: %s", statement, buf_cstr(&why));
	buf_release(&why);
}

static void begin(void)
{
	test_store_open(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	run(TEST_KEYSPACE);
	run("USE k");
}

static void end(void)
{
	cql_session_free(session);
	test_store_close(&store);
}

/* Return the engine's options of a table that is made with these. */
static struct lsm_table_options with(const char *options)
{
	struct lsm_table_options got;
	char text[1000];
	struct table *t;

	run("DROP TABLE IF EXISTS t");
	snprintf(text, sizeof(text), "CREATE TABLE t (k int PRIMARY KEY, v "
		 "blob)%s%s", *options ? " WITH " : "", options);
	run(text);
	t = test_table(store.store, "k", "t");
	engine_options_of(&got, t);
	table_put(t);
	return got;
}

#define UNIFIED "compaction = {'class': 'UnifiedCompactionStrategy', "
#define TIERED "compaction = {'class': 'SizeTieredCompactionStrategy', "
#define WINDOWS "compaction = {'class': 'TimeWindowCompactionStrategy', "
#define LEVELS "compaction = {'class': 'LeveledCompactionStrategy', "
#define CLASS "compression = {'class': "
#define LZ4 "compression = {'class': 'LZ4Compressor', "
#define MIB ((uint64_t)1 << 20)

START_TEST(defaults_are_the_engines)
{
	static const char *const same[] = {
		"", TIERED "'max_threshold': 32}",
		"compaction = {'class': 'UnifiedCompactionStrategy'}",
		LZ4 "'chunk_length_in_kb': 16}",
	};
	struct lsm_table_options standard, got;

	lsm_table_defaults(&standard);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		got = with(same[i]);
		ck_assert_uint_eq(got.filter_bits, 10);
		got.filter_bits = 0;		/* the same */
		ck_assert_mem_eq(&got, &standard, sizeof(got));
	}
}
END_TEST

START_TEST(strategies)
{
	struct lsm_table_options o = with(TIERED "'bucket_low': 0.25, "
		"'bucket_high': 2.5, 'min_sstable_size': 1000, "
		"'min_threshold': 3, 'max_threshold': 7}");

	ck_assert_int_eq(o.strategy, LSM_SIZE_TIERED);
	ck_assert_double_eq(o.bucket_low, 0.25);
	ck_assert_double_eq(o.bucket_high, 2.5);
	ck_assert_uint_eq(o.small_sstable, 1000);
	ck_assert_uint_eq(o.min_threshold, 3);
	ck_assert_uint_eq(o.max_threshold, 7);
	o = with(LEVELS "'sstable_size_in_mb': 20, 'fanout_size': 5, "
			"'single_sstable_uplevel': false}");
	ck_assert_int_eq(o.strategy, LSM_LEVELED);
	ck_assert_uint_eq(o.sstable_size, 20 * MIB);
	ck_assert_uint_eq(o.fanout, 5);
	ck_assert(o.writes_to_rise);
	o = with(WINDOWS "'compaction_window_unit': 'HOURS', "
		 "'compaction_window_size': 6, 'timestamp_resolution': "
		 "'NANOSECONDS', 'expired_sstable_check_frequency_seconds': 60}");
	ck_assert_int_eq(o.strategy, LSM_TIME_WINDOW);
	ck_assert_int_eq(o.window_s, 6 * 3600);
	ck_assert_int_eq(o.timestamps_per_s, 1000000000);
	ck_assert_int_eq(o.expiry_check_s, 60);
	/* All cells expire by default, unless the table says how to compact. */
	o = with("default_time_to_live = 200");
	ck_assert_int_eq(o.strategy, LSM_TIME_WINDOW);
	ck_assert_int_eq(o.window_s, 11);
	o = with("default_time_to_live = 200 AND " UNIFIED
		 "'scaling_parameters': 'N'}");
	ck_assert_int_eq(o.strategy, LSM_UNIFIED);
	o = with("default_time_to_live = 200 AND " TIERED "'log_all': false}");
	ck_assert_int_eq(o.strategy, LSM_SIZE_TIERED);
}
END_TEST

START_TEST(unified)
{
	static const int32_t scaling[] = { 2, -8, 0, -3, 5, 0 };
	char text[900] = UNIFIED "'scaling_parameters': '";
	struct lsm_table_options o = with(UNIFIED "'scaling_parameters': "
		"'T4, L10,N ,-3,+5 , L2', 'target_sstable_size': '2GiB', "
		"'flush_size_override': '8 MiB', 'min_sstable_size': '0B', "
		"'base_shard_count': 6, 'sstable_growth': '33.5%', "
		"'max_sstables_to_compact': 9, 'overlap_inclusion_method': "
		"'single', 'expired_sstable_check_frequency_seconds': 5}");
	int i;

	ck_assert_int_eq(o.strategy, LSM_UNIFIED);
	ck_assert_uint_eq(o.scaling_count, ARRAY_SIZE(scaling));
	ck_assert_mem_eq(o.scaling, scaling, sizeof(scaling));
	ck_assert_uint_eq(o.sstable_size, 2048 * MIB);
	ck_assert_uint_eq(o.flush_size, 8 * MIB);
	ck_assert_uint_eq(o.least_size, 1);
	ck_assert_uint_eq(o.base_shards, 6);
	ck_assert_double_eq_tol(o.growth, 0.335, 1e-9);
	ck_assert_uint_eq(o.most_files, 9);
	ck_assert_int_eq(o.overlap, LSM_OVERLAP_SINGLE);
	ck_assert_int_eq(o.expiry_check_s, 5);
	o = with(UNIFIED "'max_sstables_to_compact': -1, "
			 "'target_sstable_size': '99999999TiB'}");
	ck_assert_uint_eq(o.most_files, UINT32_MAX);
	/* More than there are levels. */
	for (i = 0; i < 100; i++)
		strcat(text, "T3,");
	strcat(text, "L7'}");
	o = with(text);
	ck_assert_uint_eq(o.scaling_count, LSM_MOST_LEVELS);
	ck_assert_int_eq(o.scaling[LSM_MOST_LEVELS - 1], 1);
}
END_TEST

START_TEST(options_of_every_strategy)	/* _i: which */
{
	static const char *const classes[] = { UNIFIED, TIERED, LEVELS,
					       WINDOWS };
	struct lsm_table_options o;
	char text[900];

	snprintf(text, sizeof(text), "%s'enabled': false, 'log_all': true, "
		 "'tombstone_threshold': 0.5, 'tombstone_compaction_interval': "
		 "100, 'unchecked_tombstone_compaction': true, "
		 "'only_purge_repaired_tombstones': true, "
		 "'provide_overlapping_tombstones': 'row'}", classes[_i]);
	o = with(text);
	ck_assert(!o.compaction_enabled && o.log_compactions);
	ck_assert_double_eq(o.tombstone_threshold, 0.5);
	ck_assert_int_eq(o.tombstone_interval_s, 100);
	ck_assert(o.unchecked_tombstones && o.overlapping_tombstones);
	snprintf(text, sizeof(text), "%s'provide_overlapping_tombstones': "
		 "'none', 'tombstone_threshold': 'NaN'}", classes[_i]);
	o = with(text);
	ck_assert(!o.overlapping_tombstones && o.compaction_enabled);
	ck_assert_double_eq(o.tombstone_threshold, 0.2);
}
END_TEST

START_TEST(options_of_blocks_and_filters)
{
	struct lsm_table_options o = with(LZ4 "'chunk_length_in_kb': 64, "
		"'min_compress_ratio': 1.5, 'lz4_compressor_type': 'high', "
		"'lz4_high_compressor_level': 17} AND "
		"bloom_filter_fp_chance = 0.0001");

	ck_assert_uint_eq(o.block_size, 65536);
	ck_assert_double_eq(o.least_ratio, 1.5);
	ck_assert_uint_eq(o.compression.level, 12);
	ck_assert_uint_eq(o.filter_bits, 20);
	o = with(LZ4 "'lz4_compressor_type': 'high', 'chunk_length_in_kb': "
		     "4096}");
	ck_assert_uint_eq(o.compression.level, 9);
	ck_assert_uint_eq(o.block_size, 1 << 20);
	o = with("compression = {'class': 'NoopCompressor'} AND "
		 "bloom_filter_fp_chance = 1");
	ck_assert_int_eq(o.compression.how, BLOCK_RAW);
	ck_assert_uint_eq(o.filter_bits, 1);
	o = with("compression = {'class': 'ZstdCompressor', "
		 "'compression_level': 7} AND bloom_filter_fp_chance = 0.1");
	ck_assert_int_eq(o.compression.how, BLOCK_ZSTD);
	ck_assert_int_eq(o.compression.level, 7);
	ck_assert_uint_eq(o.filter_bits, 5);
	o = with("compression = {'class': 'DeflateCompressor'}");
	ck_assert_int_eq(o.compression.how, BLOCK_DEFLATE);
	o = with("compression = {'enabled': false}");
	ck_assert_int_eq(o.compression.how, BLOCK_RAW);
}
END_TEST

/* A catalogue may be damaged, and still be read. */
START_TEST(invalid_options_are_not_set)
{
	static const char *const names[] = {
		"class", "enabled", "scaling_parameters", "sstable_growth",
		"target_sstable_size", "min_sstable_size", "base_shard_count",
		"max_sstables_to_compact", "tombstone_threshold",
		"compaction_window_size", "compaction_window_unit",
		"fanout_size", "sstable_size_in_mb", "timestamp_resolution",
		"min_threshold", "bucket_low", "flush_size_override",
	};
	static const char *const values[] = {
		"", "-", "T", "L", ",", ",,,", "T1", "x", "%", ".", "99e999",
		"-99999999999999999999", "99999999999999999999", "0", "\xff", "9B",
		"UnifiedCompactionStrategy", "LeveledCompactionStrategy",
		"TimeWindowCompactionStrategy",
	};
	struct random rng = random_seeded(1);
	struct table *t = table_new("k", "t");
	struct table_options *to = &t->options;
	struct lsm_table_options o;
	int i;

	for (i = 0; i < 20000; i++) {
		ck_assert_int_eq(options_set(&to->compaction,
			&to->compaction_count,
			names[random_below(&rng, ARRAY_SIZE(names))],
			values[random_below(&rng, ARRAY_SIZE(values))]), 0);
		engine_options_of(&o, t);
		ck_assert_uint_ge(o.scaling_count, 1);
		ck_assert_uint_le(o.scaling_count, LSM_MOST_LEVELS);
		ck_assert_int_ge(o.window_s, 1);
		ck_assert_int_ge(o.timestamps_per_s, 1);
		ck_assert_uint_ge(o.base_shards, 1);
		ck_assert_uint_ge(o.fanout, 1);
		ck_assert(o.compaction_enabled);
		ck_assert(!o.sstable_size || o.sstable_size >= MIB);
		ck_assert_uint_ge(o.flush_size, MIB);
		ck_assert(o.growth >= 0 && o.growth <= 1);
		ck_assert(o.tombstone_threshold == o.tombstone_threshold);
	}
	table_put(t);
}
END_TEST

/* -------------------------------------------------------------------- files */
static void stats_of(struct lsm_table_stats *stats)
{
	struct table *t = test_table(store.store, "k", "t");

	store_table_stats(store.store, t, stats);
	table_put(t);
}

/* Return the size of 2000 rows of text that repeats itself after some KiB. */
static uint64_t size_with(const char *options)
{
	struct random rng = random_seeded(7);
	struct buf rows[40] = { BUF_INIT }, statement = BUF_INIT;
	struct lsm_table_stats stats;
	int i, j;

	with(options);
	for (i = 0; i < 40; i++)
		for (j = 0; j < 40; j++)
			buf_add_format(&rows[i], "%02x",
				       (unsigned)random_below(&rng, 90));
	for (i = 0; i < 2000; i++) {
		buf_clear(&statement);
		buf_add_format(&statement, "INSERT INTO t (k, v) VALUES (%d, "
			       "0x%s)", i,
			       buf_cstr(&rows[random_below(&rng, 40)]));
		run(buf_cstr(&statement));
	}
	for (i = 0; i < 40; i++)
		buf_release(&rows[i]);
	buf_release(&statement);
	ck_assert_int_eq(store_flush(store.store, NULL), 0);
	stats_of(&stats);
	return stats.sstable_bytes;
}

START_TEST(files_are_written_so)
{
	uint64_t standard = size_with(""), other;

	other = size_with(LZ4 "'chunk_length_in_kb': 64}");
	ck_assert_uint_lt(other, standard * 9 / 10);
	other = size_with(LZ4 "'chunk_length_in_kb': 2}");
	ck_assert_uint_gt(other, standard * 11 / 10);
	other = size_with(LZ4 "'lz4_compressor_type': 'high'}");
	ck_assert_uint_lt(other, standard);
	other = size_with(LZ4 "'min_compress_ratio': 50}");
	ck_assert_uint_gt(other, standard * 11 / 10);
	ck_assert_uint_le(other,
			  size_with("compression = {'enabled': false}") + 9000);
	other = size_with(CLASS "'ZstdCompressor'}");
	ck_assert_uint_lt(other, standard * 9 / 10);
	ck_assert_uint_lt(size_with(CLASS "'ZstdCompressor', "
				    "'compression_level': 19}"), other);
	other = size_with(CLASS "'DeflateCompressor'}");
	ck_assert_uint_lt(other, standard * 9 / 10);
	other = size_with("bloom_filter_fp_chance = 0.0001");
	ck_assert_uint_ge(other, standard + 2000);
}
END_TEST

static uint64_t file_count(void)
{
	struct lsm_table_stats stats;

	ck_assert_int_eq(lsm_settle(store.store->lsm), 0);
	stats_of(&stats);
	return stats.sstable_count;
}

static void add_files(int files)
{
	char text[100];
	int i;

	for (i = 0; i < files; i++) {
		snprintf(text, sizeof(text), "INSERT INTO t (k, v) VALUES (%d, "
			 "0x00)", i);
		run(text);
		run("INSERT INTO t (k, v) VALUES (9, 0x00)");
		ck_assert_int_eq(store_flush(store.store, NULL), 0);
	}
}

START_TEST(altering_acts_at_once)
{
	with(TIERED "'min_threshold': 8}");
	add_files(3);
	ck_assert_uint_eq(file_count(), 3);
	run("ALTER TABLE t WITH " TIERED "'min_threshold': 3}");
	ck_assert_uint_eq(file_count(), 1);
	with(UNIFIED "'scaling_parameters': 'T8'}");
	add_files(5);
	ck_assert_uint_eq(file_count(), 5);
	run("ALTER TABLE t WITH " UNIFIED "'scaling_parameters': 'T8', "
	    "'enabled': false}");
	add_files(5);
	ck_assert_uint_eq(file_count(), 10);
	run("ALTER TABLE t WITH " UNIFIED "'scaling_parameters': 'N', "
	    "'enabled': false}");
	ck_assert_uint_eq(file_count(), 10);
	run("ALTER TABLE t WITH " UNIFIED "'scaling_parameters': 'N', "
	    "'max_sstables_to_compact': 2}");
	ck_assert_uint_eq(file_count(), 1);
}
END_TEST

/* A merge also looks at the files that it does not merge. */
START_TEST(deleted_rows_go_early)	/* _i: with the option */
{
	struct lsm_table_stats stats;
	char text[100];
	int i;

	with(TIERED "'enabled': false}");
	for (i = 0; i < 400; i++) {
		snprintf(text, sizeof(text), "INSERT INTO t (k, v) VALUES (%d, "
			 "0x%016x)", i, i);
		run(text);
		if (i == 199)
			ck_assert_int_eq(store_flush(store.store, NULL), 0);
	}
	ck_assert_int_eq(store_flush(store.store, NULL), 0);
	for (i = 0; i < 300; i += 3) {
		snprintf(text, sizeof(text), "DELETE FROM t WHERE k = %d", i);
		run(text);
	}
	ck_assert_int_eq(store_flush(store.store, NULL), 0);
	ck_assert_uint_eq(file_count(), 3);
	run(_i ? "ALTER TABLE t WITH " TIERED "'min_threshold': 2, "
		 "'bucket_low': 0.9, 'bucket_high': 1.1, 'min_sstable_size': 0,"
		 "'provide_overlapping_tombstones': 'ROW'}" :
		 "ALTER TABLE t WITH " TIERED "'min_threshold': 2, "
		 "'bucket_low': 0.9, 'bucket_high': 1.1, 'min_sstable_size': 0}");
	ck_assert_uint_eq(file_count(), 2);
	stats_of(&stats);
	ck_assert_uint_eq(stats.row_estimate, _i ? 300 : 400);
}
END_TEST

SUITE(engine_options)
{
	TCase *tc = tcase_create("engine_options");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, defaults_are_the_engines);
	tcase_add_test(tc, strategies);
	tcase_add_test(tc, unified);
	tcase_add_loop_test(tc, options_of_every_strategy, 0, 4);
	tcase_add_test(tc, options_of_blocks_and_filters);
	tcase_add_test(tc, invalid_options_are_not_set);
	tcase_add_test(tc, files_are_written_so);
	tcase_add_test(tc, altering_acts_at_once);
	tcase_add_loop_test(tc, deleted_rows_go_early, 0, 2);
	suite_add_tcase(suite, tc);
}
