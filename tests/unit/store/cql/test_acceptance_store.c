/*
 * Rows of the acceptance list (tests/acceptance) that ask what is stored
 * rather than what is answered: row 2.14, row 2.19, row 4.1, row 4.2, row 4.3,
 * row 4.16, and row 1.17 on disk.
 */
#include <stdio.h>

#include "store/base/clock.h"
#include "store/cql/cql.h"
#include "store/lsm/lsm.h"
#include "tests/lib/answers.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

#define BEGIN_S 2524608000LL

static struct test_store store;
static struct cql_session *session;

static void begin(const char *table)
{
	clock_set_us(BEGIN_S * 1000000);
	test_store_open(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	ck_assert_int_eq(answer_to(session, TEST_KEYSPACE, NULL), 0);
	ck_assert_int_eq(answer_to(session, table, NULL), 0);
}

static void end(void)
{
	cql_session_free(session);
	test_store_close(&store);
	clock_set_us(INT64_MIN);
}

static void run(const char *statement)
{
	ck_assert_msg(!answer_to(session, statement, NULL), "%s: %s", statement,
		      cql_session_error(session)->message);
}

static void answers(const char *statement, const char *expected)
{
	struct buf out = BUF_INIT;

	answer_to(session, statement, &out);
	buf_add_byte(&out, 0);
	ck_assert_str_eq((char *)out.ptr, expected);
	buf_release(&out);
}

static struct lsm_table_stats stats_of(const char *name)
{
	struct table *t = test_table(store.store, "k", name);
	struct lsm_table_stats stats;

	store_table_stats(store.store, t, &stats);
	table_put(t);
	return stats;
}

static void flush(void)
{
	ck_assert_int_eq(store_flush(store.store, NULL), 0);
}

static void compact(void)
{
	ck_assert_int_eq(store_compact(store.store, NULL), 0);
}

/* row 4.2, row 4.3: a log, a file for each flush, one after a compaction. */
START_TEST(versions_are_merged_later)
{
	struct lsm_stats before, after;

	begin("CREATE TABLE k.t (k int PRIMARY KEY, v text)");
	store_stats(store.store, &before);
	run("UPDATE k.t SET v = 'one' WHERE k = 1");
	store_stats(store.store, &after);
	ck_assert_uint_gt(after.bytes_written, before.bytes_written);
	ck_assert_uint_gt(stats_of("t").memtable_bytes, 0);
	ck_assert_uint_eq(stats_of("t").sstable_count, 0);
	flush();
	ck_assert_uint_eq(stats_of("t").sstable_count, 1);
	run("UPDATE k.t SET v = 'two' WHERE k = 1");
	flush();
	ck_assert_uint_eq(stats_of("t").sstable_count, 2);
	answers("SELECT v FROM k.t WHERE k = 1", "[\"two\"]\n");
	compact();
	ck_assert_uint_eq(stats_of("t").sstable_count, 1);
	ck_assert_uint_eq(stats_of("t").row_estimate, 1);
	answers("SELECT v FROM k.t WHERE k = 1", "[\"two\"]\n");
	end();
}
END_TEST

/* row 4.1: filters keep a read off the files that do not hold its key. */
START_TEST(a_read_touches_the_files_of_its_key)
{
	struct lsm_stats before, after;
	char statement[64];

	begin("CREATE TABLE k.t (k int PRIMARY KEY, v int)");
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 300; k++) {
			snprintf(statement, sizeof(statement),
				 "INSERT INTO k.t (k, v) VALUES (%d, 1)",
				 3 * k + i);
			run(statement);
		}
		flush();
	}
	ck_assert_uint_eq(stats_of("t").sstable_count, 3);
	store_stats(store.store, &before);
	for (int k = 0; k < 100; k++) {
		snprintf(statement, sizeof(statement),
			 "SELECT v FROM k.t WHERE k = %d", k);
		answers(statement, "[1]\n");
	}
	store_stats(store.store, &after);
	ck_assert_uint_gt(after.filter_skips, before.filter_skips);
	ck_assert_uint_le(after.sstables_read - before.sstables_read, 120);
	end();
}
END_TEST

/* row 2.19: an expired value becomes a tombstone, which goes in its time. */
START_TEST(expired_values_go_in_two_steps)
{
	begin("CREATE TABLE k.t (k int PRIMARY KEY, v text) "
	      "WITH gc_grace_seconds = 100");
	run("INSERT INTO k.t (k, v) VALUES (1, 'x') USING TTL 10");
	flush();
	compact();
	ck_assert_uint_eq(stats_of("t").row_estimate, 1);
	answers("SELECT v FROM k.t", "[\"x\"]\n");
	clock_set_us((BEGIN_S + 20) * 1000000);
	answers("SELECT v FROM k.t", "");
	compact();
	ck_assert_uint_eq(stats_of("t").row_estimate, 1);
	ck_assert_uint_gt(stats_of("t").tombstones, 0);
	clock_set_us((BEGIN_S + 200) * 1000000);
	compact();
	ck_assert_uint_eq(stats_of("t").row_estimate, 0);
	ck_assert_uint_eq(stats_of("t").tombstones, 0);
	end();
}
END_TEST

/* row 4.16: files whose data have all expired go whole. */
START_TEST(whole_files_expire)
{
	begin("CREATE TABLE k.t (k int PRIMARY KEY, v text) WITH "
	      "default_time_to_live = 60 AND gc_grace_seconds = 0 AND "
	      "compaction = {'class': 'TimeWindowCompactionStrategy', "
	      "'compaction_window_unit': 'MINUTES', "
	      "'compaction_window_size': 1}");
	run("INSERT INTO k.t (k, v) VALUES (1, 'x')");
	flush();
	clock_set_us((BEGIN_S + 120) * 1000000);
	run("INSERT INTO k.t (k, v) VALUES (2, 'y')");
	flush();
	compact();
	ck_assert_uint_eq(stats_of("t").row_estimate, 1);
	answers("SELECT k FROM k.t", "[2]\n");
	clock_set_us((BEGIN_S + 240) * 1000000);
	compact();
	ck_assert_uint_eq(stats_of("t").sstable_count, 0);
	end();
}
END_TEST

/* row 2.14: one partition for a user, its rows in the order of tweet_id. */
START_TEST(a_file_holds_rows_in_order)
{
	static const char *const first[] = { "9", "1", "5" };
	char statement[160];

	begin("CREATE TABLE k.timeline (user_id text, tweet_id uuid, "
	      "body text, PRIMARY KEY (user_id, tweet_id))");
	for (int i = 0; i < 6; i++) {
		snprintf(statement, sizeof(statement),
			 "INSERT INTO k.timeline (user_id, tweet_id, body) "
			 "VALUES ('%s', %sa6300ca-0572-4736-a393-c0b7229e193e, "
			 "'%s')", i < 3 ? "gmason" : "ahamilton", first[i % 3],
			 first[i % 3]);
		run(statement);
	}
	flush();
	ck_assert_uint_eq(stats_of("timeline").sstable_count, 1);
	ck_assert_uint_eq(stats_of("timeline").partition_estimate, 2);
	ck_assert_uint_eq(stats_of("timeline").row_estimate, 6);
	answers("SELECT body FROM k.timeline", "[\"1\"]\n[\"5\"]\n[\"9\"]\n"
		"[\"1\"]\n[\"5\"]\n[\"9\"]\n");
	end();
}
END_TEST

/* row 1.17: what a batch wrote into two tables comes back together. */
START_TEST(a_batch_survives_together)
{
	begin("CREATE TABLE k.a (k int PRIMARY KEY, v int)");
	run("CREATE TABLE k.b (k int PRIMARY KEY, v int)");
	run("BEGIN BATCH INSERT INTO k.a (k, v) VALUES (1, 2); INSERT INTO "
	    "k.b (k, v) VALUES (3, 4); APPLY BATCH");
	cql_session_free(session);
	test_store_reopen(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	answers("SELECT k, v FROM k.a", "[1,2]\n");
	answers("SELECT k, v FROM k.b", "[3,4]\n");
	end();
}
END_TEST

SUITE(acceptance_store)
{
	TCase *tc = tcase_create("stored");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, versions_are_merged_later);
	tcase_add_test(tc, a_read_touches_the_files_of_its_key);
	tcase_add_test(tc, expired_values_go_in_two_steps);
	tcase_add_test(tc, whole_files_expire);
	tcase_add_test(tc, a_file_holds_rows_in_order);
	tcase_add_test(tc, a_batch_survives_together);
	suite_add_tcase(suite, tc);
}
