/* Snapshots of a store: their contents, the files that they hold, restores. */
#include "store/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/base/watch.h"
#include "store/cql/cql.h"
#include "store/schema/schema_move.h"
#include "store/table/present.h"
#include "tests/lib/answers.h"
#include "tests/lib/simfile.h"
#include "tests/lib/snapshots.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store t;

static void setup(void)
{
	snapshots_open(&t);
}

static void teardown(void)
{
	snapshots_close(&t);
}

static void run(const char *statement)
{
	snapshots_run(t.store, statement);
}

/* Check that the answer is one of two. */
static void answers_one_of(const char *statement, const char *wanted,
			   const char *or_that)
{
	struct cql_session *session;
	struct buf out = BUF_INIT;

	ck_assert_int_eq(cql_session_new(&session, t.store), 0);
	answer_to(session, statement, &out);
	if (!out.len || (strcmp(buf_cstr(&out), wanted) &&
			 strcmp(buf_cstr(&out), or_that)))
		ck_abort_msg("%s", out.len ? buf_cstr(&out) : "nothing");
	cql_session_free(session);
	buf_release(&out);
}

/* Move the table, or (table NULL) the keyspace, to another name. */
static int move(void *context, const struct schema *now, struct schema **next)
{
	const char *const *names = context;	/* keyspace, table, to */
	struct buf why = BUF_INIT;
	int err;

	*next = schema_copy(now);
	ck_assert_ptr_nonnull(*next);
	if (names[1])
		err = schema_move_table(*next,
					schema_table(now, bytes_str(names[0]),
						     bytes_str(names[1])),
					bytes_str(names[0]), bytes_str(names[2]),
					&why);
	else
		err = schema_move_keyspace(*next, bytes_str(names[0]),
					   bytes_str(names[2]));
	buf_release(&why);
	return err;
}

static void rename_table(const char *keyspace, const char *table,
			 const char *to)
{
	const char *names[] = { keyspace, table, to };

	ck_assert_int_eq(store_edit_schema(t.store, move, names, 0), 0);
}

static void rename_keyspace(const char *keyspace, const char *to)
{
	const char *names[] = { keyspace, NULL, to };

	ck_assert_int_eq(store_edit_schema(t.store, move, names, 0), 0);
}

/* Compare the answer of the snapshot of that name with the wanted one. */
static void says(const char *name, const char *statement, const char *wanted)
{
	struct manifest_snapshot found;
	struct store *view;

	ck_assert_int_eq(snapshot_find(t.store, name, 0, &found), 0);
	ck_assert_int_eq(snapshot_acquire(&view, t.store, found.number), 0);
	snapshots_answer(view, statement, wanted);
	snapshot_release(t.store, view);
}

static uint64_t held(const char *name)
{
	struct manifest_snapshot found;
	uint64_t bytes;

	ck_assert_int_eq(snapshot_find(t.store, name, 0, &found), 0);
	ck_assert_int_eq(snapshot_held(t.store, found.number, &bytes), 0);
	return bytes;
}

static void restore(const char *name, const char *keyspace, const char *table,
		    int wanted)
{
	snapshots_restore(t.store, name, keyspace, table, wanted);
}

static size_t count_sstables(void)
{
	char command[300];
	FILE *p;
	int n = 0;

	snprintf(command, sizeof(command), "ls %s/engine | grep -c sst$",
		 t.path);
	p = popen(command, "r");
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(fscanf(p, "%d", &n), 1);
	pclose(p);
	return (size_t)n;
}

/* Return the only automatic snapshot. */
static struct manifest_snapshot automatic(void)
{
	struct manifest_snapshot *list, found;
	size_t count, i, seen = 0;

	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	for (i = 0; i < count; i++)
		if (list[i].automatic) {
			found = list[i];
			seen++;
		}
	ck_assert_uint_eq(seen, 1);
	mem_free(list);
	return found;
}

static void make_table(void)
{
	run(TEST_KEYSPACE);
	run("CREATE TABLE k.t (p int PRIMARY KEY, v int, l list<int>)");
	run("INSERT INTO k.t (p, v, l) VALUES (1, 10, [1, 2])");
}

START_TEST(names)
{
	static const char *const good[] = { "a", "before upgrade", "é", "%2Ea",
		"%40a", "a%2Ejson", "a%2Fb", "a%25", "%0A", "a.json2", "..%2Ea"
	};
	static const char *const bad[] = { "", ".", "..", ".a", "@a", "a/b",
		"a%", "a%2", "%41", "a%2f", "a\n", "a\x7f", "a.json",
		"a.ndjson", "a.csv", "a.cql", "%00" };
	char longest[257];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good) - 1; i++)
		ck_assert_msg(snapshot_name_is_valid(bytes_str(good[i])), "%s",
			      good[i]);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(!snapshot_name_is_valid(bytes_str(bad[i])), "%s",
			      bad[i]);
	memset(longest, 'x', 256);
	longest[256] = 0;
	ck_assert(!snapshot_name_is_valid(bytes_str(longest)));
	ck_assert_int_eq(snapshot_create(t.store, longest, 0), -EINVAL);
	longest[255] = 0;
	ck_assert_int_eq(snapshot_create(t.store, longest, 0), 0);
	ck_assert_int_eq(snapshot_create(t.store, longest, 0), -EEXIST);
	test_store_reopen(&t);
	ck_assert_int_eq(snapshot_create(t.store, longest, 0), -EEXIST);
	ck_assert_int_eq(snapshot_drop(t.store, longest), 0);
	ck_assert_int_eq(snapshot_drop(t.store, longest), -ENOENT);
}
END_TEST

START_TEST(a_snapshot_stays_as_it_was)
{
	make_table();
	ck_assert_int_eq(snapshot_create(t.store, "one", 0), 0);
	run("UPDATE k.t SET v = 11, l = l + [3] WHERE p = 1");
	run("INSERT INTO k.t (p, v) VALUES (2, 20)");
	ck_assert_int_eq(snapshot_create(t.store, "two", 0), 0);
	run("ALTER TABLE k.t ADD w text");
	run("DELETE FROM k.t WHERE p = 1");
	ck_assert_int_eq(store_flush(t.store, NULL), 0);
	ck_assert_int_eq(store_compact(t.store, NULL), 0);
	says("one", "SELECT * FROM k.t", "[1,[1, 2],10]\n");
	says("two", "SELECT p, v, l FROM k.t",
	     "[1,11,[1, 2, 3]]\n"
	     "[2,20,null]\n");
	test_store_reopen(&t);
	says("one", "SELECT * FROM k.t", "[1,[1, 2],10]\n");
	says("two", "SELECT p, v FROM k.t",
	     "[1,11]\n[2,20]\n");
	snapshots_answer(t.store, "SELECT * FROM k.t",
		"[2,null,20,null]\n");
	ck_assert_int_eq(store_verify(t.store, NULL, NULL), 0);
}
END_TEST

START_TEST(nothing_is_written_in_a_snapshot)
{
	struct manifest_snapshot found;
	struct store *view;
	struct cql_session *session;
	struct buf out = BUF_INIT;

	make_table();
	ck_assert_int_eq(snapshot_create(t.store, "s", 0), 0);
	ck_assert_int_eq(snapshot_find(t.store, "s", 0, &found), 0);
	ck_assert_int_eq(snapshot_acquire(&view, t.store, found.number), 0);
	ck_assert(store_is_read_only(view));
	ck_assert_int_eq(cql_session_new(&session, view), 0);
	ck_assert_int_eq(answer_to(session, "DELETE FROM k.t WHERE p = 1",
				   &out), -EROFS);
	ck_assert_int_eq(answer_to(session, "DROP TABLE k.t", &out), -EROFS);
	ck_assert_int_eq(answer_to(session, "TRUNCATE k.t", &out), -EROFS);
	cql_session_free(session);
	buf_release(&out);
	ck_assert_int_eq(snapshot_create(view, "x", 0), -EROFS);
	ck_assert_int_eq(store_sync(view), 0);
	snapshot_release(t.store, view);
}
END_TEST

START_TEST(cells_that_had_not_expired_then_are_there)
{
	run(TEST_KEYSPACE);
	run("CREATE TABLE k.t (p int PRIMARY KEY, v int)");
	run("INSERT INTO k.t (p, v) VALUES (1, 1) USING TTL 100");
	run("INSERT INTO k.t (p, v) VALUES (2, 2) USING TTL 10");
	clock_set_us((int64_t)1700000050 * 1000000);
	ck_assert_int_eq(snapshot_create(t.store, "s", 0), 0);
	clock_set_us((int64_t)1700100000 * 1000000);
	run("INSERT INTO k.t (p, v) VALUES (3, 3)");
	ck_assert_int_eq(store_flush(t.store, NULL), 0);
	ck_assert_int_eq(store_compact(t.store, NULL), 0);
	snapshots_answer(t.store, "SELECT p FROM k.t", "[3]\n");
	says("s", "SELECT p, ttl(v) FROM k.t", "[1,50]\n");
}
END_TEST

START_TEST(a_dropped_snapshot_frees_its_files)
{
	size_t before;
	uint64_t bytes;

	make_table();
	ck_assert_int_eq(snapshot_create(t.store, "one", 0), 0);
	ck_assert_uint_eq(held("one"), 0);
	ck_assert_int_eq(snapshot_create(t.store, "same", 0), 0);
	run("UPDATE k.t SET v = 11 WHERE p = 1");
	ck_assert_int_eq(store_compact(t.store, NULL), 0);
	ck_assert_int_eq(store_flush(t.store, NULL), 0);
	ck_assert_int_eq(store_compact(t.store, NULL), 0);
	/* Both snapshots hold the file: none of them alone. */
	ck_assert_uint_eq(held("one"), 0);
	before = count_sstables();
	ck_assert_int_eq(snapshot_drop(t.store, "same"), 0);
	ck_assert_uint_eq(count_sstables(), before);
	bytes = held("one");
	ck_assert_uint_gt(bytes, 0);
	says("one", "SELECT v FROM k.t", "[10]\n");
	ck_assert_int_eq(snapshot_drop(t.store, "one"), 0);
	ck_assert_uint_lt(count_sstables(), before);
	snapshots_answer(t.store, "SELECT v FROM k.t", "[11]\n");
	test_store_reopen(&t);
	snapshots_answer(t.store, "SELECT v FROM k.t", "[11]\n");
}
END_TEST

/* The reader goes on, and the files are removed when it ends. */
START_TEST(a_snapshot_is_dropped_beside_its_reader)
{
	struct manifest_snapshot found;
	struct store *view;
	size_t before;

	make_table();
	ck_assert_int_eq(snapshot_create(t.store, "s", 0), 0);
	run("DROP TABLE k.t");
	ck_assert_int_eq(snapshot_drop(t.store, automatic().name), 0);
	ck_assert_int_eq(snapshot_find(t.store, "s", 0, &found), 0);
	ck_assert_int_eq(snapshot_acquire(&view, t.store, found.number), 0);
	before = count_sstables();
	ck_assert_int_eq(snapshot_drop(t.store, "s"), 0);
	ck_assert_uint_eq(count_sstables(), before);
	snapshots_answer(view, "SELECT v FROM k.t", "[10]\n");
	snapshot_release(t.store, view);
	snapshot_rest(t.store);
	snapshot_rest(t.store);
	ck_assert_uint_lt(count_sstables(), before);
	ck_assert_int_eq(snapshot_acquire(&view, t.store, found.number),
			 -ENOENT);
}
END_TEST

START_TEST(drop_and_truncate_make_snapshots)
{
	struct manifest_snapshot found;

	make_table();
	run("CREATE TABLE k.other (p int PRIMARY KEY)");
	run("TRUNCATE k.t");
	found = automatic();
	ck_assert_str_eq(found.name, "truncated-1700000000000-t");
	/* It has only that table. */
	says(found.name, "SELECT v FROM k.t", "[10]\n");
	says(found.name, "SELECT table_name FROM system_schema.tables "
	     "WHERE keyspace_name = 'k'", "[\"t\"]\n");
	/* The table is empty: no other snapshot is made. */
	run("TRUNCATE k.t");
	run("DROP TABLE k.other");
	found = automatic();
	restore(found.name, NULL, NULL, 0);
	snapshots_answer(t.store, "SELECT v FROM k.t", "[10]\n");
	ck_assert_int_eq(snapshot_drop(t.store, found.name), 0);
	found = automatic();
	ck_assert_str_eq(found.name, "restored-1700000000000");
	ck_assert_int_eq(snapshot_drop(t.store, found.name), 0);
	run("DROP KEYSPACE k");
	found = automatic();
	ck_assert_str_eq(found.name, "dropped-1700000000000-t");
	test_store_reopen(&t);
	restore(found.name, "k", "t", 0);
	snapshots_answer(t.store, "SELECT v FROM k.t", "[10]\n");
}
END_TEST

START_TEST(a_table_may_have_no_automatic_snapshots)
{
	struct manifest_snapshot *list;
	size_t count;

	make_table();
	run("ALTER TABLE k.t WITH allow_auto_snapshot = false");
	run("TRUNCATE k.t");
	run("INSERT INTO k.t (p, v) VALUES (1, 1)");
	run("DROP TABLE k.t");
	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	ck_assert_uint_eq(count, 0);
	mem_free(list);
}
END_TEST

static bool stops(void *context)
{
	(void)context;
	return true;
}

START_TEST(an_interrupt_ends_drop_and_truncate)
{
	struct watch watch = { .stop = stops };
	struct table *table;

	make_table();
	table = test_table(t.store, "k", "t");
	watch_set(&watch);
	ck_assert_int_eq(store_truncate(t.store, table, 0), -EINTR);
	watch_set(NULL);
	snapshots_answer(t.store, "SELECT v FROM k.t", "[10]\n");
	ck_assert_int_eq(store_truncate(t.store, table, 0), 0);
	snapshots_answer(t.store, "SELECT v FROM k.t", "");
	table_put(table);
	says(automatic().name, "SELECT v FROM k.t", "[10]\n");
}
END_TEST

START_TEST(automatic_snapshots_are_bounded)
{
	struct manifest_snapshot *list;
	size_t count;
	int i;

	make_table();
	ck_assert_int_eq(snapshot_create(t.store, "mine", 0), 0);
	for (i = 0; i < SNAPSHOT_AUTOMATIC + 3; i++) {
		run("INSERT INTO k.t (p, v) VALUES (1, 1)");
		run("TRUNCATE k.t");
	}
	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	ck_assert_uint_eq(count, SNAPSHOT_AUTOMATIC + 1);
	ck_assert_str_eq(list[0].name, "mine");
	ck_assert_str_eq(list[1].name, "truncated-1700000000003-t");
	mem_free(list);
}
END_TEST

/* ----------------------------------------------------------------- restore */
#define ALL_ROWS "SELECT p, v, l FROM k.t"
#define ROWS_THEN "[1,10,[1, 2]]\n"

START_TEST(a_snapshot_is_restored_whole)
{
	int round;

	make_table();
	run("CREATE INDEX i ON k.t (v)");
	ck_assert_int_eq(snapshot_create(t.store, "s", 0), 0);
	for (round = 0; round < 2; round++) {
		run("UPDATE k.t SET v = 11 WHERE p = 1");
		run("ALTER TABLE k.t DROP l");
		run("DROP INDEX k.i");
		run("CREATE KEYSPACE later WITH replication = {'class': "
		    "'SimpleStrategy', 'replication_factor': 1}");
		restore("s", NULL, NULL, 0);
		snapshots_answer(t.store, ALL_ROWS, ROWS_THEN);
		snapshots_answer(t.store, "SELECT p FROM k.t WHERE v = 10",
			"[1]\n");
		snapshots_answer(t.store, "SELECT p FROM k.t WHERE v = 11", "");
		snapshots_answer(t.store, "SELECT keyspace_name FROM "
			"system_schema.keyspaces WHERE keyspace_name = 'later'",
			"");
		test_store_reopen(&t);
		snapshots_answer(t.store, ALL_ROWS, ROWS_THEN);
	}
	/* It is a table like any other, and the snapshot is as it was. */
	run("UPDATE k.t SET v = 12 WHERE p = 1");
	ck_assert_int_eq(store_compact(t.store, NULL), 0);
	snapshots_answer(t.store, "SELECT p FROM k.t WHERE v = 12", "[1]\n");
	says("s", ALL_ROWS, ROWS_THEN);
	ck_assert_int_eq(snapshot_drop(t.store, "s"), 0);
	test_store_reopen(&t);
	snapshots_answer(t.store, "SELECT v FROM k.t", "[12]\n");
	ck_assert_int_eq(store_verify(t.store, NULL, NULL), 0);
}
END_TEST

START_TEST(a_part_of_a_snapshot_is_restored)
{
	make_table();
	run("CREATE TYPE k.y (a int)");
	run("CREATE TABLE k.u (p int PRIMARY KEY, y frozen<y>)");
	run("INSERT INTO k.u (p, y) VALUES (1, {a: 1})");
	ck_assert_int_eq(snapshot_create(t.store, "s", 0), 0);
	run("DROP TABLE k.u");
	run("DROP TYPE k.y");
	run("UPDATE k.t SET v = 11 WHERE p = 1");
	restore("s", "k", "none", -ENOENT);
	restore("s", "none", NULL, -ENOENT);
	restore("none", NULL, NULL, -ENOENT);
	restore("s", "system_schema", NULL, -ENOENT);
	restore("s", "k", "u", 0);
	snapshots_answer(t.store, "SELECT * FROM k.u", "[1,{\"a\": 1}]\n");
	snapshots_answer(t.store, "SELECT v FROM k.t", "[11]\n");
	run("DROP TABLE k.u");
	run("ALTER TYPE k.y ADD b int");
	restore("s", "k", "u", -EINVAL);
	run("DROP KEYSPACE k");
	restore("s", "k", "t", 0);
	snapshots_answer(t.store, ALL_ROWS, ROWS_THEN);
	snapshots_answer(t.store, "SELECT * FROM k.u",
		"table u does not exist\n");
	restore("s", "k", NULL, 0);
	snapshots_answer(t.store, "SELECT * FROM k.u", "[1,{\"a\": 1}]\n");
}
END_TEST

/* An automatic snapshot has only one table, without the files of its
 * indexes. */
START_TEST(an_automatic_snapshot_answers_without_indexes)
{
	const char *name;
	struct manifest_snapshot found;

	make_table();
	run("CREATE INDEX i ON k.t (v)");
	run("TRUNCATE k.t");
	found = automatic();
	name = found.name;
	says(name, "SELECT p FROM k.t WHERE v = 10 ALLOW FILTERING", "[1]\n");
	says(name, "SELECT p FROM k.t WHERE v = 10",
	     "Cannot execute this query as it might involve data filtering and "
	     "thus may have unpredictable performance. If you want to execute "
	     "this query despite the performance unpredictability, use ALLOW "
	     "FILTERING\n");
	restore(name, "k", "t", 0);
	snapshots_answer(t.store, "SELECT p FROM k.t WHERE v = 10", "[1]\n");
}
END_TEST

/* The oldest automatic snapshot is not dropped for the one that its restore
 * makes. */
START_TEST(the_oldest_automatic_snapshot_is_restored)
{
	struct manifest_snapshot *list;
	size_t count;
	int i;

	make_table();
	for (i = 0; i < SNAPSHOT_AUTOMATIC; i++) {
		run("TRUNCATE k.t");
		run("INSERT INTO k.t (p, v) VALUES (1, 1)");
	}
	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	ck_assert_uint_eq(count, SNAPSHOT_AUTOMATIC);
	restore(list[0].name, NULL, NULL, 0);
	snapshots_answer(t.store, ALL_ROWS, ROWS_THEN);
	says(list[0].name, ALL_ROWS, ROWS_THEN);
	mem_free(list);
}
END_TEST

/* A table that was renamed since stays beside the restored one: each has its
 * own identity, and each index its own name. */
START_TEST(a_table_is_restored_beside_its_renamed_one)
{
	struct schema *schema;
	struct table *a, *b;

	make_table();
	run("CREATE INDEX i ON k.t (v)");
	ck_assert_int_eq(snapshot_create(t.store, "s", 0), 0);
	rename_keyspace("k", "other");
	restore("s", "k", NULL, 0);
	snapshots_answer(t.store, ALL_ROWS, ROWS_THEN);
	snapshots_answer(t.store, "SELECT p FROM other.t WHERE v = 10",
			 "[1]\n");
	schema = store_schema(t.store);
	a = schema_table(schema, bytes_str("k"), bytes_str("t"));
	b = schema_table(schema, bytes_str("other"), bytes_str("t"));
	ck_assert(memcmp(a->id, b->id, sizeof(a->id)));
	schema_put(schema);
	rename_table("k", "t", "u");
	restore("s", "k", "t", -EINVAL);
	snapshots_answer(t.store, "SELECT index_name FROM "
			 "system_schema.indexes WHERE keyspace_name = 'k'",
			 "[\"i\"]\n");
	run("DROP INDEX k.i");
	restore("s", "k", "t", 0);
	snapshots_answer(t.store, "SELECT p FROM k.t WHERE v = 10", "[1]\n");
	snapshots_answer(t.store, "SELECT v FROM k.u", "[10]\n");
	schema = store_schema(t.store);
	a = schema_table(schema, bytes_str("k"), bytes_str("t"));
	b = schema_table(schema, bytes_str("k"), bytes_str("u"));
	ck_assert(memcmp(a->id, b->id, sizeof(a->id)));
	schema_put(schema);
	test_store_reopen(&t);
	snapshots_answer(t.store, ALL_ROWS, ROWS_THEN);
}
END_TEST

/* Open the store of a disk whose files may fail. */
static void open_failing(struct faults *files)
{
	struct store_options options;
	bool created;

	store_options_init(&options);
	options.no_threads = true;
	options.create = true;
	options.files = &files->ops;
	ck_assert_int_eq(store_open(&t.store, "/store", &options, NULL,
				    &created), 0);
}

/* Let the nth change of the disk, and all after it, or (memory) the nth
 * allocation fail; then open the store again. False: there is no nth. */
static bool restore_failing(struct sim *before, const char *name, bool memory,
			    long nth)
{
	struct snapshot_part part = { name, NULL, NULL };
	struct random rng = random_seeded(1);
	struct sim *disk = sim_crash(before, SIM_ALL, &rng);
	struct faults files;
	struct buf why = BUF_INIT;
	bool failed;
	int err;

	faults_init(&files, sim_files(disk));
	open_failing(&files);
	files.calls = 0;
	files.only_changes = true;
	files.err = -ENOSPC;
	files.for_good = true;
	files.fail_at = memory ? 0 : nth;
	(void)mem_failures();
	mem_fail_at(memory ? nth : 0, 0);
	err = snapshot_restore(t.store, &part, 0, &why);
	failed = memory ? mem_failures() > 0 : files.failed;
	mem_fail_at(0, 0);
	buf_release(&why);
	files.fail_at = 0;
	ck_assert(failed || !err);
	(void)store_close(t.store);
	faults_init(&files, sim_files(disk));
	open_failing(&files);
	answers_one_of("SELECT p, v FROM k.t", "[1,10]\n", err ? "[2,20]\n" :
								 "");
	says(name, "SELECT p, v FROM k.t", "[1,10]\n");
	ck_assert_int_eq(store_close(t.store), 0);
	sim_free(disk);
	return failed;
}

/* A restore that fails has restored everything or nothing, also if it fails at
 * the end, when an index is built. */
START_TEST(a_restore_that_fails_loses_nothing)	/* _i: memory */
{
	struct test_store saved = t;
	struct sim *disk = sim_new();
	struct faults files;
	char name[MANIFEST_SNAPSHOT_NAME + 1];
	long nth;

	faults_init(&files, sim_files(disk));
	open_failing(&files);
	run(TEST_KEYSPACE);
	run("CREATE TABLE k.t (p int PRIMARY KEY, v int)");
	run("CREATE INDEX i ON k.t (v)");
	run("INSERT INTO k.t (p, v) VALUES (1, 10)");
	run("TRUNCATE k.t");
	strcpy(name, automatic().name);
	run("INSERT INTO k.t (p, v) VALUES (2, 20)");
	ck_assert_int_eq(store_close(t.store), 0);
	for (nth = 1; restore_failing(disk, name, _i, nth); nth++)
		;
	ck_assert_int_gt(nth, 20);
	sim_free(disk);
	t = saved;
}
END_TEST

/* Two tables share a file then: it is removed with the last of them. */
START_TEST(files_are_shared)
{
	make_table();
	ck_assert_int_eq(snapshot_create(t.store, "s", 0), 0);
	restore("s", "k", "t", 0);
	run("UPDATE k.t SET v = 11 WHERE p = 1");
	ck_assert_int_eq(snapshot_drop(t.store, "s"), 0);
	ck_assert_int_eq(snapshot_drop(t.store, automatic().name), 0);
	snapshots_answer(t.store, "SELECT l, v FROM k.t", "[[1, 2],11]\n");
	test_store_reopen(&t);
	snapshots_answer(t.store, "SELECT l, v FROM k.t", "[[1, 2],11]\n");
	ck_assert_int_eq(store_compact(t.store, NULL), 0);
	snapshots_answer(t.store, "SELECT l, v FROM k.t", "[[1, 2],11]\n");
}
END_TEST

START_TEST(many_snapshots_cost_little)
{
	char name[40];
	struct stat st;
	char path[300];
	int i;

	make_table();
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		ck_assert_int_eq(snapshot_create(t.store, name, 0), 0);
	}
	snprintf(path, sizeof(path), "%s/engine/MANIFEST-000000000001",
		 t.path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_lt(st.st_size, 200000);
	test_store_reopen(&t);
	says("s500", "SELECT v FROM k.t", "[10]\n");
	ck_assert_int_eq(snapshot_drop(t.store, "s500"), 0);
	says("s501", "SELECT v FROM k.t", "[10]\n");
}
END_TEST

/* On a full disk the automatic snapshots are dropped before a write is refused,
 * and no others. */
START_TEST(a_full_disk_gives_up_automatic_snapshots)
{
	struct test_store saved = t;
	struct store_options options;
	struct sim *disk = sim_new();
	struct manifest_snapshot found;
	char statement[9000];
	bool created;
	int i;

	store_options_init(&options);
	options.no_threads = true;
	options.create = true;
	options.memtable_bytes = 1 << 20;
	options.files = sim_files(disk);
	ck_assert_int_eq(store_open(&t.store, "/store", &options, NULL,
				    &created), 0);
	run(TEST_KEYSPACE);
	run("CREATE TABLE k.t (p int PRIMARY KEY, v text) WITH compression = "
	    "{'enabled': false}");
	for (i = 0; i < 1200; i++) {
		snprintf(statement, sizeof(statement), "INSERT INTO k.t (p, v) "
			 "VALUES (%d, '%08000d')", i, i);
		run(statement);
	}
	ck_assert_int_eq(store_flush(t.store, NULL), 0);
	run("TRUNCATE k.t");
	found = automatic();
	ck_assert_uint_gt(held(found.name), 8000000);
	ck_assert_int_eq(snapshot_create(t.store, "mine", 0), 0);
	sim_fill(disk, true);
	for (i = 0; i < 1000; i++) {
		snprintf(statement, sizeof(statement), "INSERT INTO k.t (p, v) "
			 "VALUES (%d, '%08000d')", i, i);
		run(statement);
	}
	ck_assert_int_eq(snapshot_find(t.store, found.name, 0, &found), -ENOENT);
	ck_assert_int_eq(snapshot_find(t.store, "mine", 0, &found), 0);
	snapshots_answer(t.store, "SELECT COUNT(*) FROM k.t", "[1000]\n");
	ck_assert_int_eq(snapshot_drop(t.store, "mine"), 0);
	ck_assert_int_eq(store_close(t.store), 0);
	sim_free(disk);
	t = saved;
}
END_TEST

SUITE(snapshot)
{
	TCase *tc = tcase_create("snapshot");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, names);
	tcase_add_test(tc, a_snapshot_stays_as_it_was);
	tcase_add_test(tc, nothing_is_written_in_a_snapshot);
	tcase_add_test(tc, cells_that_had_not_expired_then_are_there);
	tcase_add_test(tc, a_dropped_snapshot_frees_its_files);
	tcase_add_test(tc, a_snapshot_is_dropped_beside_its_reader);
	tcase_add_test(tc, drop_and_truncate_make_snapshots);
	tcase_add_test(tc, a_table_may_have_no_automatic_snapshots);
	tcase_add_test(tc, an_interrupt_ends_drop_and_truncate);
	tcase_add_test(tc, automatic_snapshots_are_bounded);
	tcase_add_test(tc, a_snapshot_is_restored_whole);
	tcase_add_test(tc, a_part_of_a_snapshot_is_restored);
	tcase_add_test(tc, an_automatic_snapshot_answers_without_indexes);
	tcase_add_test(tc, the_oldest_automatic_snapshot_is_restored);
	tcase_add_test(tc, a_table_is_restored_beside_its_renamed_one);
	tcase_add_loop_test(tc, a_restore_that_fails_loses_nothing, 0, 2);
	tcase_add_test(tc, files_are_shared);
	tcase_add_test(tc, many_snapshots_cost_little);
	tcase_add_test(tc, a_full_disk_gives_up_automatic_snapshots);
	suite_add_tcase(suite, tc);
}
