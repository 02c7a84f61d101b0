/*
 * Statements whose values are longer than the store's bound: refused by the name
 * of the column, and nothing of them is stored. A collection is no value, but
 * its elements are.
 */
#include <errno.h>

#include "store/base/alloc.h"
#include "store/cql/cql.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store store;
static struct cql_session *session;

static int run(const char *cql)
{
	struct cql_result *result = NULL;
	const struct bytes *values;
	int rows = 0;
	int err = cql_execute(session, bytes_str(cql), &result);

	while (!err && cql_result_next(result, &values) > 0)
		rows++;
	cql_result_free(result);
	return err ? err : rows;
}

static void ok(const char *cql)
{
	int err = run(cql);

	ck_assert_msg(err >= 0, "%s: %d %s", cql, err,
		      cql_session_error(session)->message);
}

static void set_up(void)
{
	test_store_open(&store);
	store_set_max_value(store.store, 10);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	ok("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
	ok("USE k");
	ok("CREATE TYPE u (a text, b text)");
	ok("CREATE TABLE t (p int, c text, v text, b blob, s text STATIC, "
	   "st set<text>, m map<text, text>, l list<text>, f frozen<list<int>>, "
	   "x u, PRIMARY KEY (p, c))");
	ok("INSERT INTO t (p, c, v, l) VALUES (1, 'a', 'old', ['one'])");
}

static void tear_down(void)
{
	cql_session_free(session);
	test_store_close(&store);
}

static const char *const taken[] = {
	"INSERT INTO t (p, c, v) VALUES (2, 'a key may be longer', '0123456789')",
	"UPDATE t SET b = 0x00010203040506070809 WHERE p = 2 AND c = 'a'",
	"UPDATE t SET l = l + ['0123456789', '0123456789', '0123456789'] "
	"WHERE p = 1 AND c = 'a'",
	"UPDATE t SET st = {'0123456789', '1123456789'} WHERE p = 2 AND c = 'a'",
	"DELETE m['longer than ten'] FROM t WHERE p = 1 AND c = 'a'",
	"UPDATE t SET st = st - {'longer than ten'} WHERE p = 1 AND c = 'a'",
	"SELECT * FROM t WHERE p = 1 AND v = 'longer than ten' ALLOW FILTERING",
};

static const struct { const char *column, *cql; } refused[] = {
	{ "v", "INSERT INTO t (p, c, v) VALUES (2, 'a', '0123456789a')" },
	{ "v", "INSERT INTO t JSON '{\"p\": 2, \"c\": \"a\", \"v\": "
	       "\"0123456789a\"}'" },
	{ "v", "INSERT INTO t (p, c, v) VALUES (2, 'a', '0123456789a') IF NOT "
	       "EXISTS" },
	{ "v", "INSERT INTO t (p, c, v) VALUES (2, 'a', '0123456789a') USING "
	       "TTL 100" },
	{ "v", "UPDATE t SET v = '0123456789a', b = 0x00 WHERE p = 2 AND c = "
	       "'a'" },
	{ "b", "UPDATE t SET b = 0x0001020304050607080910 WHERE p = 2 AND c = "
	       "'a'" },
	{ "s", "UPDATE t SET s = '0123456789a' WHERE p = 2" },
	{ "st", "UPDATE t SET st = st + {'a', '0123456789a'} WHERE p = 2 AND "
		"c = 'a'" },
	{ "m", "UPDATE t SET m['k'] = '0123456789a' WHERE p = 2 AND c = 'a'" },
	{ "m", "UPDATE t SET m = {'0123456789a': 'v'} WHERE p = 2 AND c = "
	       "'a'" },
	{ "l", "UPDATE t SET l = ['a', '0123456789a'] WHERE p = 2 AND c = "
	       "'a'" },
	{ "l", "UPDATE t SET l[0] = '0123456789a' WHERE p = 1 AND c = 'a'" },
	{ "f", "UPDATE t SET f = [1] WHERE p = 2 AND c = 'a'" },
	{ "x", "UPDATE t SET x.b = '0123456789a' WHERE p = 2 AND c = 'a'" },
	{ "v", "BEGIN BATCH INSERT INTO t (p, c, v) VALUES (2, 'a', 'b'); "
	       "INSERT INTO t (p, c, v) VALUES (3, 'a', '0123456789a'); "
	       "APPLY BATCH" },
};

START_TEST(a_value_within_the_bound)
{
	ok(taken[_i]);
}
END_TEST

START_TEST(a_value_beyond_the_bound)
{
	const struct cql_error *error = cql_session_error(session);
	struct buf begin = BUF_INIT;

	ck_assert_msg(run(refused[_i].cql) == -EINVAL, "%s", refused[_i].cql);
	ck_assert_int_eq(error->code, CQL_INVALID_REQUEST);
	buf_add_format(&begin, "%s: a value may have 10 bytes, and this one "
		       "has 1", refused[_i].column);
	ck_assert_msg(!strncmp(error->message, buf_cstr(&begin), begin.len),
		      "%s", error->message);
	buf_release(&begin);
	ck_assert_int_eq(run("SELECT * FROM t"), 1);
	ck_assert_int_eq(run("SELECT * FROM t WHERE p = 1 AND v = 'old' AND "
			     "l CONTAINS 'one' ALLOW FILTERING"), 1);
	/* The session goes on. */
	ok("INSERT INTO t (p, c, v) VALUES (4, 'a', 'b')");
}
END_TEST

SUITE(value_bound)
{
	TCase *tc = tcase_create("value_bound");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, a_value_within_the_bound, 0, ARRAY_SIZE(taken));
	tcase_add_loop_test(tc, a_value_beyond_the_bound, 0,
			    ARRAY_SIZE(refused));
	suite_add_tcase(suite, tc);
}
