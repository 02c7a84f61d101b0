/*
 * Statements of a text that defines a keyspace (cql_session_define): what exists
 * and is the same, in whatever form it is written, is no error and no change;
 * what differs is refused.
 */
#include <errno.h>
#include <stdio.h>

#include "store/cql/cql.h"
#include "store/table/present.h"
#include "tests/lib/statement.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store store;
static struct cql_session *session;

static int run(const char *cql)
{
	return test_statement(session, cql);
}

static void ok(const char *cql)
{
	test_statement_ok(session, cql);
}

#define SIMPLE "{'class': 'SimpleStrategy', 'replication_factor': 1}"

static void set_up(void)
{
	test_store_open(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	ok("CREATE KEYSPACE k WITH replication = " SIMPLE);
	ok("CREATE KEYSPACE other WITH replication = {'class': "
	   "'NetworkTopologyStrategy', 'a': 1, 'b': 2} AND durable_writes = "
	   "false");
	ok("USE k");
	ok("CREATE TYPE u (a int, b list<int>)");
	ok("CREATE TYPE v (u frozen<u>)");
	ok("CREATE TABLE t (p int, q int, c int, s int STATIC, v int, w text, "
	   "m map<text, int>, f frozen<list<list<int>>>, x frozen<u>, "
	   "PRIMARY KEY ((p, q), c)) WITH CLUSTERING ORDER BY (c DESC) AND "
	   "comment = 'c' AND compaction = {'class': "
	   "'LeveledCompactionStrategy'}");
	ok("CREATE TABLE flat (k int PRIMARY KEY, v int) WITH id = "
	   "5b0a1a1e-0000-1000-8000-000000000000");
	ok("CREATE TABLE dense (a text, b text, v blob, PRIMARY KEY (a, b)) "
	   "WITH COMPACT STORAGE");
	ok("ALTER TABLE flat ADD hidden text MASKED WITH mask_inner(1, null)");
	ok("CREATE INDEX by_v ON t (v)");
	ok("CREATE INDEX ON t (keys(m))");
	ok("CREATE CUSTOM INDEX words ON t (w) USING 'sai' WITH OPTIONS = "
	   "{'normalize': 'true', 'case_sensitive': 'false'}");
}

static void tear_down(void)
{
	cql_session_free(session);
	test_store_close(&store);
}

#define ALL_OF_T \
	"p int, q int, c int, s int STATIC, v int, w text, " \
	"m map<text, int>, f frozen<list<list<int>>>, x frozen<u>, " \
	"PRIMARY KEY ((p, q), c)"
#define DESC " WITH CLUSTERING ORDER BY (c DESC)"

static const char *const same[] = {
	"CREATE TABLE t (" ALL_OF_T ")" DESC,
	"create table K.T (" ALL_OF_T ")" DESC ";",
	/* other order of columns and options, comments, the same types */
	"CREATE TABLE t (x frozen<u>, w varchar /* ; */, v int,\n"
	"m map<varchar, int>, f frozen<list<frozen<list<int>>>>, c int, -- c\n"
	"q int, s int static, p int, PRIMARY KEY ((p, q), c)) WITH compaction = "
	"{'class': 'LeveledCompactionStrategy'} AND comment = 'c' AND "
	"CLUSTERING ORDER BY (c DESC)",
	/* defaults that are written out */
	"CREATE TABLE t (" ALL_OF_T ")" DESC " AND gc_grace_seconds = 864000 AND "
	"caching = {'rows_per_partition': 'none', 'keys': 'all'} AND cdc = false",
	"CREATE TABLE IF NOT EXISTS t (k int PRIMARY KEY)",
	"CREATE TABLE flat (k int, v int, PRIMARY KEY ((k)))",
	"CREATE TABLE flat (k int PRIMARY KEY, v int) WITH id = "
	"'5b0a1a1e-0000-1000-8000-000000000000'",
	"CREATE TABLE dense (a text, b text, v blob, PRIMARY KEY (a, b)) "
	"WITH comment = '' AND COMPACT STORAGE",
	"ALTER TABLE flat ADD v int",
	"ALTER TABLE flat ADD hidden text MASKED WITH system.mask_inner(1, null)",
	"ALTER TABLE t ADD s int static",
	"CREATE TYPE u (a int, b list<int>)",
	"CREATE TYPE k.U (\"a\" INT, b LIST<INT>)",
	"CREATE TYPE IF NOT EXISTS u (a int)",
	"CREATE TYPE v (u frozen<k.u>)",
	"ALTER TYPE u ADD b list<int>",
	"CREATE INDEX by_v ON k.t (v)", "CREATE INDEX ON t (v)",
	"CREATE INDEX BY_V ON t (\"v\") USING 'legacy_local_table'",
	"CREATE INDEX ON t (keys(m))", "CREATE INDEX t_m_idx ON t (KEYS(m))",
	"CREATE CUSTOM INDEX words ON t (w) USING 'StorageAttachedIndex' WITH "
	"OPTIONS = {'case_sensitive': false, 'normalize': true}",
	"CREATE CUSTOM INDEX ON t (w) USING 'sai' WITH OPTIONS = "
	"{'case_sensitive': 'false', 'normalize': 'true'}",
	"CREATE KEYSPACE k WITH replication = " SIMPLE,
	"CREATE KEYSPACE k WITH durable_writes = true AND replication = "
	"{'replication_factor': '1', 'class': "
	"'org.apache.cassandra.locator.SimpleStrategy'}",
	"CREATE KEYSPACE other WITH replication = {'b': 2, 'class': "
	"'NetworkTopologyStrategy', 'a': '1'}",
	"CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': "
	"'SimpleStrategy', 'replication_factor': 3}",
};

static const char *const different[] = {
	"CREATE TABLE t (" ALL_OF_T ")",
	"CREATE TABLE t (" ALL_OF_T ", n int)" DESC,
	"CREATE TABLE t (" ALL_OF_T ")" DESC " AND comment = ''",
	"CREATE TABLE t (" ALL_OF_T ")" DESC " AND gc_grace_seconds = 1",
	"CREATE TABLE flat (k int PRIMARY KEY)",
	"CREATE TABLE flat (k int PRIMARY KEY, v bigint)",
	"CREATE TABLE flat (k int PRIMARY KEY, w int)",
	"CREATE TABLE flat (k int PRIMARY KEY, v int) WITH id = "
	"5b0a1a1e-0000-1000-8000-000000000001",
	"CREATE TABLE dense (a text, b text, v blob, PRIMARY KEY (a, b))",
	"CREATE TYPE u (a int)", "CREATE TYPE u (b list<int>, a int)",
	"CREATE TYPE u (a int, b frozen<list<int>>)",
	"CREATE TYPE u (a int, c list<int>)",
	"CREATE INDEX by_v ON t (c)", "CREATE INDEX by_v ON flat (v)",
	"CREATE INDEX t_m_idx ON t (values(m))",
	"CREATE CUSTOM INDEX words ON t (w) USING 'sai'",
	"CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', "
	"'replication_factor': 3}",
	"CREATE KEYSPACE k WITH replication = " SIMPLE " AND durable_writes = "
	"false",
	"CREATE KEYSPACE other WITH replication = {'class': "
	"'NetworkTopologyStrategy', 'a': 1}",
};

/* Refused by the words of the statement itself, which is no CREATE. */
static const char *const added[] = {
	"ALTER TABLE flat ADD v bigint", "ALTER TABLE flat ADD hidden text",
	"ALTER TABLE t ADD v int static", "ALTER TYPE u ADD b set<int>",
	"ALTER TABLE flat ADD (z int, z int)",
	"CREATE INDEX twice ON t (v)",
};

static struct schema *present(void)
{
	return store_schema(store.store);
}

START_TEST(a_definition_of_what_exists)
{
	struct schema *before = present(), *after;

	cql_session_define(session, "k", CQL_REFUSES);
	ok(same[_i]);
	after = present();
	ck_assert_ptr_eq(before, after);
	schema_put(before);
	schema_put(after);
	/* A text that is the whole of schema.cql changes nothing either. */
	cql_session_define(session, "k", CQL_CHANGES);
	ok(same[_i]);
	/* In a statement of its own it is an error, as in Cassandra. */
	cql_session_define(session, NULL, CQL_REFUSES);
	if (!strstr(same[_i], "IF NOT"))
		ck_assert_int_lt(run(same[_i]), 0);
}
END_TEST

START_TEST(a_definition_that_drops_columns)
{
	struct schema *before = present(), *after;

	cql_session_define(session, "k", CQL_CHANGES_ALL_BUT_DROPS);
	ck_assert_int_eq(run("CREATE TABLE flat (k int PRIMARY KEY, v bigint)"),
			 -EEXIST);
	ck_assert(!cql_session_drops(session));
	ck_assert_int_eq(run("CREATE TABLE flat (k int PRIMARY KEY)"), -EEXIST);
	cql_session_define(session, NULL, CQL_REFUSES);
	ck_assert(cql_session_drops(session));
	after = present();
	ck_assert_ptr_eq(before, after);
	schema_put(before);
	schema_put(after);
	cql_session_define(session, "k", CQL_CHANGES);
	ok("CREATE TABLE flat (k int PRIMARY KEY)");
	ck_assert(!cql_session_drops(session));
}
END_TEST

START_TEST(a_definition_that_differs)
{
	struct schema *before = present(), *after;

	cql_session_define(session, "k", CQL_REFUSES);
	ck_assert_msg(run(different[_i]) == -EEXIST, "%s", different[_i]);
	after = present();
	ck_assert_ptr_eq(before, after);
	schema_put(before);
	schema_put(after);
}
END_TEST

START_TEST(an_addition_that_differs)
{
	cql_session_define(session, "k", CQL_REFUSES);
	ck_assert_msg(run(added[_i]) == -EINVAL, "%s", added[_i]);
}
END_TEST

/* True if the keyspace has durable writes. */
static bool is_durable(const char *keyspace)
{
	struct schema *schema = present();
	struct keyspace *k = schema_keyspace(schema, bytes_str(keyspace));
	bool durable = k->durable_writes;

	schema_put(schema);
	return durable;
}

START_TEST(a_keyspace_without_tables_takes_its_options)
{
	static const char more[] = "CREATE KEYSPACE IF NOT EXISTS empty WITH "
		"replication = " SIMPLE " AND durable_writes = false";

	ok("CREATE KEYSPACE empty WITH replication = " SIMPLE);
	cql_session_define(session, "k", CQL_REFUSES);
	ok(more);
	ck_assert(is_durable("empty"));		/* it is another keyspace */
	cql_session_define(session, "empty", CQL_REFUSES);
	ok(more);
	ck_assert(!is_durable("empty"));
	ok("CREATE TABLE empty.t (k int PRIMARY KEY)");
	ck_assert_int_eq(run("CREATE KEYSPACE empty WITH replication = " SIMPLE
			     " AND durable_writes = true"), -EEXIST);
	ok("CREATE KEYSPACE empty WITH replication = " SIMPLE);
	ck_assert(!is_durable("empty"));
}
END_TEST

SUITE(definition)
{
	TCase *tc = tcase_create("definition");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, a_definition_of_what_exists, 0,
			    ARRAY_SIZE(same));
	tcase_add_test(tc, a_definition_that_drops_columns);
	tcase_add_loop_test(tc, a_definition_that_differs, 0,
			    ARRAY_SIZE(different));
	tcase_add_loop_test(tc, an_addition_that_differs, 0, ARRAY_SIZE(added));
	tcase_add_test(tc, a_keyspace_without_tables_takes_its_options);
	suite_add_tcase(suite, tc);
}
