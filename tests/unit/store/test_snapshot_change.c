/* The automatic snapshots of one change: bounded, and brought back,
 * together. */
#include <errno.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/snapshot.h"
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

static void restore(const char *name, const char *keyspace, const char *table,
		    int wanted)
{
	snapshots_restore(t.store, name, keyspace, table, wanted);
}

/* Those of one change are one for the bound, and are given up together. */
START_TEST(snapshots_of_one_change_count_as_one)
{
	struct manifest_snapshot *list;
	size_t count;
	int round, table;
	char text[80];

	for (round = 0; round < SNAPSHOT_AUTOMATIC + 2; round++) {
		int tables = round == 1 || round == 2 ? 70 : 1;

		run(TEST_KEYSPACE);
		for (table = 0; table < tables; table++) {
			snprintf(text, sizeof(text), "CREATE TABLE k.t%d (p int "
				 "PRIMARY KEY)", table);
			run(text);
			snprintf(text, sizeof(text), "INSERT INTO k.t%d (p) "
				 "VALUES (1)", table);
			run(text);
		}
		run("DROP KEYSPACE k");
		ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
		mem_free(list);
		if (round == 1)
			ck_assert_uint_eq(count, 71);
	}
	/* The first and the whole second are gone. */
	ck_assert_uint_eq(count, 70 + SNAPSHOT_AUTOMATIC - 1);
}
END_TEST

/* All tables that one change has removed come back at once, those without rows
 * and the types that none uses, too. */
START_TEST(a_change_is_undone)
{
	char change[64];
	int round;

	for (round = 0; round < 3; round++) {
		run(TEST_KEYSPACE);
		run("CREATE TYPE k.y (a int)");
		run("CREATE TABLE k.t (p int PRIMARY KEY, v int)");
		run("CREATE TABLE k.empty (p int PRIMARY KEY)");
		run("CREATE TABLE k.y (p int PRIMARY KEY)");
		run("INSERT INTO k.t (p, v) VALUES (1, 1)");
		run("INSERT INTO k.y (p) VALUES (2)");
		strcpy(change, "dropped-1700000000001");
		if (round != 1) {
			ck_assert_int_eq(snapshot_keep_keyspace(t.store,
					bytes_str("k"), "removed", 0, change,
					sizeof(change)), 0);
			ck_assert_str_eq(change, round ?
					 "removed-1700000000001" :
					 "removed-1700000000000");
			run("DELETE FROM k.t WHERE p = 1");
			run("DELETE FROM k.y WHERE p = 2");
		}
		run("DROP KEYSPACE k");
		restore("removed-17000000", NULL, NULL, -ENOENT);
		restore("removed", NULL, NULL, -ENOENT);
		restore("removed-", NULL, NULL, -ENOENT);
		restore(change, "none", NULL, -ENOENT);
		restore(change, "k", "none", -ENOENT);
		restore(change, "k", "y", 0);
		snapshots_answer(t.store, "SELECT p FROM k.y", "[2]\n");
		snapshots_answer(t.store, "SELECT v FROM k.t",
			"table t does not exist\n");
		run("INSERT INTO k.y (p) VALUES (3)");
		restore(change, round ? "k" : NULL, NULL, 0);
		test_store_reopen(&t);
		snapshots_answer(t.store, "SELECT v FROM k.t", "[1]\n");
		snapshots_answer(t.store, "SELECT p FROM k.y", "[2]\n");
		snapshots_answer(t.store, "SELECT p FROM k.empty", "");
		run("CREATE TABLE k.uses (p int PRIMARY KEY, y frozen<y>)");
		ck_assert_int_eq(store_verify(t.store, NULL, NULL), 0);
		run("DROP KEYSPACE k");
	}
}
END_TEST

/* An index that has moved from one of its tables to another moves back; one that a
 * table has which stays is refused. */
START_TEST(indexes_that_moved_come_back)
{
	static const char change[] = "dropped-1700000000000";
	int round;

	run(TEST_KEYSPACE);
	run("CREATE TABLE k.a (p int PRIMARY KEY, v int)");
	run("CREATE TABLE k.b (p int PRIMARY KEY, v int)");
	run("CREATE INDEX i ON k.a (v)");
	run("CREATE INDEX j ON k.b (v)");
	run("INSERT INTO k.a (p, v) VALUES (1, 7)");
	run("INSERT INTO k.b (p, v) VALUES (2, 7)");
	run("DROP KEYSPACE k");
	for (round = 0; round < 2; round++) {
		run(TEST_KEYSPACE);
		run("CREATE TABLE k.a (p int PRIMARY KEY, v int)");
		run("CREATE TABLE k.b (p int PRIMARY KEY, v int)");
		run("CREATE TABLE k.c (p int PRIMARY KEY, v int)");
		run("CREATE INDEX j ON k.a (v)");
		run(round ? "CREATE INDEX i ON k.c (v)" :
			    "CREATE INDEX i ON k.b (v)");
		if (round) {
			restore(change, NULL, NULL, -EINVAL);
			run("DROP INDEX k.i");
		}
		/* One alone meets that of the other, which stays. */
		restore(change, "k", "a", round ? 0 : -EINVAL);
		restore(change, NULL, NULL, 0);
		test_store_reopen(&t);
		snapshots_answer(t.store, "SELECT p FROM k.a WHERE v = 7",
				 "[1]\n");
		snapshots_answer(t.store, "SELECT p FROM k.b WHERE v = 7",
				 "[2]\n");
		snapshots_answer(t.store, "SELECT index_name, table_name FROM "
				 "system_schema.indexes WHERE keyspace_name = "
				 "'k'", "[\"i\",\"a\"]\n[\"j\",\"b\"]\n");
		ck_assert_int_eq(store_verify(t.store, NULL, NULL), 0);
		run("DROP KEYSPACE k");
	}
}
END_TEST

/* Nothing is kept of a keyspace without rows, nor what its options forbid. */
START_TEST(changes_that_make_no_snapshot)
{
	struct manifest_snapshot *list;
	char change[64];
	size_t count;

	run(TEST_KEYSPACE);
	run("CREATE TABLE k.t (p int PRIMARY KEY)");
	run("CREATE TABLE k.u (p int PRIMARY KEY) WITH allow_auto_snapshot = "
	    "false");
	run("INSERT INTO k.u (p) VALUES (1)");
	ck_assert_int_eq(snapshot_keep_keyspace(t.store, bytes_str("k"),
						"removed", 0, change,
						sizeof(change)), 0);
	ck_assert_str_eq(change, "");
	ck_assert_int_eq(snapshot_keep_keyspace(t.store, bytes_str("none"),
						"removed", 0, change,
						sizeof(change)), 0);
	run("DROP KEYSPACE k");
	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	ck_assert_uint_eq(count, 0);
	mem_free(list);
}
END_TEST

/* A change with a check that returns *answer. */
struct checked {
	int answer, called;
};

static int remove_table(void *context, const struct schema *now,
			struct schema **next)
{
	(void)context;
	*next = schema_copy(now);
	ck_assert_ptr_nonnull(*next);
	return schema_remove_table(*next, bytes_str("k"), bytes_str("t"));
}

static int check(void *context)
{
	struct checked *c = context;
	struct table *table = test_table(t.store, "k", "t");

	ck_assert_ptr_nonnull(table);
	table_put(table);
	c->called++;
	return c->answer;
}

static size_t count_snapshots(void)
{
	struct manifest_snapshot *list;
	size_t count;

	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	mem_free(list);
	return count;
}

START_TEST(a_change_whose_check_fails_changes_nothing)
{
	struct checked c = { .answer = -ENOTEMPTY };
	struct schema_edit edit = { .edit = remove_table, .check = check,
				    .context = &c };

	run(TEST_KEYSPACE);
	run("CREATE TABLE k.t (p int PRIMARY KEY)");
	run("INSERT INTO k.t (p) VALUES (1)");
	ck_assert_int_eq(store_edit_tables(t.store, &edit), -ENOTEMPTY);
	ck_assert_int_eq(c.called, 1);
	ck_assert_uint_eq(count_snapshots(), 0);
	run("INSERT INTO k.t (p) VALUES (2)");
	c.answer = 0;
	ck_assert_int_eq(store_edit_tables(t.store, &edit), 0);
	ck_assert_int_eq(c.called, 2);
	ck_assert_uint_eq(count_snapshots(), 1);
	run("CREATE TABLE k.t (p int PRIMARY KEY)");	/* it is gone */
}
END_TEST

SUITE(snapshot_change)
{
	TCase *tc = tcase_create("change");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, snapshots_of_one_change_count_as_one);
	tcase_add_test(tc, a_change_is_undone);
	tcase_add_test(tc, indexes_that_moved_come_back);
	tcase_add_test(tc, changes_that_make_no_snapshot);
	tcase_add_test(tc, a_change_whose_check_fails_changes_nothing);
	suite_add_tcase(suite, tc);
}
