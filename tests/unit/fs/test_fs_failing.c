/* What a call leaves that is refused, or that finds no memory: nothing of it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

#define LINES 5

/* Where a row has a time still to come, the removal looks at all of them. */
START_TEST(rows_are_removed_or_not_without_memory)
{
	long nth = 0, failed;
	char row[200];
	int err;

	do {
		snprintf(row, sizeof(row), "INSERT INTO shop.by_city (city, last, "
			 "first, address) VALUES ('c', 'l', 'f', 'e') USING "
			 "TIMESTAMP %ld;", 4000000000000000 + 10 * nth);
		tree_run(&shop, row);
		mem_fail_at(++nth, 0);
		err = tree_unlink(&shop, "shop/by_city/c.ndjson");
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert(!err || err == -ENOMEM);
	} while (failed);
	ck_assert_int_gt(nth, 10);
}
END_TEST

/* Directories of each kind; the last one's above is called by its number from
 * before a rename. */
static const char *const made_in[] = {
	"", "shop", "shop/users", "shop/by_city", "shop/by_city/c",
	"shop/by_city/c/l", "shop/likes", "shop/notes", ".snapshots",
	"shop/users"
};
#define MADE_IN ((int)ARRAY_SIZE(made_in))

START_TEST(a_directory_is_made_or_not_without_memory)
{
	bool moved = _i == MADE_IN - 1;
	struct fs_entry dir, entry;
	const char *at = moved ? "shop/people" : made_in[_i];
	long nth = 0, failed;
	char name[32], path[100];
	int err, found;

	ok(tree_mkdir(&shop, "shop/notes"));
	tree_run(&shop, "INSERT INTO shop.by_city (city, last, first) VALUES "
			"('c', 'l', 'f');");
	ok(tree_walk(&shop, made_in[_i], &dir));
	if (moved)
		ok(tree_rename(&shop, "shop/users", at, 0));
	/* What the first one makes for all is there. */
	ok(fs_mkdir(shop.fs, &shop.call, dir.node, "first", 0755, &entry));
	fs_forget(shop.fs, entry.node, 1);
	do {
		snprintf(name, sizeof(name), "new%ld", ++nth);
		snprintf(path, sizeof(path), "%s/%s", at, name);
		mem_fail_at(nth, 0);
		err = fs_mkdir(shop.fs, &shop.call, dir.node, name, 0755,
			       &entry);
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert(!err || err == -ENOMEM);
		if (!err)
			fs_forget(shop.fs, entry.node, 1);
		found = tree_walk(&shop, path + !*at, &entry);
		ck_assert_msg(found == (err ? -ENOENT : 0), "%s: %d %d", path,
			      err, found);
		if (!found)
			fs_forget(shop.fs, entry.node, 1);
	} while (failed);
	ck_assert_int_gt(nth, 3);
	if (dir.node != FS_ROOT)
		fs_forget(shop.fs, dir.node, 1);
}
END_TEST

START_TEST(a_listing_of_tables_has_all_or_fails_without_memory)
{
	long nth = 0, failed;
	const char *names;

	ck_assert(buf_reserve(&shop.text, 1 << 12));
	do {
		mem_fail_at(++nth, 0);
		names = tree_ls(&shop, "shop");
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert_msg(!names || !strcmp(names, "schema.cql by_city/ "
				"history/ likes/ users/ "), "%ld: %s", nth,
			      names);
	} while (failed);
	ck_assert_ptr_nonnull(names);
	ck_assert_int_gt(nth, 10);
}
END_TEST

/* True if the text is of whole lines: objects that end. */
static bool has_whole_lines(const char *text, size_t len)
{
	const char *end;

	for (; len; len -= (size_t)(end - text) + 1, text = end + 1) {
		end = memchr(text, '\n', len);
		if (!end || end == text || *text != '{' || end[-1] != '}')
			return false;
	}
	return true;
}

START_TEST(a_reader_of_rows_gets_whole_lines_without_memory)
{
	struct open_file f;
	long nth = 0, failed;
	char row[200];
	int i, err;

	for (i = 0; i < LINES; i++) {
		snprintf(row, sizeof(row), "INSERT INTO shop.by_city (city, "
			 "last, first, address) VALUES ('c', 'l', '%d', 'x');", i);
		tree_run(&shop, row);
	}
	do {
		struct buf got = BUF_INIT, all = BUF_INIT;

		ok(tree_open_file(&shop, "shop/by_city/c.ndjson", O_RDONLY, &f));
		ck_assert(buf_reserve(&got, 1 << 16));
		mem_fail_at(++nth, 0);
		err = fs_read(shop.fs, &shop.call, f.node, f.handle, 0, 1 << 16,
			      &got);
		failed = mem_failures();
		mem_fail_at(0, 0);
		buf_add_bytes(&all, buf_bytes(&got));
		ck_assert(!err || err == -ENOMEM);
		ck_assert_msg(has_whole_lines((const char *)all.ptr, all.len),
			      "%ld: %s", nth, buf_cstr(&all));
		ok(tree_release(&shop, &f));
		buf_release(&got);
		buf_release(&all);
	} while (failed);
	ck_assert_int_gt(nth, 10);
}
END_TEST

/* A move has moved all of the value, or nothing of it. */
START_TEST(a_cell_is_moved_whole_without_memory)
{
	static const char *const to[] = { "shop/users/a/photo",
					  "shop/users/a/country~" };
	const char *from = "shop/users/a/country";
	long nth = 0, failed;
	int err;

	do {
		tree_run(&shop, "INSERT INTO shop.users (user_name, country) "
			 "VALUES ('a', 'nz');");
		mem_fail_at(++nth, 0);
		err = tree_rename(&shop, from, to[_i], 0);
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert(!err || err == -ENOMEM);
		cat_is(err ? from : to[_i], "nz\n");
		is_gone(err ? to[_i] : from);
		tree_unlink(&shop, to[_i]);
	} while (failed);
	ck_assert_int_gt(nth, 10);
}
END_TEST

/* A directory is moved with all that is in memory below it, or not at all. */
START_TEST(a_directory_is_moved_whole_without_memory)
{
	static const char *const paths[][3] = {
		{ "shop/notes", "shop/jottings", "/alice/.todo.swp" },
		{ "shop", "store", "/notes/alice/.todo.swp" },
		{ "shop/users/a", "shop/users/b", "/.age.abcdef" },
	};
	const char *from = paths[_i][0], *to = paths[_i][1];
	long nth = 0, failed;
	char path[100];
	int err;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_mkdir(&shop, "shop/notes"));
	ok(tree_mkdir(&shop, "shop/notes/alice"));
	snprintf(path, sizeof(path), "%s%s", from, paths[_i][2]);
	ok(tree_echo(&shop, path, CREATE, "7\n"));
	do {
		mem_fail_at(++nth, 0);
		err = tree_rename(&shop, from, to, 0);
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert_msg(!err || err == -ENOMEM, "%ld: %d", nth, err);
		snprintf(path, sizeof(path), "%s%s", err ? from : to,
			 paths[_i][2]);
		cat_is(path, "7\n");
		is_gone(err ? to : from);
		if (!err)
			ok(tree_rename(&shop, to, from, 0));
	} while (failed);
	ck_assert_int_gt(nth, 10);
}
END_TEST

/* The write failed: its file is not what a truncation left, or the half of it. */
START_TEST(a_value_whose_write_found_no_memory_stays)
{
	const char *path = "shop/users/a/country";
	static uint8_t more[100000];
	long nth = 0, failed;
	struct open_file f;
	int64_t got;

	memset(more, 'x', sizeof(more));
	ok(tree_mkdir(&shop, "shop/users/a"));
	do {
		ok(tree_echo(&shop, path, CREATE, "nz\n"));
		ok(tree_open_file(&shop, path, O_WRONLY | O_TRUNC, &f));
		if (_i)
			ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node,
						  f.handle, 0, bytes_str("aus")),
					 3);
		mem_fail_at(++nth, 0);
		got = fs_write(shop.fs, &shop.call, f.node, f.handle,
			       _i ? 3 : 0, bytes_of(more, sizeof(more)));
		failed = mem_failures();
		mem_fail_at(0, 0);
		tree_release(&shop, &f);
		if (got < 0)
			cat_is(path, "nz\n");
	} while (failed);
	ck_assert_int_gt(nth, 1);
}
END_TEST

/* A value is stored or not as its close says. */
START_TEST(a_close_that_found_no_memory_stores_nothing)
{
	const char *path = "shop/users/a/country";
	long nth = 0, failed;
	struct open_file f;
	int err;

	ok(tree_mkdir(&shop, "shop/users/a"));
	do {
		ok(tree_echo(&shop, path, CREATE, "nz\n"));
		ok(tree_open_file(&shop, path, O_WRONLY | O_TRUNC, &f));
		ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle,
					  0, bytes_str("aus\n")), 4);
		mem_fail_at(++nth, 0);
		err = fs_flush(shop.fs, &shop.call, f.node, f.handle);
		failed = mem_failures();
		mem_fail_at(0, 0);
		fs_release(shop.fs, &shop.call, f.node, f.handle);
		fs_forget(shop.fs, f.node, 1);
		ck_assert(!err || err == -ENOMEM);
		cat_is(path, err ? "nz\n" : "aus\n");
	} while (failed);
	ck_assert_int_gt(nth, 3);
}
END_TEST

START_TEST(a_counter_is_read_whole_without_memory)
{
	long nth = 0, failed;
	const char *got;
	int err;

	tree_run(&shop, "UPDATE shop.likes SET n = n + 5 WHERE page = 'p';");
	ck_assert(buf_reserve(&shop.text, 1 << 12));
	do {
		mem_fail_at(++nth, 0);
		got = tree_cat(&shop, "shop/likes/p/n", &err);
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert_msg(got ? !strcmp(got, "5\n") : err == -ENOMEM,
			      "%ld: %d %s", nth, err, got);
	} while (failed);
	ck_assert_int_gt(nth, 10);
}
END_TEST

static const char *const documents[][2] = {
	{ "shop/users/%ld.json", "{\"country\": \"aus\"}\n" },
	{ "shop/users/a/tags.json", "[\"%ld\"]\n" },
};

START_TEST(a_document_finds_no_memory_and_no_other_fault)
{
	char path[100], text[100];
	long nth = 0, failed;
	int err;

	tree_run(&shop, "CREATE INDEX ages ON shop.users (age);"
			"INSERT INTO shop.users (user_name, age, tags) "
			"VALUES ('a', 7, {'x'});");
	do {
		snprintf(path, sizeof(path), documents[_i][0], ++nth);
		snprintf(text, sizeof(text), documents[_i][1], nth);
		mem_fail_at(nth, 0);
		err = tree_echo(&shop, path, CREATE, text);
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert_msg(!err || err == -ENOMEM, "%s: %ld: %d", path, nth,
			      err);
	} while (failed);
	ck_assert_int_gt(nth, 10);
}
END_TEST

START_TEST(a_refused_end_of_a_temporary_file_is_not_kept)
{
	const char *file = "shop/users/a/.age.abcdef";
	int err;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, file, CREATE, "7\n"));
	fails(EINVAL, tree_setxattr(&shop, file, "user.expires", "2099-01-01"));
	ck_assert_ptr_null(tree_getxattr(&shop, file, "user.expires", &err));
	ok(tree_rename(&shop, file, "shop/users/a/age", 0));
	ck_assert_ptr_null(tree_getxattr(&shop, "shop/users/a/age",
					 "user.expires", &err));
}
END_TEST

START_TEST(a_backup_of_a_cell_has_its_end)
{
	int err;

	tree_run(&shop, "INSERT INTO shop.users (user_name, age) VALUES ('a', 7) "
		 "USING TTL 1000;");
	ok(tree_rename(&shop, "shop/users/a/age", "shop/users/a/age~", 0));
	ck_assert_ptr_nonnull(tree_getxattr(&shop, "shop/users/a/age~",
					    "user.expires", &err));
	ok(tree_rename(&shop, "shop/users/a/age~", "shop/users/a/age", 0));
	ck_assert_ptr_nonnull(tree_getxattr(&shop, "shop/users/a/age",
					    "user.expires", &err));
}
END_TEST

static int64_t write_at(const struct open_file *f, const char *text,
			uint64_t offset)
{
	return fs_write(shop.fs, &shop.call, f->node, f->handle, offset,
			bytes_str(text));
}

/* A shell does not look at errors of a close. */
START_TEST(a_write_to_a_temporary_file_without_room_fails_itself)
{
	static const char one[] = "shop/users/a/.country.AbCdEf";
	static const char two[] = "shop/users/a/.country.AbCdEg";
	struct accounts *a = &shop.fs->accounts;
	struct open_file f, g;
	uint64_t record;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, one, CREATE, "old\n"));
	record = a->used[RESOURCE_SCRATCH] - 4;
	a->bounds[RESOURCE_SCRATCH] = 2 * record + 20;
	ok(tree_open_file(&shop, one, O_WRONLY | O_TRUNC, &f));
	ok(tree_open_file(&shop, two, CREATE, &g));
	ck_assert_int_eq(write_at(&f, "0123456789", 0), 10);
	ck_assert_int_eq(write_at(&g, "0123456789", 0), 10);
	fails(ENOSPC, (int)write_at(&g, "0123456789", 10));
	/* The first ten take the place of four that are there. */
	fails(ENOSPC, (int)write_at(&f, "01234", 10));
	ok(tree_release(&shop, &g));
	ok(tree_release(&shop, &f));
	cat_is(one, "old\n");
	is_gone(two);
	ck_assert_uint_eq(a->used[RESOURCE_SCRATCH], record + 4);
	ok(tree_echo(&shop, one, O_WRONLY | O_TRUNC, "01234567890123456789"));
	cat_is(one, "01234567890123456789");
	ck_assert_uint_eq(a->used[RESOURCE_SCRATCH], record + 20);
	ok(tree_unlink(&shop, one));
	ck_assert_uint_eq(a->used[RESOURCE_SCRATCH], 0);
}
END_TEST

SUITE(fs_failing)
{
	TCase *tc = tcase_create("fs_failing");

	tcase_set_timeout(tc, test_timeout());
	shop_fixture(tc);
	tcase_add_test(tc, rows_are_removed_or_not_without_memory);
	tcase_add_loop_test(tc, a_directory_is_made_or_not_without_memory, 0,
			    MADE_IN);
	tcase_add_test(tc, a_listing_of_tables_has_all_or_fails_without_memory);
	tcase_add_test(tc, a_reader_of_rows_gets_whole_lines_without_memory);
	tcase_add_loop_test(tc, a_cell_is_moved_whole_without_memory, 0, 2);
	tcase_add_loop_test(tc, a_directory_is_moved_whole_without_memory, 0, 3);
	tcase_add_loop_test(tc, a_value_whose_write_found_no_memory_stays, 0, 2);
	tcase_add_test(tc, a_close_that_found_no_memory_stores_nothing);
	tcase_add_test(tc, a_counter_is_read_whole_without_memory);
	tcase_add_loop_test(tc, a_document_finds_no_memory_and_no_other_fault, 0,
			    (int)ARRAY_SIZE(documents));
	tcase_add_test(tc, a_refused_end_of_a_temporary_file_is_not_kept);
	tcase_add_test(tc, a_backup_of_a_cell_has_its_end);
	tcase_add_test(tc,
		       a_write_to_a_temporary_file_without_room_fails_itself);
	suite_add_tcase(suite, tc);
}
