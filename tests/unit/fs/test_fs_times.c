/* The times of directories move where statements make or remove what they list. */
#include <stdio.h>

#include "store/schema/schema.h"
#include "store/store.h"
#include "store/table/present.h"
#include "tests/lib/random.h"
#include "tests/lib/tree.h"
#include "tests/unit/suite.h"

static struct tree t;

static void setup(void)
{
	tree_open(&t);
	tree_one_row(&t);
}

static void teardown(void)
{
	tree_close(&t);
}

static void cql(const char *text)
{
	tree_run(&t, text);
}

static int64_t mtime_ns(const char *path)
{
	struct stat st;

	ck_assert_int_eq(tree_stat(&t, path, &st), 0);
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

/* The times of the table go with its rows; its own is that of the truncation. */
START_TEST(a_truncation_moves_the_time_of_its_table)	/* _i: by path, too */
{
	int64_t before, after;
	int i;

	cql("CREATE TABLE k.u (p text, c text, v text, PRIMARY KEY (p, c));");
	for (i = 0; i < 3; i++) {
		cql("INSERT INTO k.u (p, c, v) VALUES ('p', 'c', 'v');");
		if (_i)
			ck_assert_int_eq(tree_mkdir(&t, "k/u/p/d"), 0);
		if (i == 1)
			tree_reopen(&t);
		before = mtime_ns("k/u");
		cql("TRUNCATE k.u;");
		after = mtime_ns("k/u");
		ck_assert_int_gt(after, before);
		ck_assert_int_eq(mtime_ns(".json/k/u"), after);
		tree_reopen(&t);
		ck_assert_int_eq(mtime_ns("k/u"), after);
		/* It is the present time, not one that was set. */
		ck_assert_int_eq(tree_utimens(&t, "k/u", 1000), 0);
		cql("TRUNCATE k.u;");
		ck_assert_int_gt(mtime_ns("k/u"), after);
	}
}
END_TEST

/* Make k.r and k.s, which has a static column. */
static void make_tables(void)
{
	cql("CREATE TABLE k.r (p text, c int, d int, v text, PRIMARY KEY (p, c, "
	    "d)) WITH CLUSTERING ORDER BY (c DESC, d ASC);"
	    "CREATE TABLE k.s (p text, c int, d int, v text, s text static, "
	    "PRIMARY KEY (p, c, d));");
}

/* Insert in partition p of that table the rows 1/1, 1/2 and 2/1. */
static void insert_rows(char table)
{
	char text[300];

	snprintf(text, sizeof(text), "INSERT INTO k.%c (p, c, d, v) VALUES ('p', "
		 "1, 1, 'v'); INSERT INTO k.%c (p, c, d, v) VALUES ('p', 1, 2, "
		 "'v'); INSERT INTO k.%c (p, c, d) VALUES ('p', 2, 1);", table,
		 table, table);
	cql(text);
}

/* A range deletion moves the directory whose listing changes: of the deepest that
 * keep rows. */
START_TEST(a_range_deletion_moves_the_time_above_what_it_empties)
{
	static const struct {
		const char *where, *moved, *stays;
	} of[] = {
		{ "c = 1", "k/r/p", "k/r" },
		{ "c = 1 AND d > 0", "k/r/p", "k/r" },
		{ "c = 1 AND d > 1", "k/r/p/1", "k/r/p" },
		{ "c = 1 AND d < 2", "k/r/p/1", "k/r/p" },
		{ "c > 0", "k/r", "k/s" },
		{ "c >= 1 AND c <= 2", "k/r", "k/s" },
		{ "c > 1", "k/r/p", "k/r" },
		{ "c < 2", "k/r/p", "k/r" },
		{ "c > 2", NULL, "k/r/p" },
		{ "c > 0", "k/s/p", "k/s" },
	};
	char name = _i == 9 ? 's' : 'r', text[300];
	int64_t moved, stays;

	make_tables();
	insert_rows(name);
	cql("INSERT INTO k.s (p, s) VALUES ('p', 's');");
	ck_assert_int_eq(tree_utimens(&t, "k/r", 1000), 0);
	ck_assert_int_eq(tree_utimens(&t, "k/s", 1000), 0);
	ck_assert_int_eq(tree_utimens(&t, "k/r/p", 1000),
			 _i == 9 ? -ENOENT : 0);
	moved = of[_i].moved ? mtime_ns(of[_i].moved) : 0;
	stays = mtime_ns(of[_i].stays);
	snprintf(text, sizeof(text), "DELETE FROM k.%c WHERE p = 'p' "
		 "AND %s;", name, of[_i].where);
	cql(text);
	if (of[_i].moved)
		ck_assert_int_gt(mtime_ns(of[_i].moved), moved);
	ck_assert_int_eq(mtime_ns(of[_i].stays), stays);
}
END_TEST

/*
 * All statements of a batch, and all rows of one, move the times together: of the
 * directories that list other names afterwards, and of no others. The tables hold
 * in partition p the rows 1/1, 1/2 and 2/1, s also a static cell in q alone.
 */
static const struct {
	const char *text, *moved[3], *stays[3];
} batches[] = {
	/* Each row empties something only with the others. */
	{ "DELETE FROM k.r WHERE p = 'p' AND c = 1 AND d = 1;"
	  "DELETE FROM k.r WHERE p = 'p' AND c = 1 AND d = 2;",
	  { "k/r/p" }, { "k/r" } },
	{ "DELETE FROM k.r WHERE p = 'p' AND c = 1 AND d IN (1, 2);",
	  { "k/r/p" }, { "k/r" } },
	{ "DELETE FROM k.r WHERE p = 'p' AND c IN (1, 2);",
	  { "k/r" }, { NULL } },
	{ "DELETE FROM k.r WHERE p = 'p' AND c = 1 AND d = 2;"
	  "DELETE FROM k.r WHERE p = 'p' AND c = 2 AND d = 1;"
	  "DELETE FROM k.r WHERE p = 'p' AND c = 1 AND d < 2;",
	  { "k/r" }, { NULL } },
	{ "DELETE FROM k.r WHERE p = 'p' AND c = 1 AND d = 1;"
	  "DELETE FROM k.r WHERE p = 'p' AND c >= 2;",
	  { "k/r/p/1", "k/r/p" }, { "k/r" } },
	/* What is given keeps the directory. */
	{ "DELETE FROM k.r WHERE p = 'p' AND c = 2 AND d = 1;"
	  "INSERT INTO k.r (p, c, d) VALUES ('p', 2, 9);",
	  { "k/r/p/2" }, { "k/r/p", "k/r", "k/r/p/1" } },
	{ "INSERT INTO k.r (p, c, d) VALUES ('p', 3, 9);"
	  "DELETE FROM k.r WHERE p = 'p' AND c < 3;",
	  { "k/r/p" }, { "k/r", "k/s" } },
	{ "DELETE FROM k.r USING TIMESTAMP 8000000000000000 WHERE "
	  "p = 'p'; INSERT INTO k.r (p, c, d) VALUES ('p', 3, 9) "
	  "USING TIMESTAMP 8000000000000001;",
	  { "k/r/p" }, { "k/r" } },
	/* Nothing is another afterwards. */
	{ "INSERT INTO k.r (p, c, d) VALUES ('x', 1, 1);"
	  "INSERT INTO k.r (p, c, d) VALUES ('p', 1, 1);"
	  "DELETE FROM k.r WHERE p = 'x' AND c = 1 AND d = 1;",
	  { NULL }, { "k/r", "k/r/p", "k/r/p/1" } },
	{ "INSERT INTO k.r (p, c, d) VALUES ('x', 1, 1);"
	  "DELETE FROM k.r WHERE p = 'x' AND c = 1 AND d = 1;",
	  { NULL }, { "k/r", "k/r/p", "k/r/p/1" } },
	{ "INSERT INTO k.r (p, c, d) VALUES ('x', 1, 1);"
	  "INSERT INTO k.r (p, c, d) VALUES ('p', 1, 1);"
	  "DELETE FROM k.r WHERE p = 'x';",
	  { NULL }, { "k/r", "k/r/p", "k/r/p/1" } },
	/* The first makes the partition, the others are in it. */
	{ "INSERT INTO k.r (p, c, d) VALUES ('x', 1, 1);"
	  "INSERT INTO k.r (p, c, d) VALUES ('x', 1, 2);"
	  "INSERT INTO k.s (p, c, d) VALUES ('p', 1, 2);",
	  { "k/r" }, { "k/r/p", "k/s", "k/s/p" } },
	{ "INSERT INTO k.r (p, c, d) VALUES ('p', 1, 2);"
	  "INSERT INTO k.s (p, c, d) VALUES ('p', 5, 2);"
	  "INSERT INTO k.r (p, c, d) VALUES ('p', 2, 2);",
	  { "k/r/p/2", "k/s/p" }, { "k/r/p", "k/r", "k/s" } },
	/* Parts of two names, and those between, of a range. */
	{ "DELETE FROM k.r WHERE p = 'p' AND (c, d) > (1, 1);",
	  { "k/r/p/1", "k/r/p" }, { "k/r" } },
	{ "DELETE FROM k.r WHERE p = 'p' AND (c, d) <= (1, 2);",
	  { "k/r/p" }, { "k/r", "k/r/p/2" } },
	/* A static row is a name as others. */
	{ "DELETE s FROM k.s WHERE p = 'q';"
	  "DELETE FROM k.s WHERE p = 'p' AND c = 2 AND d = 1;",
	  { "k/s", "k/s/p" }, { "k/s/p/1" } },
	{ "DELETE s FROM k.s WHERE p = 'q';"
	  "INSERT INTO k.s (p, c, d) VALUES ('q', 1, 1);",
	  { "k/s/q" }, { "k/s", "k/s/p" } },
	{ "DELETE FROM k.s WHERE p = 'q';"
	  "DELETE FROM k.s WHERE p = 'p' AND c = 1 AND d > 7;",
	  { "k/s" }, { "k/s/p", "k/s/p/1" } },
	/* Of a table without clustering columns. */
	{ "DELETE FROM k.f WHERE p = 'p';"
	  "INSERT INTO k.f (p) VALUES ('x');",
	  { "k/f" }, { "k/r" } },
	{ "INSERT INTO k.f (p) VALUES ('p');"
	  "INSERT INTO k.f (p, v) VALUES ('p', 'v');",
	  { NULL }, { "k/f" } },
};
START_TEST(a_batch_moves_what_lists_other_names_after_it)
{
	static const char *const all[] = { "k/r", "k/s", "k/f", "k/r/p", "k/s/p",
		"k/s/q", "k/r/p/1", "k/r/p/2", "k/s/p/1", "k/s/p/2" };
	char text[600];
	size_t i;

	make_tables();
	insert_rows('r');
	insert_rows('s');
	cql("CREATE TABLE k.f (p text PRIMARY KEY, v text); INSERT INTO k.f (p) "
	    "VALUES ('p'); INSERT INTO k.s (p, s) VALUES ('q', 's');");
	for (i = 0; i < ARRAY_SIZE(all); i++)
		ck_assert_int_eq(tree_utimens(&t, all[i], 1000), 0);
	snprintf(text, sizeof(text), "BEGIN BATCH %s APPLY BATCH;", batches[_i].text);
	cql(text);
	for (i = 0; i < 3; i++) {
		if (batches[_i].moved[i])
			ck_assert_msg(mtime_ns(batches[_i].moved[i]) > 1000000000000,
				      "%s does not move", batches[_i].moved[i]);
		if (batches[_i].stays[i])
			ck_assert_msg(mtime_ns(batches[_i].stays[i]) == 1000000000000,
				      "%s moves", batches[_i].stays[i]);
	}
}
END_TEST

/* The directories of k.s with partitions a and b and prefixes 1 and 2, and what
 * they list; "": it is not there. */
static const char *const directories[] = {
	"k/s", "k/s/a", "k/s/b", "k/s/a/1", "k/s/a/2", "k/s/b/1", "k/s/b/2",
};
struct listings {
	char names[ARRAY_SIZE(directories)][100];
};

/* Note what each lists. */
static void list_all(struct listings *l)
{
	struct stat st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(directories); i++) {
		l->names[i][0] = 0;
		if (!tree_stat(&t, directories[i], &st))
			snprintf(l->names[i], sizeof(l->names[i]), "+%s",
				 tree_ls(&t, directories[i]));
	}
}

static void add_statement(struct random *r, char *text, size_t room)
{
	static const char *const forms[] = {
		"INSERT INTO k.s (p, c, d) VALUES ('%c', %d, %d);",
		"INSERT INTO k.s (p, c, d, v) VALUES ('%c', %d, %d, 'v');",
		"DELETE FROM k.s WHERE p = '%c' AND c = %d AND d = %d;",
		"DELETE FROM k.s WHERE p = '%c' AND c = %d AND d IN (1, 2);",
		"DELETE v FROM k.s WHERE p = '%c' AND c = %d AND d = %d;",
		"UPDATE k.s SET v = 'u' WHERE p = '%c' AND c = %d AND d = %d;",
		"DELETE FROM k.s WHERE p = '%c' AND c = %d;",
		"DELETE FROM k.s WHERE p = '%c' AND (c, d) >= (%d, %d);",
		"DELETE FROM k.s WHERE p = '%c' AND (c, d) < (%d, %d);",
		"DELETE FROM k.s WHERE p = '%c';",
		"UPDATE k.s SET s = 's' WHERE p = '%c';",
		"DELETE s FROM k.s WHERE p = '%c';",
	};
	const char *form = forms[random_below(r, ARRAY_SIZE(forms))];
	int p = 'a' + (int)random_below(r, 2), c = 1 + (int)random_below(r, 2);
	int d = 1 + (int)random_below(r, 2);
	size_t len = strlen(text);

	snprintf(text + len, room - len, form, p, c, d);
}

/* Of directories that are there before and after a batch exactly those move that
 * list other names. */
START_TEST(times_move_where_listings_change)
{
	struct random r = random_seeded(test_seed());
	struct listings before, after;
	char text[1000];
	size_t i;
	int round, statements;

	cql("CREATE TABLE k.s (p text, c int, d int, v text, s text static, "
	    "PRIMARY KEY (p, c, d));");
	for (round = 0; round < test_scale(400); round++) {
		list_all(&before);
		for (i = 0; i < ARRAY_SIZE(directories); i++)
			if (before.names[i][0])
				ck_assert_int_eq(tree_utimens(&t, directories[i],
							      1000), 0);
		strcpy(text, "BEGIN BATCH ");
		statements = 1 + (int)random_below(&r, 6);
		while (statements--)
			add_statement(&r, text, sizeof(text));
		strcat(text, " APPLY BATCH;");
		cql(text);
		list_all(&after);
		for (i = 0; i < ARRAY_SIZE(directories); i++) {
			bool same = !strcmp(before.names[i], after.names[i]);

			if (!before.names[i][0] || !after.names[i][0])
				continue;
			ck_assert_msg((mtime_ns(directories[i]) ==
				       1000000000000) == same,
				      "seed %llu: %s: %s %s, %s", (unsigned long
				      long)test_seed(), text, directories[i],
				      before.names[i], after.names[i]);
		}
	}
}
END_TEST

static void truncate_without_a_call(void)
{
	struct schema *schema = store_schema(t.store.store);
	struct keyspace *k = schema_keyspace(schema, bytes_str("k"));

	ck_assert_int_eq(store_truncate(t.store.store,
					keyspace_table(k, bytes_str("t")), 0),
			 0);
	schema_put(schema);
}

/* The time that a call stores after a TRUNCATE is lost by a crash, and is not
 * stored without a call: that stored before is shown then. */
START_TEST(a_truncation_alone_takes_no_time_back)
{
	int64_t before, after;
	int i;

	for (i = 0; i < 4; i++) {
		cql("INSERT INTO k.t (p, c, v) VALUES ('p', 'd', 'v');");
		if (i == 1)
			ck_assert_int_eq(tree_mkdir(&t, "k/t/p/e"), 0);
		before = mtime_ns("k/t");
		if (i == 2)
			cql("TRUNCATE k.t;");
		else
			truncate_without_a_call();
		after = mtime_ns("k/t");
		ck_assert_int_gt(after, before);
		ck_assert_int_eq(mtime_ns(".json/k/t"), after);
		tree_reopen(&t);
		ck_assert_int_eq(mtime_ns("k/t"), after);
	}
	ck_assert_int_eq(tree_utimens(&t, "k/t", 1000), 0);
	ck_assert_int_eq(mtime_ns("k/t"), 1000000000000);
}
END_TEST

SUITE(fs_times)
{
	TCase *tc = tcase_create("times");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_truncation_moves_the_time_of_its_table, 0, 2);
	tcase_add_test(tc, a_truncation_alone_takes_no_time_back);
	tcase_add_loop_test(
		tc, a_range_deletion_moves_the_time_above_what_it_empties, 0, 10);
	tcase_add_loop_test(
		tc, a_batch_moves_what_lists_other_names_after_it, 0,
		ARRAY_SIZE(batches));
	tcase_add_test(tc, times_move_where_listings_change);
	suite_add_tcase(suite, tc);
}
