/*
 * DDL: what is refused, with which class and words; what DESCRIBE gives makes
 * the same schema again; warnings, rights and owners; a statement without
 * memory changes nothing. Longer stories are replayed in test_vectors.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/cql/cql.h"
#include "store/cql/schema/print.h"
#include "store/schema/table_edit.h"
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

/* "Class: message" of a statement that is refused; "ok" of another. */
static void expect(const char *cql, const char *expected)
{
	const struct cql_error *error = cql_session_error(session);
	char got[2000] = "ok";

	if (run(cql))
		snprintf(got, sizeof(got), "%s: %s",
			 cql_code_name(error->code), error->message);
	ck_assert_msg(!strcmp(got, expected), "%s\n got      %s\n expected %s",
		      cql, got, expected);
}

/* The column of an answer, its rows joined by a line break. */
static char *column_of(const char *cql, uint32_t column)
{
	struct cql_result *result;
	const struct bytes *values;
	struct buf out = BUF_INIT;
	size_t len;
	int err = cql_execute(session, bytes_str(cql), &result);

	ck_assert_msg(!err, "%s: %s", cql, cql_session_error(session)->message);
	while (cql_result_next(result, &values) > 0) {
		buf_add_bytes(&out, values[column]);
		buf_add_byte(&out, '\n');
	}
	cql_result_free(result);
	return buf_steal(&out, &len);
}

static void gives(const char *cql, uint32_t column, const char *expected)
{
	char *got = column_of(cql, column);

	ck_assert_msg(!strcmp(got, expected), "%s\n got      %s\n expected %s",
		      cql, got, expected);
	mem_free(got);
}

#define SIMPLE "{'class': 'SimpleStrategy', 'replication_factor': 1}"

static void set_up(void)
{
	test_store_open(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	ok("CREATE KEYSPACE k WITH replication = " SIMPLE);
	ok("CREATE KEYSPACE other WITH replication = " SIMPLE);
	ok("USE k");
	ok("CREATE TYPE u (a int, b set<int>)");
	ok("CREATE TYPE plain (a int)");
	ok("CREATE TYPE other.theirs (a int)");
	ok("CREATE TABLE t (p int, q int, c int, s int STATIC, v int, w text, "
	   "l list<int>, m map<text, int>, fl frozen<list<int>>, d duration, "
	   "e plain, \"Up per\" int, bl blob, vf vector<float, 3>, "
	   "PRIMARY KEY ((p, q), c))");
	ok("CREATE TABLE flat (k int PRIMARY KEY, v int)");
	ok("CREATE TABLE counted (k int PRIMARY KEY, n counter)");
	ok("CREATE TABLE dense (a text, b text, v blob, PRIMARY KEY (a, b)) "
	   "WITH COMPACT STORAGE");
	ok("CREATE TABLE sparse (k int PRIMARY KEY, a int, b int) "
	   "WITH COMPACT STORAGE");
	ok("CREATE INDEX by_v ON t (v)");
}

static void tear_down(void)
{
	cql_session_free(session);
	test_store_close(&store);
}

/* ------------------------------------------------------------------ rules */
#define INVALID "InvalidRequest: "
#define WRONG "ConfigurationException: "
#define SYNTAX "SyntaxException: "
#define DENIED "Unauthorized: "
#define KS(text) "CREATE KEYSPACE n WITH replication = " text
#define WITH(text) "CREATE TABLE n (k int PRIMARY KEY) WITH " text
#define SASI "'org.apache.cassandra.index.sasi.SASIIndex'"
#define ANALYZER(name) \
	"{'analyzer_class': 'org.apache.cassandra.index.sasi.analyzer." name "'}"

static const struct { const char *cql, *expected; } rules[] = {
#include "tests/unit/store/cql/ddl_rules.h"
};

START_TEST(a_rule)
{
	bool syntax = strstr(rules[_i].expected, SYNTAX "line") != NULL;

	if (!strncmp(rules[_i].cql, "ALTER TABLE counted ADD", 23))
		ok("ALTER TABLE counted DROP n");
	if (strstr(rules[_i].cql, "ADD w text STATIC"))
		ok("ALTER TABLE t DROP w");
	if (syntax)	/* the words after the place are our own */
		ck_assert_int_eq(run(rules[_i].cql), -EINVAL);
	else
		expect(rules[_i].cql, rules[_i].expected);
}
END_TEST

START_TEST(without_a_keyspace)
{
	struct cql_session *with = session;

	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	expect("CREATE TABLE x (k int PRIMARY KEY)",
	       INVALID "No keyspace has been specified. USE a keyspace, or "
		       "explicitly specify keyspace.tablename");
	expect("DESCRIBE TABLE x",
	       INVALID "No keyspace specified and no current keyspace");
	ok("CREATE TABLE k.x (k int PRIMARY KEY)");
	gives("DESCRIBE TYPES", 2, "plain\nu\ntheirs\n");
	cql_session_free(session);
	session = with;
}
END_TEST

/* ---------------------------------------------------------------- DESCRIBE */
static const char *const makers[] = {
	"CREATE TYPE z (a int)",
	"CREATE TYPE a (f frozen<z>, g frozen<map<text, frozen<z>>>)",
	"CREATE TYPE \"byte\" (a int)", "CREATE TYPE \"text\" (a frozen<\"byte\">, "
	"b text, \"json\" set<int>)",
	"CREATE TYPE \"B c\" (\"X\" tuple<int, frozen<a>>, v vector<float, 2>)",
	"CREATE TABLE one (k int PRIMARY KEY, v frozen<a>, w z, x 'LongType', "
	"y frozen<\"text\">)",
	"CREATE TABLE two (\"K\" int, b text, c timeuuid, d int, s set<int> "
	"STATIC, \"qu\"\"ote\" frozen<\"B c\">, m map<text, frozen<list<int>>>, "
	"PRIMARY KEY ((\"K\", b), c, d)) WITH CLUSTERING ORDER BY (c DESC) AND "
	"comment = 'it''s' AND compaction = {'class': "
	"'LeveledCompactionStrategy'} AND compression = {'class': "
	"'ZstdCompressor', 'compression_level': 3, 'min_compress_ratio': 1.1} "
	"AND speculative_retry = '99.50percentile' AND additional_write_policy "
	"= 'max(50ms, 99p)' AND cdc = true AND incremental_backups = 'no' AND "
	"caching = {'keys': 'none', 'rows_per_partition': '10'} AND memtable = "
	"'trie' AND read_repair = 'none'",
	"CREATE TABLE counts (k text, c int, n counter, PRIMARY KEY (k, c)) "
	"WITH compression = {}",
	"CREATE INDEX ON two (d)", "CREATE INDEX ON two (keys(m))",
	"CREATE INDEX ON two (m)",
	"CREATE CUSTOM INDEX words ON two (b) USING 'sai' WITH OPTIONS = "
	"{}",
	"CREATE CUSTOM INDEX ON one (x) USING " SASI " WITH OPTIONS = "
	"{'mode': 'SPARSE'}",
	"ALTER TABLE two RENAME d TO \"D d\"",
	"ALTER TABLE one DROP w USING TIMESTAMP 5",
};

static void make_all(void)
{
	/* The index on d is in the way of its new name, and w of z not
	 * frozen. */
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		if (strstr(makers[i], "RENAME"))
			ok("DROP INDEX two_d_idx");
		if (strstr(makers[i], "DROP w"))
			expect(makers[i], INVALID "Cannot drop non-frozen "
				"column w of user type z");
		else
			ok(makers[i]);
	}
	ok("CREATE INDEX ON two (\"D d\")");
}

/* Run each statement of a text whose statements end in ";\n". */
static void run_all(char *text)
{
	char *end;

	for (; *text; text = end) {
		end = strstr(text, ";\n");
		ck_assert_ptr_nonnull(end);
		*end = 0;
		end += 2;
		ok(text);
	}
}

START_TEST(describe_makes_it_again)
{
	char *first, *again, *columns, *copy;

	ok("DROP KEYSPACE k");
	ok("CREATE KEYSPACE k WITH replication = {'class': "
	   "'NetworkTopologyStrategy', 'eu-west': 3, 'asia': 0} AND "
	   "durable_writes = false");
	make_all();
	first = column_of("DESCRIBE KEYSPACE k", 3);
	columns = column_of("SELECT toJson(column_name), kind, type FROM "
			    "system_schema.columns WHERE keyspace_name = 'k'",
			    2);
	copy = mem_copy(first, strlen(first));
	ok("DROP KEYSPACE k");
	run_all(copy);
	again = column_of("DESCRIBE k", 3);
	ck_assert_str_eq(first, again);
	gives("SELECT toJson(column_name), kind, type FROM "
	      "system_schema.columns WHERE keyspace_name = 'k'", 2, columns);
	mem_free(first);
	mem_free(again);
	mem_free(copy);
	mem_free(columns);
}
END_TEST

START_TEST(describe_with_internals_makes_it_again)
{
	char *first, *copy;

	ok("ALTER TABLE flat ADD (x list<int>, y text)");
	ok("ALTER TABLE flat DROP x USING TIMESTAMP 77");
	ok("ALTER TABLE flat DROP y USING TIMESTAMP 78");
	ok("ALTER TABLE flat ADD y text");
	first = column_of("DESCRIBE TABLE flat WITH INTERNALS", 3);
	ck_assert_ptr_nonnull(strstr(first, "DROP y USING TIMESTAMP 78;"));
	copy = mem_copy(first, strlen(first));
	ok("DROP TABLE flat");
	run_all(copy);
	gives("DESCRIBE TABLE flat WITH INTERNALS", 3, first);
	expect("CREATE TABLE twin (k int PRIMARY KEY) WITH id = "
	       "5b0a1a1e-0000-1000-8000-000000000000", "ok");
	expect("CREATE TABLE twin2 (k int PRIMARY KEY) WITH id = "
	       "'5b0a1a1e-0000-1000-8000-000000000000'",
	       WRONG "The table id is in use already");
	mem_free(first);
	mem_free(copy);
}
END_TEST

START_TEST(a_compact_table_makes_itself_again)
{
	static const char *const names[] = { "dense", "sparse" };
	struct table *t = test_table(store.store, "k", names[_i]), *again;
	struct buf text = BUF_INIT, other = BUF_INIT;

	cql_print_table(&text, t, 0);
	test_drop_table(store.store, "k", names[_i]);
	ok(buf_cstr(&text));
	again = test_table(store.store, "k", names[_i]);
	cql_print_table(&other, again, 0);
	ck_assert_str_eq(buf_cstr(&text), buf_cstr(&other));
	ck_assert_uint_eq(again->flags, t->flags);
	ck_assert_uint_eq(again->column_count, t->column_count);
	for (uint32_t i = 0; i < t->column_count; i++) {
		ck_assert_str_eq(again->columns[i].name, t->columns[i].name);
		ck_assert_int_eq(again->columns[i].kind, t->columns[i].kind);
		ck_assert_int_eq(again->columns[i].hidden,
				 t->columns[i].hidden);
	}
	table_put(t);
	table_put(again);
	buf_release(&text);
	buf_release(&other);
}
END_TEST

START_TEST(a_compact_table_without_a_value_makes_itself_again)
{
	char *first, *copy;

	ok("CREATE TABLE keys (a int, b int, PRIMARY KEY (a, b)) WITH COMPACT "
	   "STORAGE");
	ok("ALTER TABLE keys DROP COMPACT STORAGE");
	first = column_of("DESCRIBE TABLE keys", 3);
	ck_assert_ptr_nonnull(strstr(first, "value empty,"));
	copy = mem_copy(first, strlen(first));
	ok("DROP TABLE keys");
	run_all(copy);
	gives("DESCRIBE TABLE keys", 3, first);
	expect("CREATE TABLE n (value empty PRIMARY KEY)",
	       INVALID "Unknown type k.empty");
	ok("CREATE TYPE empty (a int)");
	ok("CREATE TABLE n (k int PRIMARY KEY, value frozen<empty>, e empty)");
	gives("SELECT type FROM system_schema.columns WHERE keyspace_name = "
	      "'k' AND table_name = 'n' AND column_name = 'e'", 0, "empty\n");
	ok("INSERT INTO n (k, e) VALUES (1, {a: 2})");
	mem_free(first);
	mem_free(copy);
}
END_TEST

START_TEST(describe_lists)
{
	ok("CREATE TABLE \"Flat\" (k int PRIMARY KEY)");
	gives("DESCRIBE TABLES", 2, "counted\ndense\nflat\n\"Flat\"\nsparse\nt\n");
	gives("DESC TYPES", 2, "plain\nu\n");
	gives("DESCRIBE FUNCTIONS", 2, "");
	gives("DESCRIBE AGGREGATES", 0, "");
	gives("DESCRIBE CLUSTER", 1, "Murmur3Partitioner\n");
	gives("DESCRIBE TABLE t", 2, "t\nby_v\n");
	gives("DESCRIBE t", 1, "table\nindex\n");
	gives("DESCRIBE by_v", 3, "CREATE INDEX by_v ON k.t (v);\n");
	gives("DESCRIBE ONLY KEYSPACE k", 1, "keyspace\n");
	gives("DESCRIBE KEYSPACES", 2, "k\nother\nsystem\nsystem_schema\n");
	gives("DESCRIBE SCHEMA", 0, "k\nk\nk\nk\nk\nk\nk\nk\nk\nk\nother\nother\n");
}
END_TEST

/* ------------------------------------------------------------- replication */
static const struct { const char *create, *alter, *shown; } replications[] = {
	{ "{'class': 'SimpleStrategy'}", NULL,
	  "{'class': 'SimpleStrategy', 'replication_factor': '1'}" },
	{ "{'class': 'NetworkTopologyStrategy'}", NULL,
	  "{'class': 'NetworkTopologyStrategy', 'datacenter1': '1'}" },
	{ "{'class': 'NetworkTopologyStrategy', 'replication_factor': 3}", NULL,
	  "{'class': 'NetworkTopologyStrategy', 'datacenter1': '3'}" },
	{ "{'class': 'NetworkTopologyStrategy', 'a': 2, 'b': 0}",
	  "{'class': 'NetworkTopologyStrategy', 'replication_factor': 5}",
	  "{'class': 'NetworkTopologyStrategy', 'a': '2', 'datacenter1': "
	  "'5'}" },
	{ "{'class': 'SimpleStrategy', 'replication_factor': 2}",
	  "{'class': 'NetworkTopologyStrategy'}",
	  "{'class': 'NetworkTopologyStrategy', 'datacenter1': '2'}" },
	{ "{'class': 'SimpleStrategy', 'replication_factor': 2}",
	  "{'class': 'org.apache.cassandra.locator.SimpleStrategy'}",
	  "{'class': 'SimpleStrategy', 'replication_factor': '2'}" },
};

START_TEST(replication_is_completed)
{
	char text[400];

	snprintf(text, sizeof(text), "CREATE KEYSPACE r WITH replication = %s",
		 replications[_i].create);
	ok(text);
	snprintf(text, sizeof(text), "ALTER KEYSPACE r WITH replication = %s",
		 replications[_i].alter);
	if (replications[_i].alter)
		ok(text);
	snprintf(text, sizeof(text), "CREATE KEYSPACE r WITH replication = %s "
		 " AND durable_writes = true;\n", replications[_i].shown);
	gives("DESCRIBE ONLY KEYSPACE r", 3, text);
}
END_TEST

/* ------------------------------------------------------ warnings and rights */
static void warned(const char *cql, const char *first, const char *second)
{
	struct cql_result *result;

	ck_assert_int_eq(cql_execute(session, bytes_str(cql), &result), 0);
	ck_assert_ptr_nonnull(cql_result_warning(result, 0));
	ck_assert_str_eq(cql_result_warning(result, 0), first);
	if (second)
		ck_assert_str_eq(cql_result_warning(result, 1), second);
	else
		ck_assert_ptr_null(cql_result_warning(result, 1));
	cql_result_free(result);
}

static void not_warned(const char *cql)
{
	struct cql_result *result;

	ck_assert_int_eq(cql_execute(session, bytes_str(cql), &result), 0);
	ck_assert_ptr_null(cql_result_warning(result, 0));
	cql_result_free(result);
}

START_TEST(statements_give_warnings)
{
	warned("CREATE KEYSPACE r WITH replication = {'class': "
	       "'SimpleStrategy', 'replication_factor': 3}",
	       "Your replication factor 3 for keyspace r is higher than the "
	       "number of nodes 1", NULL);
	warned("ALTER KEYSPACE r WITH replication = {'class': "
	       "'NetworkTopologyStrategy', 'eu': 4}",
	       "Your replication factor 4 for keyspace r is higher than the "
	       "number of nodes 1 for datacenter eu",
	       "When increasing replication factor you need to run a full "
	       "(-full) repair to distribute the data.");
	warned("CREATE CUSTOM INDEX ON flat (v) USING " SASI,
	       "SASI indexes are experimental and are not recommended for "
	       "production use.", NULL);
	warned("CREATE TABLE zipped (k int PRIMARY KEY) WITH compression = "
	       "{'class': 'ZstdCompressor', 'chunk_length_in_kb': 2048}",
	       "Chunks of 2048 KiB are not made here: they have 1024 KiB at "
	       "most", NULL);
	not_warned("ALTER TABLE zipped WITH compression = {'class': "
		   "'org.apache.cassandra.io.compress.DeflateCompressor'}");
	not_warned("ALTER TABLE zipped WITH compression = {'class': "
		   "'NoopCompressor'}");
	not_warned("ALTER TABLE zipped WITH compression = {'class': "
		   "'LZ4Compressor', 'chunk_length_in_kb': 1024}");
}
END_TEST

static bool may_only_read(void *context, const struct keyspace *k,
			  const struct table *t, enum cql_right right)
{
	const char *name = context;

	return right == CQL_READ || right == CQL_ENTER ||
	       (right != CQL_DDL && t) || (k && strcmp(k->name, name));
}

START_TEST(rights_and_owners)
{
	char name[] = "k";
	struct table *t;

	cql_session_owner(session, 12, 34, 0750);
	ok("CREATE TABLE mine (k int PRIMARY KEY)");
	t = test_table(store.store, "k", "mine");
	ck_assert_uint_eq(t->uid, 12);
	ck_assert_uint_eq(t->gid, 34);
	ck_assert_uint_eq(t->mode, 0750);
	table_put(t);
	cql_session_rights(session, may_only_read, name);
	ck_assert_int_eq(run("DROP TABLE mine"), -EACCES);
	ck_assert_int_eq(run("ALTER TABLE t ADD x int"), -EACCES);
	ck_assert_int_eq(run("CREATE INDEX ON t (c)"), -EACCES);
	ck_assert_int_eq(run("CREATE KEYSPACE x WITH replication = " SIMPLE),
			 -EACCES);
	ck_assert_int_eq(run("DROP TYPE other.theirs"), 0);
	ck_assert_int_eq(run("DESCRIBE TABLE t"), 0);
}
END_TEST

static void add_provisional(void)
{
	struct table *t = table_new("k", "p");

	table_add_column(t, "key", type_native(TYPE_TEXT),
			 COLUMN_PARTITION_KEY, false);
	t->flags = TABLE_PROVISIONAL;
	t->mode = 0710;
	ck_assert_int_eq(table_finish(t), 0);
	table_put(test_add_table(store.store, t));
}

/* A table that mkdir made takes the shape that is given to it. */
START_TEST(a_provisional_table_is_replaced)
{
	struct table *t;

	add_provisional();
	ok("CREATE TABLE IF NOT EXISTS p (a int PRIMARY KEY)");
	t = test_table(store.store, "k", "p");
	ck_assert_str_eq(t->columns[0].name, "a");
	ck_assert_uint_eq(t->flags, 0);
	ck_assert_uint_eq(t->mode, 0710);
	table_put(t);
	expect("CREATE TABLE p (a int PRIMARY KEY)",
	       "AlreadyExists: Cannot add already existing table \"p\" to "
	       "keyspace \"k\"");
}
END_TEST

/* Gives the new table one row, and then what the test says. */
static int adopt(void *context, struct table *from, struct table *to)
{
	struct write w;

	ck_assert_str_eq(from->name, to->name);
	ck_assert_uint_ne(from->number, to->number);
	write_init(&w, store.store);
	write_row(&w, to, bytes_of("\0\0\0\7", 4), &BYTES_NULL);
	write_marker(&w, store_timestamp(store.store), 0);
	ck_assert_int_eq(commit_fill(&w), 0);
	write_release(&w);
	return *(int *)context;
}

/* Rows are never lost for it: they stay, or are brought over. */
START_TEST(a_provisional_table_with_rows)
{
	int result = -EEXIST;

	add_provisional();
	ok("INSERT INTO p (key) VALUES ('x')");
	expect("CREATE TABLE p (a int PRIMARY KEY)",
	       "AlreadyExists: Cannot add already existing table \"p\" to "
	       "keyspace \"k\"");
	ok("CREATE TABLE IF NOT EXISTS p (a int PRIMARY KEY)");
	cql_session_adopt(session, adopt, &result);
	ck_assert_int_eq(run("CREATE TABLE p (a int PRIMARY KEY)"), -EEXIST);
	gives("SELECT JSON * FROM p", 0, "{\"key\": \"x\"}\n");
	result = 0;
	ok("CREATE TABLE p (a int PRIMARY KEY)");
	gives("SELECT JSON * FROM p", 0, "{\"a\": 7}\n");
	cql_session_free(session);
	test_store_reopen(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	gives("SELECT JSON * FROM k.p", 0, "{\"a\": 7}\n");
}
END_TEST

/* ----------------------------------------------------------------- bounds */
/* A type that names the one before twice: its tree would have 2^n nodes. */
START_TEST(types_do_not_explode)
{
	char text[200];
	int err = 0, i;

	ok("CREATE TYPE t0 (a int, b int)");
	for (i = 1; i < 64 && !err; i++) {
		snprintf(text, sizeof(text), "CREATE TYPE t%d (a frozen<t%d>, "
			 "b frozen<t%d>)", i, i - 1, i - 1);
		err = run(text);
	}
	ck_assert_int_eq(err, -EINVAL);
	ck_assert_int_lt(i, 20);
	/* Nor by growing at the bottom. */
	for (i = 0; i < 10 && !err; i++) {
		snprintf(text, sizeof(text), "ALTER TYPE t0 ADD c%d int", i);
		err = run(text);
	}
	ck_assert_int_eq(err, -EINVAL);
}
END_TEST

START_TEST(types_are_bounded_in_depth)
{
	struct buf text = BUF_INIT;
	int depth = 1;

	ok("CREATE TYPE d0 (a int)");
	for (; depth < 40; depth++) {
		buf_clear(&text);
		buf_add_format(&text, "CREATE TYPE d%d (a frozen<d%d>)", depth,
			       depth - 1);
		if (run(buf_cstr(&text)))
			break;
	}
	ck_assert_int_eq(depth, TYPE_DEPTH_MAX - 1);
	expect("ALTER TYPE d0 ADD b tuple<tuple<int>>",
	       INVALID "Types may be nested 32 deep at most");
	buf_release(&text);
}
END_TEST

START_TEST(many_tables)
{
	char text[100];
	int count = test_scale(300);

	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text),
			 "CREATE TABLE many%d (k int PRIMARY KEY, v int)", i);
		ok(text);
	}
	for (int i = 0; i < count; i += 2) {
		snprintf(text, sizeof(text), "DROP TABLE many%d", i);
		ok(text);
	}
	cql_session_free(session);
	test_store_reopen(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	ok("USE k");
	expect("DROP TABLE many0", INVALID "Table 'k.many0' doesn't exist");
	ok("DROP TABLE many1");
}
END_TEST

/* ----------------------------------------------------------- out of memory */
static const char *const repeatable[] = {
	"CREATE KEYSPACE IF NOT EXISTS r WITH replication = {'class': "
	"'NetworkTopologyStrategy', 'eu': 2}",
	"ALTER KEYSPACE other WITH replication = {'class': "
	"'NetworkTopologyStrategy', 'replication_factor': 2}",
	"CREATE TYPE IF NOT EXISTS made (a int, b frozen<map<text, "
	"frozen<plain>>>, c tuple<int, frozen<u>>)",
	"ALTER TYPE plain ADD IF NOT EXISTS x list<int>",
	"ALTER TYPE u RENAME IF EXISTS a TO aa AND b TO bb",
	"CREATE TABLE IF NOT EXISTS made (k frozen<plain>, c int, s int STATIC, "
	"v list<int>, PRIMARY KEY (k, c)) WITH comment = 'x' AND compaction = "
	"{'class': 'LeveledCompactionStrategy'} AND compression = {'class': "
	"'ZstdCompressor'} AND CLUSTERING ORDER BY (c DESC)",
	"CREATE TABLE IF NOT EXISTS packed (k int PRIMARY KEY, v int) WITH "
	"COMPACT STORAGE",
	"ALTER TABLE flat ADD IF NOT EXISTS (x int, y map<int, text>)",
	"ALTER TABLE flat DROP IF EXISTS (x, y)",
	"ALTER TABLE flat WITH caching = {'keys': 'NONE'} AND cdc = true",
	"CREATE INDEX IF NOT EXISTS ON t (keys(m))",
	"CREATE CUSTOM INDEX IF NOT EXISTS i ON t (w) USING " SASI
	" WITH OPTIONS = {'mode': 'CONTAINS'}",
	"DROP INDEX IF EXISTS by_v", "DROP TABLE IF EXISTS made",
	"DROP TYPE IF EXISTS made", "DROP KEYSPACE IF EXISTS r",
	"DESCRIBE FULL SCHEMA", "DESCRIBE CLUSTER",
};

START_TEST(statements_fail_without_memory)
{
	int err = -ENOMEM;
	long n;

	for (n = 1; err && n < 5000; n++) {
		mem_fail_at(n, 0);
		err = run(repeatable[_i]);
		mem_fail_at(0, 0);
		ck_assert_msg(!err || err == -ENOMEM, "%s: %ld: %d %s",
			      repeatable[_i], n, err,
			      cql_session_error(session)->message);
	}
	ck_assert_int_eq(err, 0);
	ok(repeatable[_i]);
	ok("DESCRIBE SCHEMA");
}
END_TEST

SUITE(ddl)
{
	TCase *tc = tcase_create("ddl");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_rule, 0, ARRAY_SIZE(rules));
	tcase_add_test(tc, without_a_keyspace);
	tcase_add_test(tc, describe_makes_it_again);
	tcase_add_test(tc, describe_with_internals_makes_it_again);
	tcase_add_loop_test(tc, a_compact_table_makes_itself_again, 0, 2);
	tcase_add_test(tc, a_compact_table_without_a_value_makes_itself_again);
	tcase_add_test(tc, describe_lists);
	tcase_add_loop_test(tc, replication_is_completed, 0,
			    ARRAY_SIZE(replications));
	tcase_add_test(tc, statements_give_warnings);
	tcase_add_test(tc, rights_and_owners);
	tcase_add_test(tc, a_provisional_table_is_replaced);
	tcase_add_test(tc, a_provisional_table_with_rows);
	tcase_add_test(tc, types_do_not_explode);
	tcase_add_test(tc, types_are_bounded_in_depth);
	tcase_add_test(tc, many_tables);
	tcase_add_loop_test(tc, statements_fail_without_memory, 0,
			    ARRAY_SIZE(repeatable));
	suite_add_tcase(suite, tc);
}
