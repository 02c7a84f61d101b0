/* Directories that wait for their @key: the key comes while others write below,
 * or finds no room. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fs/kind/waiting_load.h"
#include "fs/node/name.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "tests/lib/scratch.h"
#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

#define VALUES 16
#define COUNTERS 4	/* threads */

/* A row that is made by its shortened name. */
struct long_row {
	char key[320], at[300];
};

static void long_row_init(struct long_row *r, const char *table, int number)
{
	struct buf name = BUF_INIT;

	memset(r->key, 'a', 300);
	snprintf(r->key + 300, sizeof(r->key) - 300, "%d\n", number);
	buf_add(&name, r->key, strlen(r->key) - 1);
	name_shorten(&name);
	snprintf(r->at, sizeof(r->at), "shop/%s/%s", table, buf_cstr(&name));
	buf_release(&name);
}

static const char *file_of(const struct long_row *r, const char *name)
{
	static _Thread_local char path[400];

	snprintf(path, sizeof(path), "%s/%s", r->at, name);
	return path;
}

static int give_key(struct tree *t, const struct long_row *r)
{
	return tree_echo(t, file_of(r, "@key"), CREATE, r->key);
}

static void make_table(void)
{
	int err;

	tree_cql(&shop, ".cql",
		 "CREATE TABLE shop.wide (k text PRIMARY KEY, v int, m "
		 "map<text, text>, w text);", &err);
	ok(err);
}

/* What failed for want of memory is shown on, and stored with the same key when
 * that is written again. */
START_TEST(values_that_find_no_memory_wait_on)
{
	int made = 0, kept = 0, err;
	long nth = 0, failed;
	struct long_row r;

	make_table();
	do {
		long_row_init(&r, "wide", made++);
		ok(tree_mkdir(&shop, r.at));
		ok(tree_echo(&shop, file_of(&r, "v"), CREATE, "7\n"));
		ok(tree_setxattr(&shop, file_of(&r, "v"), "user.expires",
				 "2037-01-01"));
		ok(tree_mkdir(&shop, file_of(&r, "m")));
		ok(tree_echo(&shop, file_of(&r, "m/k"), CREATE, "x\n"));
		mem_fail_at(++nth, 0);
		err = give_key(&shop, &r);
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert(!err || err == -ENOMEM);
		cat_is(file_of(&r, "v"), "7\n");
		cat_is(file_of(&r, "m/k"), "x\n");
		ok(give_key(&shop, &r));
		kept += err != 0;
		tree_reopen(&shop);
		cat_is(file_of(&r, "v"), "7\n");
		cat_is(file_of(&r, "m/k"), "x\n");
		ck_assert_ptr_nonnull(tree_getxattr(&shop, file_of(&r, "v"),
						    "user.expires", &err));
	} while (failed);
	ck_assert_int_gt(kept, 10);
}
END_TEST

/* A shell does not look at errors of a close. */
START_TEST(a_write_that_has_no_room_to_wait_fails_itself)
{
	struct accounts *a = &shop.fs->accounts;
	struct long_row r;
	struct open_file f;

	make_table();
	long_row_init(&r, "wide", 1);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_echo(&shop, file_of(&r, "w"), CREATE, "old\n"));
	a->bounds[RESOURCE_SCRATCH] = 2 * a->used[RESOURCE_SCRATCH] + 20;
	ok(tree_open_file(&shop, file_of(&r, "w"), O_WRONLY | O_TRUNC, &f));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("0123456789")), 10);
	fails(ENOSPC, (int)fs_write(shop.fs, &shop.call, f.node, f.handle, 10,
				    bytes_str("0123456789012345")));
	ok(tree_release(&shop, &f));
	cat_is(file_of(&r, "w"), "old\n");
	ok(give_key(&shop, &r));
	cat_is(file_of(&r, "w"), "old\n");
	ck_assert_uint_eq(a->used[RESOURCE_SCRATCH], 0);
}
END_TEST

struct writer {
	struct tree tree;	/* with a text of its own */
	const struct long_row *row;
	pthread_barrier_t *begin;
	int err;
};

static void *write_values(void *context)
{
	struct writer *w = context;
	char text[32];
	int i;

	pthread_barrier_wait(w->begin);
	for (i = 1; i <= VALUES && !w->err; i++) {
		snprintf(text, sizeof(text), "%d\n", i);
		w->err = tree_echo(&w->tree, file_of(w->row, "v"), CREATE, text);
		if (!w->err)
			w->err = tree_echo(&w->tree, file_of(w->row, "w"),
					   CREATE, text);
	}
	return NULL;
}

/* Whether a value was held or stored, the later one counts. */
START_TEST(a_key_that_comes_meanwhile_keeps_the_last_values)
{
	int i, rounds = test_scale(400);
	pthread_barrier_t begin;
	struct writer w;
	struct long_row r;

	make_table();
	ok(pthread_barrier_init(&begin, NULL, 2));
	for (i = 0; i < rounds; i++) {
		pthread_t thread;

		long_row_init(&r, "wide", i);
		ok(tree_mkdir(&shop, r.at));
		ok(tree_echo(&shop, file_of(&r, "v"), CREATE, "0\n"));
		w = (struct writer){ .tree = shop, .row = &r, .begin = &begin };
		w.tree.text = BUF_INIT;
		ok(pthread_create(&thread, NULL, write_values, &w));
		pthread_barrier_wait(&begin);
		ok(give_key(&shop, &r));
		pthread_join(thread, NULL);
		buf_release(&w.tree.text);
		ok(w.err);
		cat_is(file_of(&r, "v"), "16\n");
		cat_is(file_of(&r, "w"), "16\n");
	}
	pthread_barrier_destroy(&begin);
	tree_reopen(&shop);
	for (i = 0; i < rounds; i++) {
		long_row_init(&r, "wide", i);
		cat_is(file_of(&r, "v"), "16\n");
		cat_is(file_of(&r, "w"), "16\n");
	}
}
END_TEST

START_TEST(a_counter_that_waits_is_counted_once)
{
	struct long_row r;

	long_row_init(&r, "likes", 0);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_echo(&shop, file_of(&r, "n"), O_CREAT | O_WRONLY, "3\n"));
	ok(give_key(&shop, &r));
	cat_is(file_of(&r, "n"), "3\n");
	ok(tree_echo(&shop, file_of(&r, "n"), O_WRONLY, "+2\n"));
	tree_reopen(&shop);
	cat_is(file_of(&r, "n"), "5\n");
}
END_TEST

static void *count_one(void *context)
{
	struct writer *w = context;
	struct open_file f;

	w->err = tree_open_file(&w->tree, file_of(w->row, "n"),
				O_CREAT | O_WRONLY, &f);
	pthread_barrier_wait(w->begin);
	if (w->err)
		return NULL;
	w->err = (int)fs_write(w->tree.fs, &w->tree.call, f.node, f.handle, 0,
			       bytes_str("+1\n"));
	tree_release(&w->tree, &f);
	return NULL;
}

/* A counter that waits holds one line: all but one writer are told that they
 * are not counted. */
START_TEST(writers_of_a_counter_that_waits_are_counted_or_refused)
{
	int i, rounds = test_scale(400), j, counted;
	pthread_barrier_t begin;
	struct long_row r;

	ok(pthread_barrier_init(&begin, NULL, COUNTERS));
	for (i = 0; i < rounds; i++) {
		struct writer w[COUNTERS];
		pthread_t threads[COUNTERS];

		long_row_init(&r, "likes", i);
		ok(tree_mkdir(&shop, r.at));
		for (j = 0; j < COUNTERS; j++) {
			w[j] = (struct writer){ .tree = shop, .row = &r,
						.begin = &begin };
			w[j].tree.text = BUF_INIT;
			ok(pthread_create(&threads[j], NULL, count_one, &w[j]));
		}
		for (j = 0, counted = 0; j < COUNTERS; j++) {
			pthread_join(threads[j], NULL);
			buf_release(&w[j].tree.text);
			ck_assert(w[j].err == 3 || w[j].err == -EINVAL);
			counted += w[j].err == 3;
		}
		ok(give_key(&shop, &r));
		ck_assert_int_eq(counted, 1);
		cat_is(file_of(&r, "n"), "1\n");
	}
	pthread_barrier_destroy(&begin);
}
END_TEST

/* A key that waits for schema.cql is there, and after a mount, or its writer was
 * told that it is not: then it is not there before a mount. */
START_TEST(a_key_that_waits_is_set_or_not_without_memory)
{
	long nth = 0, failed;
	struct long_row r;
	char path[400];
	bool set, stored;
	int err;

	do {
		long_row_init(&r, "later", (int)++nth);
		tree_mkdir(&shop, "shop/later");
		ok(tree_mkdir(&shop, r.at));
		ok(tree_mkdir(&shop, file_of(&r, "row")));
		ok(tree_echo(&shop, file_of(&r, "row/v"), CREATE, "1\n"));
		snprintf(path, sizeof(path), "%s", file_of(&r, "@key"));
		mem_fail_at(nth, 0);
		err = tree_echo(&shop, path, CREATE, r.key);
		failed = mem_failures();
		mem_fail_at(0, 0);
		set = tree_cat(&shop, path, &(int){ 0 });
		ck_assert_msg(set == !err, "%ld: %d %d", nth, err, set);
		if (err && nth % 2) {	/* again, with memory */
			ok(tree_echo(&shop, path, CREATE, r.key));
			set = tree_cat(&shop, path, &(int){ 0 });
			ck_assert_msg(set, "%ld", nth);
		}
		tree_reopen(&shop);
		stored = tree_cat(&shop, path, &(int){ 0 });
		ck_assert_msg(stored >= set, "%ld: %d", nth, err);
	} while (failed);
	ck_assert_int_gt(nth, 3);
}
END_TEST

/* mv copies a file where a directory waits for its @key, and removes it. */
START_TEST(a_rename_below_a_directory_that_waits_is_a_copy)
{
	struct long_row r;
	char path[400];

	make_table();
	long_row_init(&r, "wide", 1);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_mkdir(&shop, "shop/wide/a"));
	ok(tree_echo(&shop, "shop/wide/a/w", CREATE, "text\n"));
	ok(tree_echo(&shop, file_of(&r, "v"), CREATE, "7\n"));
	fails(EXDEV, tree_rename(&shop, "shop/wide/a/w", file_of(&r, "w"), 0));
	fails(EXDEV, tree_rename(&shop, r.at, "shop/wide/b", 0));
	snprintf(path, sizeof(path), "%s", file_of(&r, "v"));
	fails(EXDEV, tree_rename(&shop, path, file_of(&r, "w"), 0));
	cat_is("shop/wide/a/w", "text\n");
	cat_is(file_of(&r, "v"), "7\n");
}
END_TEST

/* Assert that the file below the row has this text, and user.expires. */
static void waits_with_end(const struct long_row *r, const char *name,
			   const char *text)
{
	const char *expires;
	int err;

	cat_is(file_of(r, name), text);
	expires = tree_getxattr(&shop, file_of(r, name), "user.expires", &err);
	ck_assert_ptr_nonnull(expires);
	ck_assert_int_eq(strncmp(expires, "2037-01-01", 10), 0);
}

START_TEST(values_that_wait_are_there_after_an_unmount)
{
	struct long_row r;
	struct stat st;
	char path[400];

	make_table();
	long_row_init(&r, "wide", 1);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_setxattr(&shop, r.at, "user.expires", "2037-01-01"));
	ok(tree_echo(&shop, file_of(&r, "w"), CREATE, "before\n"));
	ok(tree_echo(&shop, file_of(&r, "w"), CREATE, "text\n"));
	ok(tree_setxattr(&shop, file_of(&r, "w"), "user.expires",
			 "2037-01-01"));
	ok(tree_utimens(&shop, file_of(&r, "w"), 1000));
	ok(tree_mkdir(&shop, file_of(&r, "m")));
	ok(tree_echo(&shop, file_of(&r, "m/k"), CREATE, "x\n"));
	ok(tree_echo(&shop, file_of(&r, "v"), CREATE, "7\n"));
	ok(tree_unlink(&shop, file_of(&r, "v")));
	tree_reopen(&shop);
	is_gone(file_of(&r, "v"));
	is_gone(file_of(&r, "@key"));
	cat_is(file_of(&r, "m/k"), "x\n");
	waits_with_end(&r, "w", "text\n");
	ok(tree_stat(&shop, file_of(&r, "w"), &st));
	ck_assert_int_eq(st.st_mtim.tv_sec, 1000);
	snprintf(path, sizeof(path), "%s", file_of(&r, "v"));
	ok(tree_echo(&shop, path, CREATE, "8\n"));
	ok(give_key(&shop, &r));
	tree_reopen(&shop);
	cat_is(file_of(&r, "v"), "8\n");
	cat_is(file_of(&r, "m/k"), "x\n");
	waits_with_end(&r, "w", "text\n");
	ck_assert_ptr_nonnull(tree_getxattr(&shop, r.at, "user.expires",
					    &(int){ 0 }));
	ok(tree_echo(&shop, path, CREATE, "9\n"));
	tree_reopen(&shop);
	cat_is(path, "9\n");
}
END_TEST

/* A statement brings the row, whose directory waits: of the values that both
 * wrote the later one stays, also after an unmount. */
START_TEST(of_a_value_that_waits_and_a_statement_the_later_stays)
{
	bool waits_later = _i % 2, mounts_again = _i >= 2;
	struct long_row r;
	char text[900];
	int i;

	make_table();
	long_row_init(&r, "wide", 1);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_mkdir(&shop, file_of(&r, "m")));
	for (i = 0; i < 2; i++) {
		if (i == waits_later) {
			ok(tree_echo(&shop, file_of(&r, "w"), CREATE,
				     "path\n"));
			ok(tree_echo(&shop, file_of(&r, "v"), CREATE, "7\n"));
			ok(tree_echo(&shop, file_of(&r, "m/k"), CREATE,
				     "path\n"));
			continue;
		}
		snprintf(text, sizeof(text), "INSERT INTO shop.wide (k, w, m) "
			 "VALUES ('%.*s', 'cql', {'k': 'cql', 'l': 'cql'});",
			 (int)strlen(r.key) - 1, r.key);
		tree_run(&shop, text);
	}
	if (mounts_again)
		tree_reopen(&shop);
	ok(give_key(&shop, &r));
	for (i = 0; i < 2; i++) {
		cat_is(file_of(&r, "w"), waits_later ? "path\n" : "cql\n");
		cat_is(file_of(&r, "m/k"), waits_later ? "path\n" : "cql\n");
		cat_is(file_of(&r, "m/l"), "cql\n");
		cat_is(file_of(&r, "v"), "7\n");
		tree_reopen(&shop);
	}
	ck_assert_uint_eq(shop.fs->accounts.used[RESOURCE_SCRATCH], 0);
}
END_TEST

/* Of a schemaless table, which schema.cql may replace. */
START_TEST(rows_that_wait_are_there_after_an_unmount)
{
	struct long_row r;
	int err;

	ok(tree_mkdir(&shop, "shop/later"));
	long_row_init(&r, "later", 1);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_echo(&shop, file_of(&r, "v"), CREATE, "7\n"));
	tree_reopen(&shop);
	cat_is(file_of(&r, "v"), "7\n");
	tree_cql(&shop, "shop/.cql",
		 "CREATE TABLE later (k text PRIMARY KEY, v int);", &err);
	ok(err);
	cat_is(file_of(&r, "v"), "7\n");
	tree_reopen(&shop);
	cat_is(file_of(&r, "v"), "7\n");
	ok(give_key(&shop, &r));
	tree_reopen(&shop);
	cat_is(file_of(&r, "v"), "7\n");
	cat_is(file_of(&r, "@key"), r.key);
}
END_TEST

/* The record of an element goes along with its row. */
START_TEST(an_element_that_waits_follows_its_row)
{
	struct buf name = BUF_INIT;
	struct long_row r;
	char path[400];

	make_table();
	long_row_init(&r, "wide", 1);
	ok(tree_mkdir(&shop, "shop/wide/a"));
	ok(tree_mkdir(&shop, "shop/wide/a/m"));
	snprintf(path, sizeof(path), "shop/wide/a/m/%s", strrchr(r.at, '/') + 1);
	ok(tree_mkdir(&shop, path));
	buf_add_str(&name, path);
	buf_add_str(&name, "/value");
	ok(tree_echo(&shop, buf_cstr(&name), CREATE, "text\n"));
	ok(tree_rename(&shop, "shop/wide/a", "shop/wide/b", 0));
	tree_reopen(&shop);
	is_gone("shop/wide/a");
	snprintf(path, sizeof(path), "shop/wide/b/m/%s", strrchr(r.at, '/') + 1);
	buf_clear(&name);
	buf_add_str(&name, path);
	buf_add_str(&name, "/value");
	cat_is(buf_cstr(&name), "text\n");
	buf_release(&name);
}
END_TEST

START_TEST(a_counter_that_waits_is_there_after_an_unmount)
{
	struct long_row r;

	long_row_init(&r, "likes", 0);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_echo(&shop, file_of(&r, "n"), O_CREAT | O_WRONLY, "+3\n"));
	tree_reopen(&shop);
	ok(give_key(&shop, &r));
	cat_is(file_of(&r, "n"), "3\n");
	tree_reopen(&shop);
	cat_is(file_of(&r, "n"), "3\n");
}
END_TEST

/* The value of a column that was dropped waits no longer in the next mount, and
 * does not come back with a new column of the same name; the others are there,
 * and come with the key. */
START_TEST(values_of_a_dropped_column_end_with_the_mount)
{
	struct fs_entry entry;
	struct long_row r;

	make_table();
	long_row_init(&r, "wide", 1);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_echo(&shop, file_of(&r, "v"), CREATE, "7\n"));
	ok(tree_echo(&shop, file_of(&r, "w"), CREATE, "old\n"));
	ok(tree_mkdir(&shop, file_of(&r, "m")));
	ok(tree_echo(&shop, file_of(&r, "m/k"), CREATE, "x\n"));
	tree_run(&shop, "ALTER TABLE shop.wide DROP (w, m);");
	tree_reopen(&shop);
	cat_is(file_of(&r, "v"), "7\n");
	fails(ENOENT, tree_walk(&shop, file_of(&r, "w"), &entry));
	fails(ENOENT, tree_walk(&shop, file_of(&r, "m"), &entry));
	tree_run(&shop, "ALTER TABLE shop.wide ADD (w text, m map<text, "
			"text>);");
	fails(ENOENT, tree_walk(&shop, file_of(&r, "w"), &entry));
	tree_reopen(&shop);
	cat_is(file_of(&r, "v"), "7\n");
	fails(ENOENT, tree_walk(&shop, file_of(&r, "w"), &entry));
	ok(give_key(&shop, &r));
	cat_is(file_of(&r, "v"), "7\n");
	fails(ENOENT, tree_walk(&shop, file_of(&r, "w"), &entry));
	fails(ENOENT, tree_walk(&shop, file_of(&r, "m/k"), &entry));
	ck_assert_uint_eq(shop.fs->accounts.used[RESOURCE_SCRATCH], 0);
}
END_TEST

/* A write that has no memory is refused, and then nothing waits in its place. */
START_TEST(a_value_waits_as_its_writer_was_told)
{
	long nth = 0, failed;
	struct long_row r;
	int err;

	make_table();
	do {
		long_row_init(&r, "wide", (int)++nth);
		ok(tree_mkdir(&shop, r.at));
		ok(tree_echo(&shop, file_of(&r, "w"), CREATE, "before\n"));
		mem_fail_at(nth, 0);
		err = tree_echo(&shop, file_of(&r, "w"), CREATE, "after\n");
		failed = mem_failures();
		mem_fail_at(0, 0);
		cat_is(file_of(&r, "w"), err ? "before\n" : "after\n");
		tree_reopen(&shop);
		cat_is(file_of(&r, "w"), err ? "before\n" : "after\n");
	} while (failed);
	ck_assert_int_gt(nth, 3);
}
END_TEST

/* A row goes with its last data, whatever its directory was made by; while the
 * kernel knows of it, too. */
START_TEST(a_row_that_a_statement_deleted_is_made_again)
{
	char text[800];
	struct fs_entry entry;
	struct long_row r;
	int i, err;

	make_table();
	long_row_init(&r, "wide", 1);
	snprintf(text, sizeof(text), "DELETE FROM shop.wide WHERE k = '%.*s';",
		 (int)strlen(r.key) - 1, r.key);
	for (i = 0; i < 3; i++) {
		ok(tree_mkdir(&shop, r.at));
		fails(ENOENT, tree_walk(&shop, file_of(&r, "@key"), &entry));
		ok(give_key(&shop, &r));
		ok(tree_walk(&shop, file_of(&r, "@key"), &entry));
		ck_assert_str_eq(tree_cql(&shop, ".cql.csv", "SELECT count(*) "
					  "FROM shop.wide;", &err),
				 "count\n1\n");
		tree_run(&shop, i % 2 ? "TRUNCATE shop.wide;" : text);
		fails(ENOENT, tree_walk(&shop, r.at, &entry));
		ls_is("shop/wide", "");
	}
}
END_TEST

static int sync_directory(const char *path)
{
	struct fs_entry entry;
	int err = tree_walk(&shop, path, &entry);

	if (err)
		return err;
	err = fs_fsyncdir(shop.fs, &shop.call, entry.node);
	fs_forget(shop.fs, entry.node, 1);
	return err;
}

/* _i: of the directory itself, or of the one above. */
START_TEST(a_directory_that_waits_survives_with_fsync)
{
	struct long_row r, other, removed;

	make_table();
	long_row_init(&r, "wide", 1);
	long_row_init(&other, "wide", 2);
	long_row_init(&removed, "wide", 3);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_mkdir(&shop, file_of(&r, "m")));
	ok(tree_mkdir(&shop, removed.at));
	ok(sync_directory(_i ? "shop/wide" : r.at));
	ok(sync_directory(_i ? "shop/wide" : removed.at));
	ok(tree_mkdir(&shop, other.at));
	ok(tree_setxattr(&shop, removed.at, "user.expires", "2037-01-01"));
	ok(tree_rmdir(&shop, removed.at));
	tree_reopen(&shop);
	is_gone(other.at);
	is_gone(removed.at);
	ls_is(r.at, "m/ ");
	tree_reopen(&shop);
	ls_is(r.at, "m/ ");
	ok(give_key(&shop, &r));
	ls_is(r.at, "m/ @key ");
	tree_reopen(&shop);		/* the row is stored, and its record gone */
	ls_is(r.at, "@key ");
	ok(tree_unlink(&shop, file_of(&r, "@key")));
	ok(tree_rmdir(&shop, r.at));
	tree_reopen(&shop);
	is_gone(r.at);
}
END_TEST

/* What a crash leaves between the two: the record, and what it says is counted. */
START_TEST(a_counter_is_not_counted_again_at_a_mount)
{
	char count[500];
	struct long_row r;

	long_row_init(&r, "likes", 1);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_echo(&shop, file_of(&r, "n"), CREATE, "+5\n"));
	snprintf(count, sizeof(count), "UPDATE shop.likes SET n = n + 5 WHERE "
		 "page = '%.*s';", (int)strlen(r.key) - 1, r.key);
	tree_run(&shop, count);
	tree_reopen(&shop);
	cat_is(file_of(&r, "n"), "5\n");
	tree_reopen(&shop);
	cat_is(file_of(&r, "n"), "5\n");
}
END_TEST

/* A value in two directories that wait, in the order of _i: the upper @key, the lower
 * one, the value. The store is opened again before the last of them comes. */
START_TEST(a_key_that_came_is_kept_with_what_waits)
{
	static const char orders[][4] = { "uvl", "lvu", "vlu", "vul" };
	char lower[600], key[610], value[610];
	struct long_row r[2];
	size_t i;

	tree_run(&shop, "CREATE TABLE shop.deep (p text, c text, v text, "
			"PRIMARY KEY (p, c));");
	long_row_init(&r[0], "deep", 1);
	long_row_init(&r[1], "deep", 2);
	snprintf(lower, sizeof(lower), "%s%s", r[0].at, strrchr(r[1].at, '/'));
	snprintf(key, sizeof(key), "%s/@key", lower);
	snprintf(value, sizeof(value), "%s/v", lower);
	ok(tree_mkdir(&shop, r[0].at));
	ok(tree_mkdir(&shop, lower));
	for (i = 0; i < 3; i++) {
		if (i == 2)
			tree_reopen(&shop);
		if (orders[_i][i] == 'u')
			ok(give_key(&shop, &r[0]));
		else if (orders[_i][i] == 'l')
			ok(tree_echo(&shop, key, CREATE, r[1].key));
		else
			ok(tree_echo(&shop, value, CREATE, "7\n"));
	}
	tree_reopen(&shop);
	cat_is(value, "7\n");
	cat_is(key, r[1].key);
	cat_is(file_of(&r[0], "@key"), r[0].key);
}
END_TEST

static struct buf logged;

/* Make the nth allocation of the call fail. True if there was one; what the log says
 * is in `logged`. */
static bool fails_without(long nth, void (*call)(long nth))
{
	long failed;

	ck_assert(buf_reserve(&logged, 1 << 12));
	buf_clear(&logged);
	log_into(&logged);
	mem_fail_at(nth, 0);
	call(nth);
	failed = mem_failures();
	mem_fail_at(0, 0);
	log_into(NULL);
	return failed;
}

static void rename_row(long nth)
{
	char from[64], to[64];
	int err;

	snprintf(from, sizeof(from), "shop/wide/%ld", nth);
	snprintf(to, sizeof(to), "shop/wide/b%ld", nth);
	err = tree_rename(&shop, from, to, 0);
	ck_assert(!err || err == -ENOMEM);
}

/* The row is renamed then, and the log tells of what did not follow it. */
START_TEST(an_element_that_does_not_follow_its_row_is_told)
{
	char path[500], name[300];
	struct long_row r;
	bool failed, told = false;
	long nth = 0;

	make_table();
	long_row_init(&r, "wide", 1);
	snprintf(name, sizeof(name), "%s", strrchr(r.at, '/') + 1);
	do {
		snprintf(path, sizeof(path), "shop/wide/%ld", ++nth);
		ok(tree_mkdir(&shop, path));
		snprintf(path, sizeof(path), "shop/wide/%ld/m", nth);
		ok(tree_mkdir(&shop, path));
		snprintf(path, sizeof(path), "shop/wide/%ld/m/%s", nth, name);
		ok(tree_mkdir(&shop, path));
		snprintf(path, sizeof(path), "shop/wide/%ld/m/%s/value", nth, name);
		ok(tree_echo(&shop, path, CREATE, "text\n"));
		failed = fails_without(nth, rename_row);
		if (!logged.len)
			continue;
		ck_assert_str_eq(buf_cstr(&logged), "a file that waits for a @key was renamed, and is lost or under its old name after an unmount: Cannot allocate memory\n");
		snprintf(path, sizeof(path), "shop/wide/b%ld/m/%s/value", nth, name);
		cat_is(path, "text\n");
		told = true;
	} while (failed);
	ck_assert(told);
	buf_release(&logged);
}
END_TEST

static void load(long nth)
{
	(void)nth;
	waiting_load(shop.fs);
}

/* What waits is told of, and in the store all the same. */
START_TEST(a_value_that_waits_is_told_of_without_memory)
{
	struct long_row r;

	make_table();
	long_row_init(&r, "wide", 1);
	ok(tree_mkdir(&shop, r.at));
	ok(tree_echo(&shop, file_of(&r, "v"), CREATE, "7\n"));
	ck_assert(fails_without(1, load));
	ck_assert_str_eq(buf_cstr(&logged), "files that wait for schema.cql or a @key are not shown: Cannot allocate memory\n");
	buf_release(&logged);
	tree_reopen(&shop);
	cat_is(file_of(&r, "v"), "7\n");
}
END_TEST

SUITE_THREADS(fs_unkeyed)
{
	TCase *tc = tcase_create("unkeyed");

	tcase_set_timeout(tc, test_timeout());
	shop_fixture(tc);
	tcase_add_test(tc, values_that_find_no_memory_wait_on);
	tcase_add_test(tc, a_write_that_has_no_room_to_wait_fails_itself);
	tcase_add_test(tc, a_key_that_comes_meanwhile_keeps_the_last_values);
	tcase_add_test(tc, a_counter_that_waits_is_counted_once);
	tcase_add_test(tc,
		       writers_of_a_counter_that_waits_are_counted_or_refused);
	tcase_add_test(tc, a_key_that_waits_is_set_or_not_without_memory);
	tcase_add_loop_test(tc, a_directory_that_waits_survives_with_fsync, 0, 2);
	tcase_add_test(tc, a_rename_below_a_directory_that_waits_is_a_copy);
	tcase_add_test(tc, values_that_wait_are_there_after_an_unmount);
	tcase_add_loop_test(tc,
			    of_a_value_that_waits_and_a_statement_the_later_stays,
			    0, 4);
	tcase_add_test(tc, rows_that_wait_are_there_after_an_unmount);
	tcase_add_test(tc, an_element_that_waits_follows_its_row);
	tcase_add_test(tc, a_counter_that_waits_is_there_after_an_unmount);
	tcase_add_test(tc, a_counter_is_not_counted_again_at_a_mount);
	tcase_add_loop_test(tc, a_key_that_came_is_kept_with_what_waits, 0, 4);
	tcase_add_test(tc, values_of_a_dropped_column_end_with_the_mount);
	tcase_add_test(tc, a_value_waits_as_its_writer_was_told);
	tcase_add_test(tc, a_row_that_a_statement_deleted_is_made_again);
	suite_add_tcase(suite, tc);

	tc = tcase_create("told");
	tcase_set_timeout(tc, test_timeout());
	shop_fixture(tc);
	tcase_add_test(tc, an_element_that_does_not_follow_its_row_is_told);
	tcase_add_test(tc, a_value_that_waits_is_told_of_without_memory);
	suite_add_tcase(suite, tc);
}
