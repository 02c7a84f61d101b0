/*
 * Statements of a great many parts: what they take grows as they do. Where the
 * work would grow with the square of it, a test ends after the suite's
 * patience, which is ten times and more what it takes.
 */
#include <malloc.h>
#include <stdio.h>

#include "store/cql/cql.h"
#include "store/cql/statement/statement.h"
#include "store/type/json/print.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

#define MANY 200000
#define PATIENCE_S 20

static struct test_store store;
static struct cql_session *session;
static struct buf cql;

/* Run what stands in cql, and empty it. The first value, or -errno's
 * message. */
static void gives(const char *expected)
{
	struct cql_result *result;
	const struct bytes *values;
	struct buf shown = BUF_INIT;

	if (cql_execute(session, buf_bytes(&cql), &result))
		buf_add_str(&shown, cql_session_error(session)->message);
	else if (cql_result_next(result, &values) > 0)
		type_print_json(&shown, cql_result_columns(result)[0].type,
				values[0]);
	ck_assert_str_eq(buf_cstr(&shown), expected);
	cql_result_free(result);
	buf_release(&shown);
	buf_clear(&cql);
}

static void statement(const char *text, const char *expected)
{
	buf_add_str(&cql, text);
	gives(expected);
}

/* before, so many of each (with %d), after */
static void add_many(const char *before, int count, const char *each,
		     const char *between, const char *after)
{
	char text[64];

	buf_add_str(&cql, before);
	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), each, i);
		buf_add_str(&cql, i ? between : "");
		buf_add_str(&cql, text);
	}
	buf_add_str(&cql, after);
}

static void setup(void)
{
	test_store_open(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	cql = BUF_INIT;
	statement("CREATE KEYSPACE w WITH replication = {'class': "
		  "'SimpleStrategy', 'replication_factor': 1}", "");
	statement("USE w", "");
	statement("CREATE TABLE t (k int PRIMARY KEY, l list<int>, "
		  "s set<int>)", "");
}

static void teardown(void)
{
	buf_release(&cql);
	cql_session_free(session);
	test_store_close(&store);
}

START_TEST(elements_are_taken_from_a_long_list)
{
	add_many("UPDATE t SET l = [", MANY, "%d", ", ", "] WHERE k = 1");
	gives("");
	add_many("UPDATE t SET l = l - [", MANY / 2, "%d", ", ",
		 "], l[1] = -1 WHERE k = 1");
	gives("");
	buf_add_str(&cql, "UPDATE t SET l = l - [0");
	for (int i = MANY - 2; i > MANY / 2 + 1; i--)
		buf_add_format(&cql, ", %d", i);
	buf_add_str(&cql, "] WHERE k = 1");
	gives("");
	statement("SELECT l FROM t WHERE k = 1", "[100000, -1, 199999]");
}
END_TEST

START_TEST(a_long_list_is_put_before_another)
{
	statement("UPDATE t SET l = [5, 6] WHERE k = 1", "");
	statement("UPDATE t SET l = [3, 4] + l, l = [1, 2] + l, l[1] = 9, "
		  "l = l + [7], l[4] = 8, l = l - [3, 9] WHERE k = 1", "");
	statement("SELECT l FROM t WHERE k = 1", "[1, 4, 8, 6, 7]");
	add_many("UPDATE t SET l = [", MANY, "%d", ", ", "] + l, l[0] = 0");
	buf_add_str(&cql, " WHERE k = 1");
	gives("");
	add_many("UPDATE t SET l = l - [", MANY, "%d", ", ", "] WHERE k = 1");
	gives("");
	statement("SELECT l FROM t WHERE k = 1", "");
}
END_TEST

/* A list that a statement of a batch looks at is gone before the next does. */
START_TEST(a_batch_keeps_no_lists)
{
	enum { LONG = 3000, STATEMENTS = 300 };
	struct cql_result *result;
	struct mallinfo2 before;

	add_many("UPDATE t SET l = [", LONG, "%d", ", ", "] WHERE k = 1");
	gives("");
	add_many("BEGIN BATCH ", STATEMENTS,
		 "UPDATE t SET l = l - [%d] WHERE k = 1; ", "",
		 "APPLY BATCH");
	before = mallinfo2();
	ck_assert_int_eq(cql_execute(session, buf_bytes(&cql), &result), 0);
	ck_assert_uint_lt(mallinfo2().uordblks + mallinfo2().hblkhd,
			  before.uordblks + before.hblkhd +
				  (size_t)LONG * STATEMENTS * 8);
	cql_result_free(result);
}
END_TEST

START_TEST(names_are_not_compared_with_each)
{
	buf_add_str(&cql, "INSERT INTO t (k, ");
	add_many("", MANY, "c%d", ", ", ") VALUES (");
	add_many("", MANY + 1, "%d", ", ", ")");
	gives("Undefined column name c0 in table w.t");
	buf_add_str(&cql, "INSERT INTO t (k, ");
	add_many("", MANY, "c%d", ", ", ", c7) VALUES (");
	add_many("", MANY + 2, "%d", ", ", ")");
	gives("The column names contains duplicates");
	add_many("UPDATE t SET ", MANY, "c%d = 1", ", ", " WHERE k = 1");
	gives("Undefined column name c0 in table w.t");
	add_many("UPDATE t SET ", MANY, "c%d = 1", ", ", ", c7 = 1 WHERE k = 1");
	gives("Multiple incompatible setting of column c7");
}
END_TEST

START_TEST(names_of_a_schema_are_not_compared_with_each)
{
	add_many("ALTER TABLE t DROP IF EXISTS (", MANY, "c%d", ", ", ", s)");
	gives("");
	add_many("CREATE TABLE u (k int, c int, PRIMARY KEY (k, c)) WITH "
		 "CLUSTERING ORDER BY (", MANY, "c%d ASC", ", ", ", c7 ASC)");
	gives("Duplicate column 'c7' in CLUSTERING ORDER BY clause for table "
	      "'u'");
}
END_TEST

START_TEST(relations_are_not_compared_with_each)
{
	statement("UPDATE t SET s = {1, 2} WHERE k = 1", "");
	add_many("SELECT k FROM t WHERE ", MANY, "s CONTAINS 2", " AND ",
		 " ALLOW FILTERING");
	gives("1");
	add_many("SELECT k FROM t WHERE token(", 2 * MANY, "k", ", ", ") > 1");
	gives("The token() function contains duplicate partition key "
	      "components");
}
END_TEST

/* A statement has its space until it runs; what it reads is not counted. */
/* Nor does one that is gone read those after it, or are they compared. */
START_TEST(partitions_of_a_list_are_read_alone)
{
	statement("CREATE TABLE p (k int, c int, v int, PRIMARY KEY (k, c))",
		  "");
	add_many("UPDATE p SET v = 1 WHERE k IN (", MANY / 4, "%d", ", ",
		 ") AND c = 1");
	gives("");
	add_many("SELECT count(*) FROM p WHERE k IN (", MANY, "%d", ", ", ")");
	gives("50000");
	add_many("SELECT c FROM p WHERE k IN (", MANY / 10, "%d", ", ",
		 ") ORDER BY c");
	gives("1");
	add_many("DELETE FROM p WHERE k IN (", MANY / 4, "%d", ", ", ")");
	gives("");
	add_many("SELECT c FROM p WHERE k IN (", MANY / 4, "%d", ", ", ")");
	gives("");
	add_many("SELECT c FROM p WHERE k IN (", MANY / 10, "%d", ", ",
		 ") ORDER BY c");
	gives("");
}
END_TEST

START_TEST(a_statement_has_a_bound)
{
	static const char full[] =
		"out of memory (until it runs a statement has 1 MiB)";

	session->space = 1 << 20;
	add_many("UPDATE t SET l = [", 1000, "%d", ", ", "] WHERE k = 1");
	gives("");
	for (int i = 0; i < 3; i++) {
		add_many("UPDATE t SET l = [", MANY / 20, "%d", ", ",
			 "] WHERE k = 1");
		gives(full);
		add_many("BEGIN BATCH ", 2000, "UPDATE t SET l = [%d] WHERE "
			 "k = 2; ", "", "APPLY BATCH");
		gives(full);
		add_many("SELECT k FROM t WHERE k IN (", MANY / 20, "%d", ", ",
			 ")");
		gives(full);
	}
	session->space = (size_t)1 << 30;
	add_many("UPDATE t SET l = [", MANY, "%d", ", ", "] WHERE k = 1");
	gives("");
	session->space = 1 << 20;
	statement("UPDATE t SET s = {1} WHERE k = 1 IF l CONTAINS 7", "true");
	statement("BEGIN BATCH UPDATE t SET s = {2} WHERE k = 1 IF l CONTAINS "
		  "7; APPLY BATCH", "true");
	statement("SELECT s FROM t", "[2]");
}
END_TEST

/* The rows of a few partitions are merged, those of many sorted: they are the
 * same rows, and a cursor of each partition is not there to take memory. */
START_TEST(rows_of_many_partitions_are_sorted)
{
	static const char *const orders[] = { "", " DESC", " LIMIT 7",
					      " DESC LIMIT 7",
					      " PER PARTITION LIMIT 2" };
	struct cql_result *few, *all;
	const struct bytes *a, *b;
	struct mallinfo2 before;
	char text[200];
	int more, rows;

	statement("CREATE TABLE o (k int, c int, d int, v text, PRIMARY KEY (k, "
		  "c, d))", "");
	for (int i = 0; i < 600; i++) {
		snprintf(text, sizeof(text), "INSERT INTO o (k, c, d, v) VALUES "
			 "(%d, %d, %d, 'v%d')", i * 31 % 100, i * 7 % 50, i, i);
		statement(text, "");
	}
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		add_many("SELECT v, k FROM o WHERE k IN (", MANY / 2, "%d", ", ",
			 ") ORDER BY c");
		buf_add_str(&cql, orders[i]);
		before = mallinfo2();
		ck_assert_int_eq(cql_execute(session, buf_bytes(&cql), &all), 0);
		more = cql_result_next(all, &a);
		ck_assert_int_eq(more, 1);
		ck_assert_uint_lt(mallinfo2().uordblks + mallinfo2().hblkhd,
				  before.uordblks + before.hblkhd +
					  (size_t)MANY / 2 * 1000);
		buf_clear(&cql);
		add_many("SELECT v, k FROM o WHERE k IN (", 100, "%d", ", ",
			 ") ORDER BY c");
		buf_add_str(&cql, orders[i]);
		ck_assert_int_eq(cql_execute(session, buf_bytes(&cql), &few), 0);
		for (rows = 0; more > 0; rows++) {
			ck_assert_int_eq(cql_result_next(few, &b), 1);
			ck_assert_msg(bytes_equal(a[0], b[0]) &&
				      bytes_equal(a[1], b[1]),
				      "%s, row %d: %.*s, not %.*s", orders[i],
				      rows, (int)a[0].len, a[0].ptr,
				      (int)b[0].len, b[0].ptr);
			more = cql_result_next(all, &a);
		}
		ck_assert_int_eq(more, 0);
		ck_assert_int_eq(cql_result_next(few, &b), 0);
		ck_assert_int_eq(rows, i < 2 ? 600 : i < 4 ? 7 : 200);
		cql_result_free(few);
		cql_result_free(all);
		buf_clear(&cql);
	}
}
END_TEST

/* Keys that an index finds are searched in the list, not compared with each. */
START_TEST(a_list_of_keys_beside_an_index)
{
	char text[100];

	statement("CREATE TABLE x (k int PRIMARY KEY, v int)", "");
	statement("CREATE INDEX ON x (v)", "");
	for (int i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "INSERT INTO x (k, v) VALUES (%d, 7)",
			 -i - 1);
		statement(text, "");
	}
	add_many("SELECT count(*) FROM x WHERE v = 7 AND k IN (-3, -19999, ",
		 MANY, "%d", ", ", ") ALLOW FILTERING");
	gives("2");
}
END_TEST

/* Between two statements a session has no more than a little. */
START_TEST(nothing_large_is_kept)
{
	enum { NESTED = 24 };
	struct mallinfo2 before;

	statement("INSERT INTO t (k) VALUES (1)", "");
	statement("SELECT k FROM t", "1");
	before = mallinfo2();
	buf_add_str(&cql, "SELECT k, ");
	for (int i = 0; i < NESTED; i++)
		buf_add_str(&cql, "to_json(");
	buf_add_str(&cql, "'\"'");
	for (int i = 0; i < NESTED; i++)
		buf_add_byte(&cql, ')');
	buf_add_str(&cql, " FROM t");
	gives("1");
	ck_assert_uint_lt(mallinfo2().uordblks + mallinfo2().hblkhd,
			  before.uordblks + before.hblkhd + (4 << 20));
}
END_TEST

SUITE(cql_work)
{
	TCase *tc = tcase_create("many");

	tcase_set_timeout(tc, PATIENCE_S);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, elements_are_taken_from_a_long_list);
	tcase_add_test(tc, a_long_list_is_put_before_another);
	tcase_add_test(tc, names_are_not_compared_with_each);
	tcase_add_test(tc, names_of_a_schema_are_not_compared_with_each);
	tcase_add_test(tc, relations_are_not_compared_with_each);
	tcase_add_test(tc, a_batch_keeps_no_lists);
	tcase_add_test(tc, partitions_of_a_list_are_read_alone);
	tcase_add_test(tc, a_statement_has_a_bound);
	tcase_add_test(tc, rows_of_many_partitions_are_sorted);
	tcase_add_test(tc, a_list_of_keys_beside_an_index);
	tcase_add_test(tc, nothing_large_is_kept);
	suite_add_tcase(suite, tc);
}
