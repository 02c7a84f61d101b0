/*
 * Stores of all old versions can be opened. tests/golden/store/N is a store
 * that the program of store format N wrote, with data in each of our formats on
 * disk; tests/golden/store/N.answers has the answers of that program. Run from
 * the top of the source tree.
 *
 * To make a new one, once, when a format changes (statements may be added
 * then): WIDEFS_GOLDEN=DIRECTORY build/check-unit golden_store, and keep what
 * it wrote.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/snapshot.h"
#include "tests/lib/answers.h"
#include "tests/lib/tree.h"
#include "tests/unit/suite.h"

#define VERSION 7	/* of the store's format */
#define NOW_S ((int64_t)1700000000)
#define OWNER 1001	/* of its snapshots, from version 7 on */

static const char *const statements[] = {
	TEST_KEYSPACE,
	"CREATE KEYSPACE gone WITH replication = {'class': 'SimpleStrategy', "
	"'replication_factor': 1} AND durable_writes = false",
	"DROP KEYSPACE gone",
	"CREATE TYPE k.address (street text, zip int)",
	"ALTER TYPE k.address ADD country text",
	/* Every kind of key component, both ways. */
	"CREATE TABLE k.keys (p text, q blob, a ascii, b boolean, i int, "
	"big bigint, d decimal, v varint, f float, g double, dt date, ti time, "
	"ts timestamp, u uuid, tu timeuuid, n inet, l frozen<list<int>>, "
	"t tuple<int, text>, small smallint, tiny tinyint, x int, "
	"PRIMARY KEY ((p, q), a, b, i, big, d, v, f, g, dt, ti, ts, u, tu, n, "
	"l, t, small, tiny)) WITH CLUSTERING ORDER BY (a DESC, b ASC, i DESC, "
	"big ASC, d DESC, v ASC, f DESC, g ASC, dt DESC, ti ASC, ts DESC, "
	"u ASC, tu DESC, n ASC, l DESC, t ASC, small DESC, tiny ASC)",
	"INSERT INTO k.keys (p, q, a, b, i, big, d, v, f, g, dt, ti, ts, u, "
	"tu, n, l, t, small, tiny, x) VALUES ('p', 0x000100, 'a', true, -1, 2, "
	"1.00, -300, -1.5, 2.5, '2020-01-02', '01:02:03', "
	"'2020-01-02T03:04:05Z', 123e4567-e89b-42d3-a456-426614174000, "
	"123e4567-e89b-12d3-a456-426614174000, '::1', [1, 2], (1, 'x'), 3, 4, "
	"1)",
	"INSERT INTO k.keys (p, q, a, b, i, big, d, v, f, g, dt, ti, ts, u, "
	"tu, n, l, t, small, tiny, x) VALUES ('p', 0x000100, '', false, 7, -2, "
	"-20.5, 1000000000000000000000, 0.0, -2.5, '1960-01-02', '00:00:00', "
	"'1960-01-02T03:04:05Z', 123e4567-e89b-12d3-a456-426614174000, "
	"223e4567-e89b-12d3-a456-426614174000, '10.0.0.1', [], (null, 'x'), "
	"-3, -4, 2)",
	/* Every kind of cell. */
	"CREATE TABLE k.cells (p int, c int, s text STATIC, v int, w text, "
	"l list<text>, m map<text, int>, e set<decimal>, a address, "
	"fa frozen<address>, vec vector<float, 2>, d duration, gone int, "
	"PRIMARY KEY (p, c)) WITH comment = 'cells' AND gc_grace_seconds = "
	"1000 AND default_time_to_live = 0 AND compaction = {'class': "
	"'LeveledCompactionStrategy'} AND extensions = {'e': '0xff'}",
	"CREATE INDEX by_v ON k.cells (v)",
	"CREATE INDEX by_key ON k.cells (KEYS(m))",
	"CREATE CUSTOM INDEX by_w ON k.cells (w) USING "
	"'org.apache.cassandra.index.sasi.SASIIndex' WITH OPTIONS = "
	"{'mode': 'CONTAINS'}",
	"INSERT INTO k.cells (p, c, s, v, w, l, m, e, a, fa, vec, d, gone) "
	"VALUES (1, 1, 'static', 5, 'some words', ['a', 'b'], {'x': 1, 'y': 2},"
	" {1.0, 2.50}, {street: 'here', zip: 1}, {street: 'there', zip: 2}, "
	"[1.5, -2], 1mo2d3h, 9)",
	"ALTER TABLE k.cells DROP gone",
	"ALTER TABLE k.cells ADD late text",
	"INSERT INTO k.cells (p, c, v, w) VALUES (1, 2, 6, 'ends') "
	"USING TTL 1000",
	"INSERT INTO k.cells (p, c, v) VALUES (1, 3, 6) USING TIMESTAMP 5",
	"INSERT INTO k.cells (p, c, v) VALUES (2, 1, 5)",
	"INSERT INTO k.cells (p, c, v) VALUES (3, 1, 5)",
	"flush",
	"UPDATE k.cells SET l = l + ['c'], m['z'] = 3, e = e - {1.0}, "
	"a.zip = 7 WHERE p = 1 AND c = 1",
	"DELETE m['x'] FROM k.cells WHERE p = 1 AND c = 1",
	"DELETE v FROM k.cells WHERE p = 1 AND c = 3",
	"DELETE FROM k.cells WHERE p = 2",
	"DELETE FROM k.cells WHERE p = 3 AND c >= 1 AND c < 9",
	"CREATE TABLE k.counters (p int PRIMARY KEY, n counter)",
	"UPDATE k.counters SET n = n + 5 WHERE p = 1",
	/* COMPACT STORAGE, and what becomes of it. */
	"CREATE TABLE k.dense (p int, c int, v int, PRIMARY KEY (p, c)) "
	"WITH COMPACT STORAGE",
	"INSERT INTO k.dense (p, c, v) VALUES (1, 1, 1)",
	"CREATE TABLE k.flat (p int PRIMARY KEY, v int) WITH COMPACT STORAGE",
	"INSERT INTO k.flat (p, v) VALUES (1, 1)",
	"CREATE TABLE k.was (p int PRIMARY KEY, v int) WITH COMPACT STORAGE",
	"INSERT INTO k.was (p, v) VALUES (1, 1)",
	"flush",
	"ALTER TABLE k.was DROP COMPACT STORAGE",
	"INSERT INTO k.was (p, column1, v, value) VALUES (1, 'late', 2, 0x00)",
	"INSERT INTO k.was (p, column1, v) VALUES (2, 'later', 3)",
	"CREATE TABLE k.dropped (p int PRIMARY KEY)",
	"INSERT INTO k.dropped (p) VALUES (1)",
	"DROP TABLE k.dropped",
	"CREATE TABLE k.emptied (p int PRIMARY KEY)",
	"INSERT INTO k.emptied (p) VALUES (1)",
	"TRUNCATE k.emptied",
	"INSERT INTO k.emptied (p) VALUES (2)",
	"CREATE TABLE k.masked (p int PRIMARY KEY, v int)",
	"ALTER TABLE k.masked ADD (w text MASKED WITH mask_inner(1, null, '#'), "
	"a address MASKED WITH mask_replace({street: 'masked', zip: 0}), "
	"d text MASKED WITH DEFAULT)",
	"INSERT INTO k.masked (p, v, w) VALUES (1, 2, 'three')",
	"flush",
	/* In the log alone. */
	"INSERT INTO k.cells (p, c, s, v) VALUES (4, 1, 'log', 8)",
	"DELETE FROM k.cells WHERE p = 1 AND c > 3",
	"UPDATE k.counters SET n = n - 2 WHERE p = 1",
	"BEGIN BATCH INSERT INTO k.dense (p, c, v) VALUES (1, 2, 2); "
	"INSERT INTO k.flat (p, v) VALUES (2, 2) APPLY BATCH",
};

static const char *const queries[] = {
	"SELECT keyspace_name, durable_writes, replication FROM "
	"system_schema.keyspaces WHERE keyspace_name = 'k'",
	"SELECT type_name, field_names, field_types FROM system_schema.types "
	"WHERE keyspace_name = 'k'",
	"SELECT table_name, flags, comment, gc_grace_seconds, compaction, "
	"compression, bloom_filter_fp_chance FROM system_schema.tables WHERE "
	"keyspace_name = 'k'",
	"SELECT table_name, column_name, kind, position, clustering_order, "
	"type FROM system_schema.columns WHERE keyspace_name = 'k'",
	"SELECT table_name, column_name, kind, type FROM "
	"system_schema.dropped_columns WHERE keyspace_name = 'k'",
	"SELECT table_name, index_name, kind, options FROM "
	"system_schema.indexes WHERE keyspace_name = 'k'",
	"SELECT table_name, column_name, function_name, "
	"function_argument_types, function_argument_values, "
	"function_argument_nulls FROM system_schema.column_masks WHERE "
	"keyspace_name = 'k'",
	"SELECT * FROM k.keys", "SELECT * FROM k.cells",
	"SELECT p, c FROM k.cells WHERE v = 5",
	"SELECT p, c FROM k.cells WHERE m CONTAINS KEY 'y'",
	"SELECT p, c FROM k.cells WHERE w LIKE '%word%'",
	"SELECT c, writetime(v), ttl(w) FROM k.cells WHERE p = 1",
	"SELECT * FROM k.counters", "SELECT * FROM k.dense",
	"SELECT * FROM k.flat", "SELECT * FROM k.was",
	"SELECT * FROM k.was WHERE p = 1 AND column1 = 'late'",
	"SELECT * FROM k.emptied",
};

/* Times that are set in this order, each of another kind of object. */
static const struct { const char *path; int64_t seconds; } times[] = {
	{ "k/cells/1/1/v", 1000000001 }, { "k/cells/1/1/l", 1000000002 },
	{ "k/cells/1/1", 1000000003 }, { "k/cells/1/@static", 1000000004 },
	{ "k/cells/1", 1000000005 }, { "k/cells", 1000000006 },
	{ "k/schema.cql", 1000000007 }, { "k", 1000000008 },
	{ "", 1000000009 },
};

static void make(struct tree *t)
{
	struct cql_session *session;
	struct buf message = BUF_INIT;
	size_t i;

	ck_assert_int_eq(cql_session_new(&session, t->store.store), 0);
	cql_session_owner(session, OWNER, OWNER, 0755);
	for (i = 0; i < ARRAY_SIZE(statements); i++) {
		if (!strcmp(statements[i], "flush"))
			ck_assert_int_eq(store_flush(t->store.store, NULL), 0);
		else if (answer_to(session, statements[i], &message))
			ck_abort_msg("%s: %s", statements[i],
				     buf_cstr(&message));
	}
	cql_session_free(session);
	buf_release(&message);
	for (i = 0; i < ARRAY_SIZE(times); i++)
		ck_assert_int_eq(tree_utimens(t, times[i].path,
					      times[i].seconds), 0);
}

static void ask(struct tree *t, struct buf *out)
{
	static const char *const attributes[] = {
		"user.writetime", "user.expires",
	};
	struct cql_session *session;
	struct stat st;
	size_t i;
	int err;

	ck_assert_int_eq(cql_session_new(&session, t->store.store), 0);
	for (i = 0; i < ARRAY_SIZE(queries); i++) {
		buf_add_format(out, "%s\n", queries[i]);
		ck_assert_int_eq(answer_to(session, queries[i], out), 0);
	}
	cql_session_free(session);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		ck_assert_int_eq(tree_stat(t, times[i].path, &st), 0);
		buf_add_format(out, "mtime /%s %lld.%09ld\n", times[i].path,
			       (long long)st.st_mtim.tv_sec,
			       st.st_mtim.tv_nsec);
	}
	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		buf_add_format(out, "%s %s\n", attributes[i],
			       tree_getxattr(t, "k/cells/1/2/v", attributes[i],
					     &err));
}

static void write_file(const char *path, struct bytes contents)
{
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	fwrite(contents.ptr, 1, contents.len, file);
	ck_assert(!fclose(file));
}

static int remove_reserve(void *data, const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", (const char *)data, name);
	if (!strncmp(name, "reserve", 7))
		ck_assert(!unlink(path));
	return 0;
}

static void write_golden(const char *directory)
{
	struct buf answers = BUF_INIT;
	char path[300], engine[340];
	struct tree t;
	int dir;

	tree_open(&t);
	make(&t);
	tree_reopen(&t);
	ask(&t, &answers);
	snprintf(path, sizeof(path), "%s/new.answers", directory);
	write_file(path, buf_bytes(&answers));
	buf_release(&answers);
	fs_close(t.fs);
	ck_assert_int_eq(store_close(t.store.store), 0);
	snprintf(path, sizeof(path), "%s/new", directory);
	ck_assert(!rename(t.store.path, path));
	snprintf(engine, sizeof(engine), "%s/engine", path);
	dir = file_open(&file_system, AT_FDCWD, engine, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	ck_assert_int_eq(file_system.list(NULL, dir, remove_reserve, engine), 0);
	file_close(&file_system, dir);
	buf_release(&t.text);
}

static void check_answers(struct tree *t, const char *path)
{
	struct buf now = BUF_INIT;
	char then[60000];
	FILE *file = fopen(path, "rb");
	size_t len;

	ck_assert_ptr_nonnull(file);
	len = fread(then, 1, sizeof(then) - 1, file);
	ck_assert_uint_lt(len, sizeof(then) - 1);
	then[len] = 0;
	fclose(file);
	ask(t, &now);
	ck_assert_str_eq(buf_cstr(&now), then);
	buf_release(&now);
}

/* The snapshots that DROP and TRUNCATE made, which come last; from version 6 on
 * there is one of ALTER TABLE, too. Before version 7 they have no owner. */
static void check_snapshots(struct store *s, int version)
{
	struct manifest_snapshot *list;
	struct store *view;
	struct buf out = BUF_INIT;
	static const char *const all[] = { "SELECT * FROM k.emptied", NULL };
	size_t count, i;

	ck_assert_int_eq(snapshot_list(s, &list, &count), 0);
	ck_assert_uint_eq(count, version >= 6 ? 3 : 2);
	for (i = 0; i < count; i++)
		ck_assert_uint_eq(list[i].owner, version >= 7 ? OWNER :
						 MANIFEST_NO_OWNER);
	ck_assert_str_eq(list[count - 2].name, "dropped-1700000000000-dropped");
	ck_assert_str_eq(list[count - 1].name, "truncated-1700000000000-emptied");
	ck_assert_int_eq(snapshot_acquire(&view, s, list[count - 1].number), 0);
	ck_assert_int_eq(answers_to_all(view, all, &out), 0);
	ck_assert_ptr_nonnull(strstr(buf_cstr(&out), "[1]\n"));
	ck_assert_ptr_null(strstr(buf_cstr(&out), "[2]\n"));
	snapshot_release(s, view);
	buf_release(&out);
	mem_free(list);
}

static void ignore_report(void *context, const char *text)
{
	(void)context;
	ck_abort_msg("%s", text);
}

START_TEST(a_store_of_each_version_opens)	/* _i: the version */
{
	char directory[60], answers[80];
	struct tree t;

	snprintf(directory, sizeof(directory), "tests/golden/store/%d", _i);
	snprintf(answers, sizeof(answers), "%s.answers", directory);
	tree_open_copy(&t, directory);
	check_answers(&t, answers);
	/* The same of a store that this version wrote: from the log, flushed,
	 * merged. */
	tree_reopen(&t);
	check_answers(&t, answers);
	ck_assert_int_eq(store_compact(t.store.store, NULL), 0);
	tree_reopen(&t);
	check_answers(&t, answers);
	ck_assert_int_eq(store_verify(t.store.store, ignore_report, NULL), 0);
	if (_i >= 5)
		check_snapshots(t.store.store, _i);
	tree_close(&t);
}
END_TEST

/* Return the version of the store's format, from the marker. */
static uint32_t version_of(const struct tree *t)
{
	uint8_t marker[40];
	char path[200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/WIDEFS", t->store.path);
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(marker, 1, sizeof(marker), file),
			  sizeof(marker));
	fclose(file);
	return get_le32(marker + 8);
}

/* A reader does not write the new version; the next writer does. */
START_TEST(a_store_that_is_written_is_of_this_version)
{
	struct test_store *s;
	struct tree t;

	tree_open_copy(&t, "tests/golden/store/1");
	ck_assert_uint_eq(version_of(&t), VERSION);
	tree_close(&t);
	s = &t.store;
	test_store_copy(s, "tests/golden/store/1");
	s->options.read_only = true;
	ck_assert_int_eq(store_open(&s->store, s->path, &s->options, NULL,
				    NULL), 0);
	ck_assert_uint_eq(version_of(&t), 1);
	test_store_close(s);
}
END_TEST

START_TEST(a_golden_store_is_written)
{
	write_golden(getenv("WIDEFS_GOLDEN"));
}
END_TEST

static void set_up(void)
{
	clock_set_us(NOW_S * 1000000);
}

static void tear_down(void)
{
	clock_set_us(INT64_MIN);
}

SUITE(golden_store)
{
	TCase *tc = tcase_create("golden_store");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, test_timeout());
	if (getenv("WIDEFS_GOLDEN"))
		tcase_add_test(tc, a_golden_store_is_written);
	else
		tcase_add_loop_test(tc, a_store_of_each_version_opens, 1,
				    VERSION + 1);
	tcase_add_test(tc, a_store_that_is_written_is_of_this_version);
	suite_add_tcase(suite, tc);
}
