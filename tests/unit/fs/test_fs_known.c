/*
 * Known attributes of cells and directories are not read again, and are never
 * those from before a change.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "fs/store_observer.h"
#include "store/base/clock.h"
#include "store/lsm/lsm.h"
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
	tree_run(&t, "ALTER TABLE k.t ADD w text;");
}

static void teardown(void)
{
	tree_close(&t);
}

static void cql(const char *text)
{
	tree_run(&t, text);
}

static uint64_t reads_of(const char *table)
{
	struct schema *s = store_schema(t.store.store);
	struct lsm_table_stats stats;

	store_table_stats(t.store.store, schema_table(s, bytes_str("k"),
						      bytes_str(table)), &stats);
	schema_put(s);
	return stats.reads;
}

static uint64_t reads(void)
{
	return reads_of("t");
}

/* They are known as long as the kernel has the node's number. */
START_TEST(known_attributes_of_a_cell_are_read_once)
{
	struct fs_entry row, cell;
	struct stat st;
	uint64_t before;
	double timeout_s;

	ck_assert_int_eq(tree_walk(&t, "k/t/p/c", &row), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/p/c/v", &cell), 0);
	tree_cat_is(&t, "k/t/p/c/v", "old\n");
	before = reads();
	tree_cat_is(&t, "k/t/p/c/v", "old\n");
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, cell.node, 0, &st,
				    &timeout_s), 0);
	ck_assert_int_eq(st.st_size, 4);
	ck_assert_uint_eq(reads(), before);
	/* A change of another partition does not touch it, one of its own
	 * may. */
	cql("INSERT INTO k.t (p, c, v) VALUES ('q', 'c', 'x');");
	before = reads();
	tree_cat_is(&t, "k/t/p/c/v", "old\n");
	ck_assert_uint_eq(reads(), before);
	cql("INSERT INTO k.t (p, c, v) VALUES ('p', 'other', 'x');");
	before = reads();
	tree_cat_is(&t, "k/t/p/c/v", "old\n");
	ck_assert_uint_gt(reads(), before);
}
END_TEST

static void cell_is(uint64_t node, const char *text, int64_t mtime_s)
{
	struct stat st;
	double timeout_s;
	int i;

	for (i = 0; i < 2; i++) {
		tree_cat_is(&t, "k/t/p/c/v", text);
		ck_assert_int_eq(fs_getattr(t.fs, &t.call, node, 0, &st,
					    &timeout_s), 0);
		ck_assert_int_eq(st.st_size, (off_t)strlen(text));
		ck_assert_int_eq(st.st_mtim.tv_sec, mtime_s);
	}
}

START_TEST(known_attributes_of_a_cell_follow_each_change)
{
	struct fs_entry row, cell;
	struct stat st;

	ck_assert_int_eq(tree_walk(&t, "k/t/p/c", &row), 0);
	cql("UPDATE k.t USING TIMESTAMP 7000000000000000 SET v = 'one' "
	    "WHERE p = 'p' AND c = 'c';");
	ck_assert_int_eq(tree_walk(&t, "k/t/p/c/v", &cell), 0);
	cell_is(cell.node, "one\n", 7000000000);
	cql("UPDATE k.t USING TIMESTAMP 7000000001000000 SET v = 'second' "
	    "WHERE p = 'p' AND c = 'c';");
	cell_is(cell.node, "second\n", 7000000001);
	ck_assert_int_eq(tree_utimens(&t, "k/t/p/c/v", 1000), 0);
	cell_is(cell.node, "second\n", 1000);
	ck_assert_int_eq(tree_stat(&t, "k/t", &st), 0);
	cql("ALTER TABLE k.t RENAME c TO d;");
	cell_is(cell.node, "second\n", 1000);
	cql("DELETE v FROM k.t USING TIMESTAMP 7000000002000000 "
	    "WHERE p = 'p' AND d = 'c';");
	tree_is_gone(&t, "k/t/p/c/v");
	cql("UPDATE k.t USING TIMESTAMP 7000000003000000 SET v = 'third' "
	    "WHERE p = 'p' AND d = 'c';");
	tree_cat_is(&t, "k/t/p/c/v", "third\n");
	tree_cat_is(&t, "k/t/p/c/v", "third\n");
	cql("TRUNCATE k.t;");
	tree_is_gone(&t, "k/t/p/c/v");
	cql("INSERT INTO k.t (p, d, v) VALUES ('p', 'c', 'end');");
	tree_cat_is(&t, "k/t/p/c/v", "end\n");
	tree_cat_is(&t, "k/t/p/c/v", "end\n");
	cql("ALTER TABLE k.t DROP v;");
	tree_is_gone(&t, "k/t/p/c/v");
}
END_TEST

/* The look at a row reads all of it; its listing and its cells come from that, and
 * its partition from the look before. */
START_TEST(a_row_is_read_once)
{
	struct fs_entry partition, row, cell;
	uint64_t before;

	cql("INSERT INTO k.t (p, c, v, w) VALUES ('p', 'd', 'one', 'two');");
	ck_assert_int_eq(tree_walk(&t, "k/t/p", &partition), 0);
	before = reads();
	ck_assert_int_eq(tree_walk(&t, "k/t/p/d", &row), 0);
	ck_assert_str_eq(tree_ls(&t, "k/t/p/d"), "v w ");
	ck_assert_int_eq(tree_walk(&t, "k/t/p/d/v", &cell), 0);
	tree_cat_is(&t, "k/t/p/d/v", "one\n");
	tree_cat_is(&t, "k/t/p/d/w", "two\n");
	ck_assert_uint_eq(reads(), before + 1);
	cql("INSERT INTO k.t (p, c, v) VALUES ('p', 'd', 'three');");
	tree_cat_is(&t, "k/t/p/d/v", "three\n");
	tree_cat_is(&t, "k/t/p/d/w", "two\n");
	cql("DELETE FROM k.t WHERE p = 'p' AND c = 'd';");
	tree_is_gone(&t, "k/t/p/d/v");
	tree_is_gone(&t, "k/t/p/d/w");
	tree_is_gone(&t, "k/t/p/d");
}
END_TEST

/* A listing in calls of one entry each, by name: "pN" at N. */
struct listed {
	struct fs_entry entries[10];
	uint64_t cookie;
	int room;
};

static int take(void *context, const char *name, size_t len,
		const struct fs_entry *entry, uint64_t cookie)
{
	struct listed *l = context;

	if (!l->room--)
		return 1;
	if (len == 2 && name[0] == 'p')
		l->entries[name[1] - '0'] = *entry;
	else if (entry->node)
		fs_forget(t.fs, entry->node, 1);
	l->cookie = cookie;
	return 0;
}

static void list_next(struct listed *l, uint64_t dir, uint64_t handle, int count)
{
	l->room = count;
	ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir, handle, l->cookie, true,
				    take, l), 0);
}

static int64_t time_of_node(uint64_t node)
{
	struct stat st;
	double timeout_s;

	ck_assert_int_eq(fs_getattr(t.fs, &t.call, node, 0, &st, &timeout_s), 0);
	return st.st_mtim.tv_sec;
}

/* Partitions that were listed are known, unless anything changed while the listing
 * was open: it shows what was. _i: 1 if it did. */
START_TEST(a_listed_partition_is_known)
{
	struct listed l = { .cookie = 0 };
	struct fs_open_reply reply;
	struct fs_entry dir;
	uint64_t before;
	int i;

	cql("CREATE TABLE k.l (p text, c text, v text, PRIMARY KEY (p, c));");
	for (i = 0; i < 10; i++) {
		char text[200];

		snprintf(text, sizeof(text), "INSERT INTO k.l (p, c, v) VALUES "
			 "('p%d', 'c', 'v') USING TIMESTAMP %d000000;", i, i + 1);
		cql(text);
	}
	ck_assert_int_eq(tree_walk(&t, "k/l", &dir), 0);
	ck_assert_int_eq(fs_opendir(t.fs, &t.call, dir.node, &reply), 0);
	list_next(&l, dir.node, reply.handle, 3);
	for (i = 0; _i && i < 10; i++) {
		char text[200];

		snprintf(text, sizeof(text), "INSERT INTO k.l (p, c, v) VALUES "
			 "('p%d', 'c', 'w') USING TIMESTAMP %d000000;", i, i + 100);
		cql(text);
	}
	list_next(&l, dir.node, reply.handle, 40);
	before = reads_of("l");
	for (i = 0; i < 10; i++)
		ck_assert_int_eq(time_of_node(l.entries[i].node),
				 _i ? i + 100 : i + 1);
	if (!_i)
		ck_assert_uint_eq(reads_of("l"), before);
	cql("INSERT INTO k.l (p, c, v) VALUES ('p4', 'c', 'x') USING TIMESTAMP "
	    "500000000;");
	for (i = 0; i < 10; i++) {
		ck_assert_int_eq(time_of_node(l.entries[i].node),
				 i == 4 ? 500 : _i ? i + 100 : i + 1);
		fs_forget(t.fs, l.entries[i].node, 1);
	}
	fs_releasedir(t.fs, &t.call, dir.node, reply.handle);
	fs_forget(t.fs, dir.node, 1);
}
END_TEST

/* A row of which anything ends is read again, and ends in its second. */
START_TEST(a_row_with_an_end_is_not_known)
{
	int64_t now_s = 2000000000;

	clock_set_us(now_s * 1000000);
	cql("INSERT INTO k.t (p, c, w) VALUES ('p', 'e', 'stays');"
	    "UPDATE k.t USING TTL 10 SET v = 'ends' WHERE p = 'p' AND c = 'e';");
	tree_cat_is(&t, "k/t/p/e/v", "ends\n");
	tree_cat_is(&t, "k/t/p/e/w", "stays\n");
	clock_set_us((now_s + 9) * 1000000);
	tree_cat_is(&t, "k/t/p/e/v", "ends\n");
	clock_set_us((now_s + 10) * 1000000);
	tree_is_gone(&t, "k/t/p/e/v");
	tree_cat_is(&t, "k/t/p/e/w", "stays\n");
	ck_assert_str_eq(tree_ls(&t, "k/t/p/e"), "w ");
	clock_set_us(INT64_MIN);
}
END_TEST

/* A directory's time comes from its newest value, until that one ends. */
START_TEST(the_time_of_a_directory_follows_an_end)
{
	static const char *const paths[] = { "k/t/e/e", "k/t/e", "k/t/e/e/m" };
	int64_t now_s = 2000000000;
	struct fs_entry entries[3];
	struct stat st;
	double timeout_s;
	int i, looks;

	clock_set_us(now_s * 1000000);
	cql("ALTER TABLE k.t ADD m map<text, text>;"
	    "UPDATE k.t USING TIMESTAMP 7000000 SET w = 'stays', "
	    "m = {'stays': ''} WHERE p = 'e' AND c = 'e';"
	    "UPDATE k.t USING TIMESTAMP 9000000 AND TTL 10 SET v = 'ends', "
	    "m['ends'] = '' WHERE p = 'e' AND c = 'e';");
	for (looks = 0; looks < 2; looks++)
		for (i = 0; i < 3; i++) {
			ck_assert_int_eq(tree_walk(&t, paths[i], &entries[i]), 0);
			ck_assert_int_eq(entries[i].attr.st_mtim.tv_sec, 9);
			ck_assert(entries[i].attr_timeout_s <= 10);
			ck_assert(entries[i].entry_timeout_s == FS_FOREVER);
		}
	clock_set_us((now_s + 10) * 1000000);
	for (looks = 0; looks < 2; looks++)
		for (i = 0; i < 3; i++) {
			ck_assert_int_eq(fs_getattr(t.fs, &t.call,
						    entries[i].node, 0, &st,
						    &timeout_s), 0);
			ck_assert_int_eq(st.st_mtim.tv_sec, 7);
			ck_assert(timeout_s == FS_FOREVER);
		}
	clock_set_us(INT64_MIN);
}
END_TEST

/* Half of the statements change another table, with rows of the same keys. _i is
 * the seed. */
START_TEST(rows_follow_each_change)
{
	char text[2][12] = { "", "" }, statement[128], path[32], expected[16];
	struct random rng = random_seeded((uint64_t)_i);
	int i;

	cql("CREATE TABLE k.u (p text, c text, v text, PRIMARY KEY (p, c));"
	    "INSERT INTO k.t (p, c, w) VALUES ('r', 'r', 'stays');"
	    "INSERT INTO k.u (p, c) VALUES ('r', 'r');");
	for (i = 0; i < 200; i++) {
		int table = (int)random_below(&rng, 2);

		if (random_below(&rng, 3)) {
			snprintf(text[table], sizeof(text[table]), "%d", i);
			snprintf(statement, sizeof(statement),
				 "UPDATE k.%c SET v = '%d' WHERE p = 'r' AND "
				 "c = 'r';", "tu"[table], i);
			cql(statement);
		} else if (random_below(&rng, 2)) {
			text[table][0] = 0;
			snprintf(statement, sizeof(statement),
				 "DELETE v FROM k.%c WHERE p = 'r' AND c = 'r';",
				 "tu"[table]);
			cql(statement);
		}
		table = (int)random_below(&rng, 2);
		snprintf(path, sizeof(path), "k/%c/r/r/v", "tu"[table]);
		snprintf(expected, sizeof(expected), "%s\n", text[table]);
		if (text[table][0])
			tree_cat_is(&t, path, expected);
		else
			tree_is_gone(&t, path);
		if (!random_below(&rng, 4))
			tree_cat_is(&t, "k/t/r/r/w", "stays\n");
	}
}
END_TEST

/* Only the time of the table is read, on each way. */
START_TEST(known_attributes_are_not_read_by_a_write)
{
	struct fs_entry partition, row, cell;
	struct stat st;
	uint64_t before;

	ck_assert_int_eq(tree_utimens(&t, "k/t", 5), 0);
	cql("INSERT INTO k.t (p, c, v) VALUES ('a', 'b', 'x') "
	    "USING TIMESTAMP 7000000;");
	ck_assert_int_eq(tree_walk(&t, "k/t/a", &partition), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/a/b", &row), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/a/b/v", &cell), 0);
	before = reads();
	ck_assert_int_eq(tree_echo(&t, "k/t/a/b/v", O_WRONLY | O_TRUNC, "y\n"),
			 0);
	ck_assert_uint_eq(reads(), before + 1);
	/* Nor does one that follows another. */
	before = reads();
	ck_assert_int_eq(tree_echo(&t, "k/t/a/b/v", O_WRONLY | O_TRUNC,
				   "longer\n"), 0);
	ck_assert_int_eq(tree_stat(&t, "k/t/a/b/v", &st), 0);
	ck_assert_int_eq(st.st_size, 7);
	ck_assert_int_eq(st.st_ctim.tv_nsec, st.st_mtim.tv_nsec);
	ck_assert_int_eq(tree_stat(&t, "k/t/a/b", &st), 0);
	ck_assert_int_eq(st.st_mtim.tv_sec, 7);
	ck_assert_int_eq(tree_stat(&t, "k/t/a", &st), 0);
	ck_assert_int_eq(st.st_mtim.tv_sec, 7);
	ck_assert_uint_eq(reads(), before + 4);
	tree_cat_is(&t, "k/t/a/b/v", "longer\n");
	/* Nor a statement, which asks whether the row is there. */
	before = reads();
	cql("INSERT INTO k.t (p, c, v) VALUES ('a', 'b', 'z');");
	ck_assert_uint_eq(reads(), before);
	tree_cat_is(&t, "k/t/a/b/v", "z\n");
}
END_TEST

/* The row of a cell has the cell's end, if it has nothing else. */
START_TEST(an_end_that_a_write_gives_is_known)
{
	struct fs_entry row, cell;
	struct stat st;
	double timeout_s;

	cql("UPDATE k.t SET v = 'x' WHERE p = 'a' AND c = 'b';");
	ck_assert_int_eq(tree_walk(&t, "k/t/a/b", &row), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/a/b/v", &cell), 0);
	ck_assert_int_eq(tree_echo(&t, "k/t/a/b/v", O_WRONLY | O_TRUNC, "y\n"),
			 0);
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, row.node, 0, &st,
				    &timeout_s), 0);
	ck_assert(timeout_s == FS_FOREVER);
	ck_assert_int_eq(tree_setxattr(&t, "k/t/a/b/v", "user.ttl", "1000"), 0);
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, row.node, 0, &st,
				    &timeout_s), 0);
	ck_assert(timeout_s <= 1000);
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, cell.node, 0, &st,
				    &timeout_s), 0);
	ck_assert(timeout_s <= 1000);
}
END_TEST

/* A cell that appears, and goes by another way than it came. */
START_TEST(a_cell_that_goes_is_not_known)
{
	struct stat st;

	ck_assert_int_eq(tree_utimens(&t, "k/t/p/c", 5), 0);
	cql("DELETE FROM k.t WHERE p = 'p' AND c = 'c';"
	    "UPDATE k.t SET v = 'x' WHERE p = 'a' AND c = 'b';");
	ck_assert_int_eq(tree_stat(&t, "k/t/a/b/v", &st), 0);
	ck_assert_int_eq(tree_echo(&t, "k/t/a/b/v", O_WRONLY | O_TRUNC, "y\n"),
			 0);
	ck_assert_int_eq(tree_stat(&t, "k/t/a/b/v", &st), 0);
	cql("DELETE v FROM k.t WHERE p = 'a' AND c = 'b';");
	tree_is_gone(&t, "k/t/a/b/v");
	tree_is_gone(&t, "k/t/a/b");
	tree_is_gone(&t, "k/t/a");
}
END_TEST

/* ------------------------------------------------------ beside another call */
/* Another thread, and how often it has done its work. */
struct beside {
	struct tree tree;
	void (*work)(struct tree *tree, int i);
	pthread_t thread;
	_Atomic bool stop;
	_Atomic int count;
};

static void *repeat(void *context)
{
	struct beside *b = context;

	while (!atomic_load(&b->stop))
		b->work(&b->tree, atomic_fetch_add(&b->count, 1));
	return NULL;
}

static void begin_beside(struct beside *b,
			 void (*work)(struct tree *tree, int i))
{
	*b = (struct beside){ .tree = t, .work = work };
	b->tree.text = BUF_INIT;
	ck_assert_int_eq(pthread_create(&b->thread, NULL, repeat, b), 0);
}

static void end_beside(struct beside *b)
{
	atomic_store(&b->stop, true);
	pthread_join(b->thread, NULL);
	buf_release(&b->tree.text);
}

static void write_cell_of_row(struct tree *tree, int i)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", i);
	ck_assert_int_eq(tree_echo(tree, "k/t/p/c/v", O_WRONLY | O_TRUNC, text),
			 0);
}

static int64_t time_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(tree_stat(&t, path, &st), 0);
	return st.st_mtim.tv_sec;
}

/* A write keeps the times of the directories above its cell: those that were set
 * while it was under way, too. */
START_TEST(a_time_set_beside_a_write_stays)
{
	struct fs_entry partition, row;
	struct beside b;
	int i, last = 0, burst;

	ck_assert_int_eq(tree_walk(&t, "k/t/p", &partition), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/p/c", &row), 0);
	for (burst = 0; burst < test_scale(100); burst++) {
		begin_beside(&b, write_cell_of_row);
		for (i = 0; i < 20 || atomic_load(&b.count) < 2; i++) {
			last = burst * 1000 + i % 1000 + 1;
			ck_assert_int_eq(tree_utimens(&t, "k/t/p", last), 0);
			ck_assert_int_eq(tree_utimens(&t, "k/t/p/c", last), 0);
		}
		end_beside(&b);
		ck_assert_int_eq(time_of("k/t/p"), last);
		ck_assert_int_eq(time_of("k/t/p/c"), last);
	}
}
END_TEST

static void make_row_of_time(struct tree *tree, int i)
{
	(void)i;
	tree_mkdir(tree, "k/t/p");
	tree_mkdir(tree, "k/t/p/d");
	tree_utimens(tree, "k/t/p/d", 5);
}

/* A time that is set as the table is truncated is shown, if the row is there. */
START_TEST(a_time_set_beside_truncate_is_shown)
{
	int burst, shown = 0;
	struct beside b;
	struct stat st;

	ck_assert_int_eq(tree_utimens(&t, "k/t/p", 5), 0);
	for (burst = 0; burst < test_scale(400); burst++) {
		begin_beside(&b, make_row_of_time);
		while (!atomic_load(&b.count))
			continue;
		cql("TRUNCATE k.t;");
		end_beside(&b);
		if (tree_stat(&t, "k/t/p/d", &st))
			continue;
		ck_assert_int_eq(st.st_mtim.tv_sec, 5);
		shown++;
		if (burst % 10 == 9) {
			tree_reopen(&t);
			ck_assert_int_eq(time_of("k/t/p/d"), 5);
		}
	}
	ck_assert_int_gt(shown, 0);
}
END_TEST

static int64_t ns_of(const struct stat *st)
{
	return st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec;
}

/* The second time there was one of its name, with a time that was set. */
static void is_made(const char *dir, const char *name)
{
	struct fs_entry above, made;
	struct stat st;
	char path[64];
	int i;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(tree_walk(&t, dir, &above), 0);
		ck_assert_int_eq(fs_mkdir(t.fs, &t.call, above.node, name, 0755,
					  &made), 0);
		ck_assert_int_gt(made.attr.st_mtim.tv_sec, 5);
		ck_assert_int_eq(tree_stat(&t, path, &st), 0);
		ck_assert_int_eq(ns_of(&st), ns_of(&made.attr));
		cql("UPDATE k.t SET v = 'new' WHERE p = 'p' AND c = 'c';");
		ck_assert_int_eq(tree_stat(&t, path, &st), 0);
		ck_assert_int_eq(ns_of(&st), ns_of(&made.attr));
		ck_assert_int_eq(tree_utimens(&t, path, 5), 0);
		ck_assert_int_eq(tree_rmdir(&t, path), 0);
	}
}

START_TEST(a_directory_has_the_time_of_its_making)
{
	cql("ALTER TABLE k.t ADD m map<text, text>;");
	cql("ALTER TABLE k.t ADD s text static;");
	ck_assert_int_eq(tree_mkdir(&t, "k/plain"), 0);
	is_made("k/t/p", "d");
	is_made("k/t/p/c", "m");
	is_made("k/t/p", "@static");
	is_made("k/t", "q");
	is_made("k/plain", "x");
}
END_TEST

/* A statement's answer comes after the kernel is told of its change, but others
 * may have read it before. _i: 1 if the same value is written again. */
START_TEST(a_value_that_was_read_is_not_taken_back)
{
	struct buf got = BUF_INIT;
	struct open_file f;

	cql("UPDATE k.t SET v = 'old' WHERE p = 'p' AND c = 'c';");
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", O_RDONLY, &f), 0);
	store_observer_stop(t.fs);
	cql(_i ? "UPDATE k.t SET v = 'old' WHERE p = 'p' AND c = 'c';" :
		 "UPDATE k.t SET v = 'new' WHERE p = 'p' AND c = 'c';");
	store_observer_start(t.fs);
	tree_cat_is(&t, "k/t/p/c/v", _i ? "old\n" : "new\n");
	ck_assert_int_eq(fs_read(t.fs, &t.call, f.node, f.handle, 0, 100, &got), 0);
	ck_assert_str_eq(buf_cstr(&got), "old\n");
	buf_release(&got);
	ck_assert_int_eq(tree_release(&t, &f), 0);
	tree_cat_is(&t, "k/t/p/c/v", _i ? "old\n" : "new\n");
}
END_TEST

SUITE(fs_known)
{
	TCase *tc = tcase_create("known");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, known_attributes_of_a_cell_are_read_once);
	tcase_add_test(tc, known_attributes_of_a_cell_follow_each_change);
	tcase_add_test(tc, known_attributes_are_not_read_by_a_write);
	tcase_add_test(tc, a_row_is_read_once);
	tcase_add_loop_test(tc, a_listed_partition_is_known, 0, 2);
	tcase_add_loop_test(tc, a_value_that_was_read_is_not_taken_back, 0, 2);
	tcase_add_test(tc, a_row_with_an_end_is_not_known);
	tcase_add_test(tc, the_time_of_a_directory_follows_an_end);
	tcase_add_loop_test(tc, rows_follow_each_change, 0, 4);
	tcase_add_test(tc, an_end_that_a_write_gives_is_known);
	tcase_add_test(tc, a_cell_that_goes_is_not_known);
	tcase_add_test(tc, a_time_set_beside_a_write_stays);
	tcase_add_test(tc, a_time_set_beside_truncate_is_shown);
	tcase_add_test(tc, a_directory_has_the_time_of_its_making);
	suite_add_tcase(suite, tc);
}
