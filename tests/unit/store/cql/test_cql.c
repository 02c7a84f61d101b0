/*
 * The face of CQL: sessions, results that stream, rights, places of errors, and
 * what a statement does when there is no memory. What CQL means is replayed
 * from recorded answers in test_vectors.c.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/cql/cql.h"
#include "store/type/json/print.h"
#include "tests/lib/statement.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store store;
static struct cql_session *session;

static int run(const char *cql, struct cql_result **result)
{
	return cql_execute(session, bytes_str(cql), result);
}

static void ok(const char *cql)
{
	test_statement_ok(session, cql);
}

/* All rows as JSON, one after the other. */
static struct buf answer(const char *cql)
{
	struct cql_result *result;
	const struct bytes *values;
	struct buf out = BUF_INIT;
	int err = run(cql, &result), more;

	ck_assert_msg(!err, "%s: %d %s", cql, err,
		      cql_session_error(session)->message);
	while ((more = cql_result_next(result, &values)) > 0) {
		buf_add_byte(&out, '[');
		for (uint32_t i = 0; i < cql_result_column_count(result); i++) {
			if (i)
				buf_add_byte(&out, ',');
			type_print_json(&out,
					cql_result_columns(result)[i].type,
					values[i]);
		}
		buf_add_byte(&out, ']');
	}
	ck_assert_int_eq(more, 0);
	cql_result_free(result);
	return out;
}

static void gives(const char *cql, const char *expected)
{
	struct buf out = answer(cql);

	ck_assert_str_eq(buf_cstr(&out), expected);
	buf_release(&out);
}

static void refused(const char *cql, int err, const char *message)
{
	struct cql_result *result;

	ck_assert_int_eq(run(cql, &result), err);
	ck_assert(!result);
	ck_assert_str_eq(cql_session_error(session)->message, message);
}

/* cql with a value of so many bytes for its %s. */
static char *with_value(const char *cql, int length)
{
	char *value = malloc((size_t)length + 1), *out;

	memset(value, 'x', (size_t)length);
	value[length] = 0;
	ck_assert_int_gt(asprintf(&out, cql, value), 0);
	free(value);
	return out;
}

static void setup(void)
{
	test_store_open(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	ok("CREATE KEYSPACE a WITH replication = {'class': 'SimpleStrategy'}");
	ok("USE a");
	ok("CREATE TABLE t (k int, c int, s int STATIC, v int, l list<int>, "
	   "PRIMARY KEY (k, c))");
}

static void teardown(void)
{
	cql_session_free(session);
	test_store_close(&store);
}

START_TEST(a_session_keeps_its_keyspace)
{
	ck_assert_str_eq(cql_session_keyspace(session), "a");
	refused("USE b", -EINVAL, "Keyspace 'b' does not exist");
	ck_assert_str_eq(cql_session_keyspace(session), "a");
	ck_assert_int_eq(cql_session_use(session, bytes_str("b")), -ENOENT);
}
END_TEST

/* A query that seeks past rows that are known to be dead, and comes to a live one,
 * begins to count anew. */
START_TEST(rows_between_dead_ones_stay)
{
	char cql[80];
	int i;

	for (i = 0; i < 300; i++) {
		snprintf(cql, sizeof(cql),
			 "INSERT INTO t (k, c, v) VALUES (1, %d, %d)", i, i);
		ok(cql);
	}
	for (i = 0; i < 200; i++) {
		snprintf(cql, sizeof(cql), "DELETE FROM t WHERE k = 1 AND "
			 "c = %d", i < 100 ? i : i + 1);
		ok(cql);
		if (i == 99)
			gives("SELECT c FROM t WHERE k = 1 LIMIT 2",
			      "[100][101]");
	}
	for (i = 0; i < 3; i++)
		gives("SELECT c FROM t WHERE k = 1 LIMIT 3", "[100][201][202]");
}
END_TEST

/* Two results are pulled in turn, while other statements run. */
START_TEST(results_stream_side_by_side)
{
	struct cql_result *one, *two;
	const struct bytes *values;
	char cql[80];

	for (int i = 0; i < 100; i++) {
		snprintf(cql, sizeof(cql),
			 "INSERT INTO t (k, c, v) VALUES (1, %d, %d)", i, i);
		ok(cql);
	}
	ck_assert_int_eq(run("SELECT c FROM t WHERE k = 1", &one), 0);
	ck_assert_int_eq(run("SELECT c FROM t WHERE k = 1 ORDER BY c DESC",
			     &two), 0);
	ok("DELETE FROM t WHERE k = 1");
	for (uint32_t i = 0; i < 100; i++) {
		ck_assert_int_eq(cql_result_next(one, &values), 1);
		ck_assert_uint_eq(get_be32(values[0].ptr), i);
		ck_assert_int_eq(cql_result_next(two, &values), 1);
		ck_assert_uint_eq(get_be32(values[0].ptr), 99 - i);
	}
	ck_assert_int_eq(cql_result_next(one, &values), 0);
	ck_assert_int_eq(cql_result_next(one, &values), 0);
	cql_result_free(one);
	cql_result_free(two);
	gives("SELECT c FROM t WHERE k = 1", "");
}
END_TEST

static const struct {
	const char *cql;
	int line, column;
} places[] = {
	{ "SELECT nope FROM t", 1, 7 },
	{ "SELECT v FROM nope", 1, 14 },
	{ "SELECT v\nFROM t WHERE k = 'x'", 2, 17 },
	{ "SELECT v FROM t WHERE k = 1 AND nope = 1", 1, 32 },
	{ "INSERT INTO t (k, c, v) VALUES (1, 2, 'x')", 1, 38 },
	{ "UPDATE t SET nope = 1 WHERE k = 1 AND c = 1", 1, 13 },
	{ "SELECT v FROM t LIMIT 0", 1, 22 },
};

START_TEST(errors_have_a_place)
{
	const struct cql_error *e = cql_session_error(session);
	struct cql_result *result;

	ck_assert_int_eq(run(places[_i].cql, &result), -EINVAL);
	ck_assert_int_eq(e->code, CQL_INVALID_REQUEST);
	ck_assert_int_eq(e->line, places[_i].line);
	ck_assert_int_eq(e->column, places[_i].column);
}
END_TEST

static bool only_read(void *context, const struct keyspace *k,
		      const struct table *t, enum cql_right right)
{
	(void)context;
	(void)k;
	(void)t;
	return right == CQL_READ || right == CQL_ENTER;
}

START_TEST(rights_are_asked)
{
	cql_session_rights(session, only_read, NULL);
	gives("SELECT v FROM t", "");
	refused("INSERT INTO t (k, c) VALUES (1, 1)", -EACCES,
		"User has no MODIFY permission on <table a.t> or any of its "
		"parents");
	ck_assert_int_eq(cql_session_error(session)->code, CQL_UNAUTHORIZED);
}
END_TEST

/* A statement without a condition may not read; one with a condition answers
 * with the values that it found. */
START_TEST(conditions_answer)
{
	gives("INSERT INTO t (k, c, v) VALUES (1, 1, 1) IF NOT EXISTS",
	      "[true]");
	gives("INSERT INTO t (k, c, v) VALUES (1, 1, 2) IF NOT EXISTS",
	      "[false,1,1,null,null,1]");
	gives("UPDATE t SET v = v + 5 WHERE k = 1 AND c = 1 IF v > 0",
	      "[true]");
	gives("UPDATE t SET v = 0 WHERE k = 1 AND c = 1 IF v IN (1, 2)",
	      "[false,6]");
	gives("DELETE FROM t WHERE k = 1 AND c = 1 IF EXISTS", "[true]");
	gives("DELETE FROM t WHERE k = 1 AND c = 1 IF EXISTS", "[false]");
	for (int i = 0; i < 2; i++)
		refused(i ? "BEGIN BATCH UPDATE t SET v = 1 WHERE k = 1 AND "
			    "c = 1 IF v = null; UPDATE t SET v = 1 WHERE k = 1 "
			    "AND token(k) = 5 AND c = 2; APPLY BATCH" :
			    "UPDATE t SET v = 1 WHERE k = 1 AND token(k) = 5 "
			    "AND c = 1 IF v = null", -EINVAL,
			"A conditional statement wants a partition, and this "
			"key has another token");
}
END_TEST

START_TEST(lists_are_changed_in_order)
{
	ok("UPDATE t SET l = l + [1], l = [5, 6] + l, l[0] = 9 WHERE k = 1 "
	   "AND c = 1");
	gives("SELECT l FROM t", "[[9, 6, 1]]");
	ok("DELETE l[0], l[0] FROM t WHERE k = 1 AND c = 1");
	gives("SELECT l FROM t", "[[1]]");
	refused("UPDATE t SET l[1] = 0 WHERE k = 1 AND c = 1", -EINVAL,
		"List index 1 out of bound, list has size 1");
}
END_TEST

/* A statement that fails leaves nothing for the next one to write. */
START_TEST(a_refused_batch_does_nothing)
{
	refused("BEGIN BATCH INSERT INTO t (k, c, v) VALUES (1, 1, 1); "
		"UPDATE t SET l[0] = 1 WHERE k = 1 AND c = 2; APPLY BATCH",
		-EINVAL, "Attempted to set an element on a list which is null");
	ok("INSERT INTO t (k, c, v) VALUES (2, 2, 2)");
	gives("SELECT k, c, v FROM t", "[2,2,2]");
}
END_TEST

START_TEST(groups_and_limits)
{
	for (int i = 0; i < 12; i++) {
		char cql[80];

		snprintf(cql, sizeof(cql),
			 "INSERT INTO t (k, c, v) VALUES (%d, %d, %d)", i / 4,
			 i % 4, i);
		ok(cql);
	}
	gives("SELECT k, count(*), sum(v), avg(v) FROM t GROUP BY k",
	      "[1,4,22,5][0,4,6,1][2,4,38,9]");
	gives("SELECT k, c, max(v) FROM t GROUP BY k, c PER PARTITION LIMIT 2 "
	      "LIMIT 3", "[1,0,4][1,1,5][0,0,0]");
	gives("SELECT c, v FROM t WHERE k IN (0, 1, 2) ORDER BY c DESC LIMIT 4",
	      "[3,3][3,7][3,11][2,2]");
	gives("SELECT count(*), max(v) FROM t WHERE k = 77", "[0,null]");
}
END_TEST

/* Over 1000 tombstones are told of when all rows were read. */
START_TEST(tombstones_are_told)
{
	struct cql_result *result;
	const struct bytes *values;
	char cql[80];

	for (int i = 0; i < 1200; i++) {
		snprintf(cql, sizeof(cql),
			 "DELETE v FROM t WHERE k = 1 AND c = %d", i);
		ok(cql);
	}
	ok("INSERT INTO t (k, c, v) VALUES (1, 5000, 1)");
	ck_assert_int_eq(run("SELECT v FROM t WHERE k = 1", &result), 0);
	ck_assert(!cql_result_warning(result, 0));
	ck_assert_int_eq(cql_result_next(result, &values), 1);
	ck_assert_int_eq(cql_result_next(result, &values), 0);
	ck_assert_str_eq(cql_result_warning(result, 0),
			 "Read 1 live rows and 1200 tombstone cells for query "
			 "SELECT * FROM a.t WHERE k = 1 ALLOW FILTERING; token "
			 "-4069959284402364209 (see "
			 "tombstone_warn_threshold)");
	ck_assert(!cql_result_warning(result, 1));
	cql_result_free(result);
}
END_TEST

/* A queue: its dead rows are read once, and never hide one that came back. */
START_TEST(dead_rows_are_passed)
{
	struct cql_trace trace;
	char cql[128];
	int i;

	ok("CREATE TABLE queue (p int, s int STATIC, c int, v int, "
	   "PRIMARY KEY (p, c))");
	for (i = 0; i < 400; i++) {
		snprintf(cql, sizeof(cql), "INSERT INTO queue (p, s, c, v) "
			 "VALUES (%d, 7, %d, 1)", i % 2, i);
		ok(cql);
	}
	for (i = 0; i < 380; i++) {
		snprintf(cql, sizeof(cql), "DELETE FROM queue WHERE p = %d "
			 "AND c = %d", i % 2, i);
		ok(cql);
	}
	for (i = 0; i < 3; i++) {
		gives("SELECT c, s FROM queue WHERE p = 0 LIMIT 1",
		      "[380,7]");
		cql_session_trace(session, &trace);
		ck_assert_uint_ge(trace.tombstones, i ? 1 : 190);
		ck_assert_uint_le(trace.tombstones, i ? 20 : 190);
		gives("SELECT c, s FROM queue WHERE p = 0 AND c > 20 "
		      "AND c < 30", "");
		gives("SELECT c, s FROM queue WHERE p = 0 AND c > 378 "
		      "AND c <= 382", "[380,7][382,7]");
	}
	gives("SELECT c, s FROM queue LIMIT 11",
	      "[381,7][383,7][385,7][387,7][389,7][391,7][393,7][395,7]"
	      "[397,7][399,7][380,7]");
	gives("SELECT DISTINCT p, s FROM queue", "[1,7][0,7]");
	ok("INSERT INTO queue (p, c, v) VALUES (0, 100, 2)");
	gives("SELECT c FROM queue WHERE p = 0 LIMIT 2", "[100][380]");
	ok("UPDATE queue SET v = 3 WHERE p = 0 AND c = 4");
	gives("SELECT c FROM queue WHERE p = 0 LIMIT 2", "[4][100]");
	gives("SELECT c FROM queue WHERE p = 0 ORDER BY c DESC LIMIT 1",
	      "[398]");
}
END_TEST

static bool count_down(void *context)
{
	unsigned *left = context;

	return !*left || !--*left;
}

/* A query that reads thousands of rows before it returns one can be stopped. */
START_TEST(a_query_is_stopped)
{
	static const char *const queries[] = {
		"SELECT count(*) FROM t", "SELECT k FROM t WHERE l CONTAINS "
		"3 ALLOW FILTERING", "SELECT k FROM t GROUP BY k",
		"SELECT count(*) FROM t WHERE v > 0 AND v < 9 ALLOW FILTERING",
	};
	struct cql_result *result;
	const struct bytes *values;
	unsigned left;
	char cql[80];
	int err = 0;

	ok("CREATE INDEX ON t (v)");
	for (int i = 0; i < 3000; i++) {
		snprintf(cql, sizeof(cql),
			 "INSERT INTO t (k, c, v) VALUES (1, %d, 5)", i);
		ok(cql);
	}
	for (left = 1; left < 4; left++) {
		unsigned until = left;

		cql_session_stop(session, count_down, &until);
		err = run(queries[_i], &result);
		while (!err && (err = cql_result_next(result, &values)) > 0)
			err = 0;
		ck_assert_int_eq(err, -EINTR);
		cql_result_free(result);
		/* Reads of one row, and writes, are not interrupted. */
		gives("SELECT v FROM t WHERE k = 1 AND c = 7", "[5]");
		ok("INSERT INTO t (k, c, v) VALUES (2, 1, 6)");
	}
	cql_session_stop(session, NULL, NULL);
	gives("SELECT count(*) FROM t", "[3001]");
}
END_TEST

/* An index that is there is built, whoever waits for it: also over what merges
 * take for dead, where reads are asked whether they are still wanted. */
START_TEST(an_index_is_built_to_its_end)
{
	char cql[80];
	unsigned at_once = 1;

	ok("CREATE TABLE dead (k int PRIMARY KEY, v int)");
	for (int i = 0; i < 1000; i++) {
		snprintf(cql, sizeof(cql),
			 "INSERT INTO dead (k, v) VALUES (%d, 1)", i);
		ok(cql);
	}
	ck_assert_int_eq(store_flush(store.store, NULL), 0);
	for (int i = 1; i < 1000; i++) {
		snprintf(cql, sizeof(cql), "DELETE FROM dead WHERE k = %d", i);
		ok(cql);
	}
	cql_session_stop(session, count_down, &at_once);
	ok("CREATE INDEX ON dead (v)");
	cql_session_stop(session, NULL, NULL);
	gives("SELECT k FROM dead WHERE v = 1", "[0]");
}
END_TEST

/* ANN OF keeps as much as its LIMIT wants, though each row is nearer than those
 * before it. */
START_TEST(the_nearest_are_kept_alone)
{
	enum { ROWS = 1000, SIZE = 4096 };
	struct cql_result *result;
	const struct bytes *values;
	struct buf cql = BUF_INIT;
	struct mallinfo2 before;

	ok("CREATE TABLE near (k int, c int, v vector<float, 2>, b text, "
	   "PRIMARY KEY (k, c))");
	ok("INSERT INTO near (k, c, v) VALUES (1, -1, [NaN, 1])");
	ok("CREATE CUSTOM INDEX ON near (v) USING 'StorageAttachedIndex' "
	   "WITH OPTIONS = {'similarity_function': 'euclidean'}");
	gives("SELECT c FROM near ORDER BY v ANN OF [0, 0] LIMIT 2", "");
	for (int i = 0; i < ROWS; i++) {
		buf_clear(&cql);
		buf_add_format(&cql, "INSERT INTO near (k, c, v, b) VALUES "
				     "(1, %d, [%d, 1], '%*d')", i, ROWS - i,
			       SIZE, i);
		ok(buf_cstr(&cql));
	}
	before = mallinfo2();
	ck_assert_int_eq(run("SELECT c, b FROM near ORDER BY v ANN OF [0, 0] "
			     "LIMIT 3", &result), 0);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_int_eq(cql_result_next(result, &values), 1);
		ck_assert_uint_eq(get_be32(values[0].ptr), ROWS - 1 - i);
		ck_assert_uint_eq(values[1].len, SIZE);
	}
	ck_assert_uint_lt(mallinfo2().uordblks + mallinfo2().hblkhd,
			  before.uordblks + before.hblkhd +
				  (size_t)ROWS * SIZE / 4);
	ck_assert_int_eq(cql_result_next(result, &values), 0);
	cql_result_free(result);
	buf_release(&cql);
}
END_TEST

/* The common type of many literals is found without comparing each with each:
 * else this ends after the suite's patience. */
START_TEST(a_long_literal_has_a_type)
{
	struct cql_result *result;
	struct buf cql = BUF_INIT;

	buf_add_str(&cql, "SELECT to_json({");
	for (int i = 0; i < 60000; i++)
		buf_add_str(&cql, "{1},");
	buf_add_str(&cql, "{'a'}}) FROM t");
	ck_assert_int_eq(run(buf_cstr(&cql), &result), -EINVAL);
	buf_release(&cql);
	ok("INSERT INTO t (k, c) VALUES (1, 1)");
	gives("SELECT to_json({(ascii)'a', (text)'b'}), to_json([(timestamp)1, "
	      "(bigint)2]) FROM t",
	      "[\"[\\\"a\\\", \\\"b\\\"]\",\"[\\\"1970-01-01 00:00:00.001Z\\\", "
	      "\\\"1970-01-01 00:00:00.002Z\\\"]\"]");
}
END_TEST

/* Each of them doubles what it gets: all of it would be 2^60 bytes. */
START_TEST(nested_calls_do_not_grow_for_ever)
{
	struct buf cql = BUF_INIT;

	ok("CREATE TABLE texts (k int PRIMARY KEY, v text)");
	buf_add_str(&cql, "INSERT INTO texts (k, v) VALUES (1, ");
	for (int i = 0; i < 60; i++)
		buf_add_str(&cql, "to_json(");
	buf_add_str(&cql, "'\"'");
	for (int i = 0; i < 60; i++)
		buf_add_byte(&cql, ')');
	buf_add_byte(&cql, ')');
	refused(buf_cstr(&cql), -EINVAL,
		"The result of system.to_json is larger than 268435456 bytes");
	buf_release(&cql);
}
END_TEST

static void make_words(void)
{
	ok("CREATE TABLE words (k int PRIMARY KEY, a text, b set<text>, "
	   "w text, v vector<float, 2>)");
	ok("CREATE CUSTOM INDEX ON words (a) USING 'StorageAttachedIndex' "
	   "WITH OPTIONS = {'case_sensitive': 'false', 'ascii': 'true'}");
	ok("CREATE CUSTOM INDEX ON words (b) USING 'StorageAttachedIndex' "
	   "WITH OPTIONS = {'case_sensitive': 'false', 'normalize': 'true'}");
	ok("CREATE CUSTOM INDEX ON words (v) USING 'StorageAttachedIndex'");
	ok("CREATE CUSTOM INDEX ON words (w) USING 'org.apache.cassandra.index."
	   "sasi.SASIIndex' WITH OPTIONS = {'mode': 'CONTAINS', "
	   "'analyzer_class': 'org.apache.cassandra.index.sasi.analyzer."
	   "StandardAnalyzer', 'tokenization_locale': 'en', "
	   "'tokenization_enable_stemming': 'true', "
	   "'tokenization_skip_stop_words': 'true'}");
	ok("INSERT INTO words (k, a, b, w, v) VALUES (1, 'été', {'été'}, "
	   "'the runs of a runner', [1, 1])");
}

/* Each allocation fails in turn: an error or the answer, never a crash. */
START_TEST(a_statement_fails_without_memory)
{
	static const char *const statements[] = {
		"SELECT k, sum(v), l FROM t WHERE k = 1 GROUP BY k",
		"SELECT c, v + 1, cast(v as text), to_json(l) FROM t "
		"WHERE k IN (1, 2) ORDER BY c DESC LIMIT 2",
		"UPDATE t SET l = l + [1], s = 1 WHERE k = 1 AND c IN (1, 2)",
		"INSERT INTO t JSON '{\"k\": 1, \"c\": 1, \"l\": [1, 2]}'",
		"UPDATE t SET v = 2 WHERE k = 1 AND c = 1 IF v = 1",
		"SELECT k FROM words WHERE a = 'ÉTÉ' AND b CONTAINS 'ÉTÉ'",
		"SELECT k FROM words WHERE w LIKE 'running'",
		"SELECT k FROM words ORDER BY v ANN OF [1, 2] LIMIT 1",
	};
	const char *cql = statements[_i];
	const struct bytes *values;
	struct cql_session *fresh;
	struct cql_result *result;
	uint64_t rows = 0;
	int err;

	ok("INSERT INTO t (k, c, v, l) VALUES (1, 1, 1, [1, 2, 3])");
	make_words();
	if (strstr(cql, "words"))
		gives(cql, "[1]");
	for (long nth = 1; nth < 2000; nth++) {
		ck_assert_int_eq(cql_session_new(&fresh, store.store), 0);
		ck_assert_int_eq(cql_session_use(fresh, bytes_str("a")), 0);
		mem_fail_at(nth, 0);
		err = cql_execute(fresh, bytes_str(cql), &result);
		for (rows = 0; !err && result; rows++) {
			err = cql_result_next(result, &values);
			if (err <= 0)
				break;
			err = 0;
		}
		mem_fail_at(0, 0);
		cql_result_free(result);
		cql_session_free(fresh);
		if (!err) {
			if (strstr(cql, "words"))
				ck_assert_uint_eq(rows, 1);
			return;
		}
		ck_assert_int_eq(err, -ENOMEM);
	}
	ck_abort_msg("it never ended");
}
END_TEST

/* Values that Cassandra's own indexes refuse, by their length, and one byte
 * less. */
START_TEST(indexed_values_have_a_bound)
{
	static const struct { const char *cql; int length; const char *why; }
	cases[] = {
		{ "INSERT INTO i (k, v) VALUES (1, '%s')", 65535, "65535 for "
		  "index i_v_idx on a.i(v)" },
		{ "INSERT INTO i (k, v) VALUES (2, '%s') IF NOT EXISTS", 65535,
		  "65535 for index i_v_idx on a.i(v)" },
		{ "UPDATE i SET s = s + {'%s'} WHERE k = 1", 65535, "65535 for "
		  "index i_s_idx on a.i(s)" },
		{ "DELETE s['%s'] FROM i WHERE k = 1", 65535, "65535 for "
		  "index i_s_idx on a.i(s)" },
		{ "UPDATE i SET m['ab'] = '%s' WHERE k = 1", 65527, "65535 for "
		  "index i_m_idx on a.i(m)" },
	};
	char why[200], *cql;

	ok("CREATE TABLE i (k int PRIMARY KEY, v text, s set<text>, "
	   "m map<text, text>)");
	ok("CREATE INDEX ON i (v)");
	ok("CREATE INDEX ON i (s)");
	ok("CREATE INDEX ON i (entries(m))");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(why, sizeof(why), "Cannot index value of size %s "
			 "(maximum allowed size=65535)", cases[i].why);
		cql = with_value(cases[i].cql, cases[i].length);
		refused(cql, -EINVAL, why);
		free(cql);
	}
	gives("SELECT k FROM i", "");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cql = with_value(cases[i].cql, cases[i].length - 1);
		ok(cql);
		free(cql);
	}
	cql = with_value("SELECT k FROM i WHERE v = '%s'", 65534);
	gives(cql, "[1][2]");
	free(cql);
	cql = with_value("SELECT k FROM i WHERE v = '%s'", 65536);
	refused(cql, -EINVAL, "Index expression values may not be larger than "
			      "64K");
	free(cql);
}
END_TEST

/* A write that an index refuses: not half of it is there, and the next one is
 * as if it had not been. */
START_TEST(a_vector_without_direction_is_refused)
{
	static const char why[] = "Zero vectors cannot be indexed or queried "
				  "with cosine similarity";

	ok("CREATE TABLE n (k int PRIMARY KEY, v vector<float, 2>)");
	ok("INSERT INTO n (k, v) VALUES (1, [0, 0])");
	ok("CREATE CUSTOM INDEX ON n (v) USING 'sai'");
	refused("INSERT INTO n (k, v) VALUES (2, [0, -0.0])", -EIO, why);
	ck_assert_int_eq(cql_session_error(session)->code, CQL_WRITE_FAILURE);
	refused("BEGIN BATCH INSERT INTO n (k) VALUES (2) "
		"INSERT INTO n (k, v) VALUES (3, [0, 0]) APPLY BATCH",
		-EIO, why);
	refused("INSERT INTO n (k, v) VALUES (2, [1, 2e17])", -EIO,
		"Out-of-bounds value at vector[1]=2.0E17");
	refused("INSERT INTO n (k, v) VALUES (2, [NaN, 1])", -EIO,
		"non-finite value at vector[0]=NaN");
	ok("INSERT INTO n (k, v) VALUES (2, [0, 1])");
	gives("SELECT k FROM n", "[1][2]");
	refused("SELECT k FROM n ORDER BY v ANN OF [0, 0] LIMIT 1", -EIO,
		why);
	ck_assert_int_eq(cql_session_error(session)->code, CQL_READ_FAILURE);
}
END_TEST

SUITE(cql)
{
	TCase *tc = tcase_create("face");

	tcase_set_timeout(tc, 60);	/* of memory, on a busy machine */
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_session_keeps_its_keyspace);
	tcase_add_test(tc, rows_between_dead_ones_stay);
	tcase_add_test(tc, results_stream_side_by_side);
	tcase_add_loop_test(tc, errors_have_a_place, 0, ARRAY_SIZE(places));
	tcase_add_test(tc, rights_are_asked);
	tcase_add_test(tc, conditions_answer);
	tcase_add_test(tc, lists_are_changed_in_order);
	tcase_add_test(tc, a_refused_batch_does_nothing);
	tcase_add_test(tc, groups_and_limits);
	tcase_add_test(tc, tombstones_are_told);
	tcase_add_test(tc, dead_rows_are_passed);
	tcase_add_loop_test(tc, a_query_is_stopped, 0, 4);
	tcase_add_test(tc, an_index_is_built_to_its_end);
	tcase_add_test(tc, the_nearest_are_kept_alone);
	tcase_add_test(tc, nested_calls_do_not_grow_for_ever);
	tcase_add_test(tc, a_long_literal_has_a_type);
	tcase_add_test(tc, indexed_values_have_a_bound);
	tcase_add_test(tc, a_vector_without_direction_is_refused);
	tcase_add_loop_test(tc, a_statement_fails_without_memory, 0, 8);
	suite_add_tcase(suite, tc);
}
