/* The tree, section by section of its contract: names, cells, rows. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "fs/node/errors.h"
#include "store/base/alloc.h"
#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

START_TEST(the_top_of_the_tree)
{
	struct stat st;

	ls_is("", "shop/ ");
	ls_is("shop", "schema.cql by_city/ history/ likes/ users/ ");
	ls_is("shop/users", "");
	is_gone("nothing");
	is_gone("shop/nothing");
	is_gone("shop/users/nobody");
	ok(tree_stat(&shop, "", &st));
	ck_assert_uint_eq(st.st_mode, S_IFDIR | 0755);
	ok(tree_stat(&shop, "shop/users", &st));
	ck_assert(S_ISDIR(st.st_mode));
	ok(tree_stat(&shop, "system_schema", &st));
	ls_is("", "shop/ ");
}
END_TEST

START_TEST(a_row_and_its_cells)
{
	ok(tree_mkdir(&shop, "shop/users/chris"));
	fails(EEXIST, tree_mkdir(&shop, "shop/users/chris"));
	ls_is("shop/users", "chris/ ");
	ls_is("shop/users/chris", "");
	ok(tree_echo(&shop, "shop/users/chris/country", CREATE, "nz\n"));
	ok(tree_echo(&shop, "shop/users/chris/age", CREATE, "007\n"));
	ls_is("shop/users/chris", "age country ");
	cat_is("shop/users/chris/country", "nz\n");
	cat_is("shop/users/chris/age", "7\n");
	cat_is("shop/users/chris/user_name", "chris\n");
	ok(tree_echo(&shop, "shop/users/chris/country", CREATE, "au"));
	cat_is("shop/users/chris/country", "au\n");
	fails(ENOTEMPTY, tree_rmdir(&shop, "shop/users/chris"));
	ok(tree_unlink(&shop, "shop/users/chris/country"));
	ok(tree_unlink(&shop, "shop/users/chris/age"));
	fails(ENOENT, tree_unlink(&shop, "shop/users/chris/age"));
	ls_is("shop/users/chris", "");
	ok(tree_rmdir(&shop, "shop/users/chris"));
	is_gone("shop/users/chris");
	ls_is("shop/users", "");
}
END_TEST

START_TEST(a_refused_value_leaves_the_old_one)
{
	int err;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, "shop/users/a/age", CREATE, "5\n"));
	fails(EINVAL, tree_echo(&shop, "shop/users/a/age", CREATE, "abc\n"));
	cat_is("shop/users/a/age", "5\n");
	fails(EINVAL, tree_echo(&shop, "shop/users/a/id", CREATE, "1234\n"));
	is_gone("shop/users/a/id");
	fails(EINVAL, tree_echo(&shop, "shop/users/a/agee", CREATE, "5\n"));
	ck_assert_ptr_nonnull(tree_cat(&shop, ".widefs/errors", &err));
	ck_assert_ptr_nonnull(strstr((char *)shop.text.ptr,
				     "the nearest is 'age'"));
	fails(EPERM, tree_echo(&shop, "shop/users/a/user_name",
			       O_WRONLY | O_TRUNC, "b\n"));
	fails(EINVAL, tree_echo(&shop, "shop/users/a/age", CREATE, ""));
	cat_is("shop/users/a/age", "5\n");
	fails(EINVAL, tree_truncate(&shop, "shop/users/a/age", 0));
	cat_is("shop/users/a/age", "5\n");
}
END_TEST

START_TEST(the_empty_value_and_raw_bytes)
{
	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, ""));
	cat_is("shop/users/a/country", "");
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, "\n"));
	cat_is("shop/users/a/country", "");
	ok(tree_echo(&shop, "shop/users/a/photo", CREATE, "raw\n"));
	cat_is("shop/users/a/photo", "raw\n");
	ok(tree_echo(&shop, "shop/users/a/photo", O_WRONLY | O_APPEND, "more"));
	cat_is("shop/users/a/photo", "raw\nmore");
	ok(tree_truncate(&shop, "shop/users/a/photo", 2));
	cat_is("shop/users/a/photo", "ra");
	ok(tree_truncate(&shop, "shop/users/a/photo", 0));
	cat_is("shop/users/a/photo", "");
	ok(tree_echo(&shop, "shop/users/a/pair", CREATE, "[1, \"x\"]\n"));
	cat_is("shop/users/a/pair", "[1, \"x\"]\n");
}
END_TEST

START_TEST(a_path_is_a_where_clause)
{
	ok(tree_mkdir(&shop, "shop/by_city/Paris"));
	ls_is("shop/by_city", "Paris/ ");
	ok(tree_mkdir(&shop, "shop/by_city/Paris/b"));
	ok(tree_mkdir(&shop, "shop/by_city/Paris/b/x"));
	ok(tree_mkdir(&shop, "shop/by_city/Paris/b/y"));
	ok(tree_mkdir(&shop, "shop/by_city/Paris/a"));
	ls_is("shop/by_city/Paris", "a/ b/ ");
	ok(tree_mkdir(&shop, "shop/by_city/Paris/a/z"));
	ls_is("shop/by_city/Paris", "a/ b/ ");
	ls_is("shop/by_city/Paris/b", "x/ y/ ");
	ok(tree_echo(&shop, "shop/by_city/Paris/b/x/address", CREATE, "1 rue"));
	cat_is("shop/by_city/Paris/b/x/last", "b\n");
	cat_is("shop/by_city/Paris/b/x/city", "Paris\n");
	ok(tree_mkdir(&shop, "shop/by_city/Paris/@static"));
	ok(tree_echo(&shop, "shop/by_city/Paris/@static/mayor", CREATE, "m"));
	ls_is("shop/by_city/Paris", "@static/ a/ b/ ");
	tree_reopen(&shop);
	ls_is("shop/by_city/Paris", "@static/ a/ b/ ");
	ls_is("shop/by_city/Paris/@static", "mayor ");
	fails(ENOTEMPTY, tree_rmdir(&shop, "shop/by_city/Paris/a"));
	ok(tree_rmdir(&shop, "shop/by_city/Paris/a/z"));
	ls_is("shop/by_city/Paris", "a/ @static/ b/ ");
	ok(tree_rmdir(&shop, "shop/by_city/Paris/a"));
	ls_is("shop/by_city/Paris", "@static/ b/ ");
}
END_TEST

START_TEST(one_spelling_of_a_key)
{
	ok(tree_mkdir(&shop, "shop/history/2016,chris"));
	ok(tree_mkdir(&shop, "shop/history/2016,chris/2016-10-04T12:34:00.000Z"));
	fails(EINVAL, tree_mkdir(&shop, "shop/history/2016,chris/2016-10-04"));
	ok(tree_mkdir(&shop, "shop/history/2016,chris/2016-10-05T00:00:00.000Z"));
	ls_is("shop/history/2016,chris", "2016-10-05T00:00:00.000Z/ "
					 "2016-10-04T12:34:00.000Z/ ");
	is_gone("shop/history/2016,chris/2016-10-04T12:34Z");
	fails(EINVAL, tree_mkdir(&shop, "shop/history/2016"));
	ok(tree_mkdir(&shop, "shop/users/a%2Ejson"));
	ls_is("shop/users", "a%2Ejson/ ");
	fails(EINVAL, tree_mkdir(&shop, "shop/users/%61"));
	fails(EINVAL, tree_mkdir(&shop, "shop/users/.hidden"));
}
END_TEST

START_TEST(collections_are_directories)
{
	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_mkdir(&shop, "shop/users/a/tags"));
	ok(tree_echo(&shop, "shop/users/a/tags/Disney", CREATE, ""));
	ok(tree_echo(&shop, "shop/users/a/tags/art", CREATE, ""));
	fails(EINVAL, tree_echo(&shop, "shop/users/a/tags/art", CREATE, "x\n"));
	ls_is("shop/users/a/tags", "Disney art ");
	cat_is("shop/users/a/tags/art", "");
	cat_is("shop/users/a/tags.json", "[\"Disney\", \"art\"]\n");
	ok(tree_unlink(&shop, "shop/users/a/tags/Disney"));
	ls_is("shop/users/a/tags", "art ");
	ok(tree_echo(&shop, "shop/users/a/tags.json", O_WRONLY | O_APPEND,
		     "[\"new\"]\n"));
	ls_is("shop/users/a/tags", "art new ");
	ok(tree_echo(&shop, "shop/users/a/phones.json", CREATE,
		     "{\"cell\": \"1\", \"home\": \"2\"}\n"));
	ls_is("shop/users/a/phones", "cell home ");
	cat_is("shop/users/a/phones/cell", "1\n");
	ok(tree_mkdir(&shop, "shop/users/a/home"));
	ok(tree_echo(&shop, "shop/users/a/home/city", CREATE, "Rome\n"));
	fails(EINVAL, tree_echo(&shop, "shop/users/a/home/planet", CREATE, "x"));
	cat_is("shop/users/a/home.json",
	       "{\"street\": null, \"city\": \"Rome\"}\n");
	ok(tree_mkdir(&shop, "shop/users/a/list"));
	ok(tree_echo(&shop, "shop/users/a/list/@append", O_WRONLY, "2\n"));
	ok(tree_echo(&shop, "shop/users/a/list/@append", O_WRONLY, "3\n"));
	ok(tree_echo(&shop, "shop/users/a/list/@prepend", O_WRONLY, "1\n"));
	cat_is("shop/users/a/list.json", "[1, 2, 3]\n");
	cat_is("shop/users/a/list/@1", "2\n");
	ok(tree_echo(&shop, "shop/users/a/list/@1", O_WRONLY | O_TRUNC, "9\n"));
	cat_is("shop/users/a/list.json", "[1, 9, 3]\n");
	ok(tree_unlink(&shop, "shop/users/a/list/@0"));
	cat_is("shop/users/a/list.json", "[9, 3]\n");
	ls_is("shop/users/a", "home/ list/ phones/ tags/ ");
	ok(tree_unlink(&shop, "shop/users/a/tags.json"));
	is_gone("shop/users/a/tags.json");
}
END_TEST

START_TEST(a_row_document)
{
	struct open_file f;
	struct stat st;
	double timeout;
	int err;

	/* The kernel asks for the attributes of a file that was just made. */
	ok(tree_open_file(&shop, "shop/users/new.json", CREATE, &f));
	ok(fs_getattr(shop.fs, &shop.call, f.node, 0, &st, &timeout));
	ck_assert_int_eq(st.st_nlink, 1);
	tree_release(&shop, &f);
	is_gone("shop/users/new");

	ok(tree_echo(&shop, "shop/users/a.json", CREATE,
		     "{\"country\": \"nz\", \"age\": 5, \"tags\": [\"x\"]}\n"));
	ls_is("shop/users", "a/ ");
	ls_is("shop/users/a", "age country tags/ ");
	cat_is("shop/users/a.json", "{\"user_name\": \"a\", \"age\": 5, "
	       "\"country\": \"nz\", \"tags\": [\"x\"]}\n");
	ok(tree_echo(&shop, "shop/users/a.json", O_WRONLY | O_APPEND,
		     "{\"age\": null}\n"));
	ls_is("shop/users/a", "country tags/ ");
	ok(tree_echo(&shop, "shop/users/a.json", CREATE, "{\"age\": 6}\n"));
	cat_is("shop/users/a.json", "{\"user_name\": \"a\", \"age\": 6}\n");
	fails(EINVAL, tree_echo(&shop, "shop/users/a.json", CREATE,
				"{\"user_name\": \"b\"}\n"));
	fails(EINVAL, tree_echo(&shop, "shop/users/a.json", CREATE, "{\"age\""));
	cat_is("shop/users/a.json", "{\"user_name\": \"a\", \"age\": 6}\n");
	ok(tree_unlink(&shop, "shop/users/a.json"));
	is_gone("shop/users/a");
	ck_assert_ptr_null(tree_cat(&shop, "shop/users/a.json", &err));
}
END_TEST

START_TEST(counters_count)
{
	ok(tree_mkdir(&shop, "shop/likes/home"));
	ok(tree_echo(&shop, "shop/likes/home/n", CREATE, "+5\n"));
	cat_is("shop/likes/home/n", "5\n");
	ok(tree_echo(&shop, "shop/likes/home/n", CREATE, "-2\n+1\n"));
	cat_is("shop/likes/home/n", "4\n");
	fails(EINVAL, tree_echo(&shop, "shop/likes/home/n", CREATE, "7\n"));
	fails(EINVAL, tree_echo(&shop, "shop/likes/home/n", CREATE, "x\n"));
	cat_is("shop/likes/home/n", "4\n");
	ok(tree_mkdir(&shop, "shop/likes/new"));
	ok(tree_echo(&shop, "shop/likes/new/n", CREATE, "12\n"));
	cat_is("shop/likes/new/n", "12\n");
}
END_TEST

START_TEST(renames)
{
	ok(tree_echo(&shop, "shop/users/a.json", CREATE,
		     "{\"country\": \"nz\", \"age\": 5}\n"));
	ok(tree_rename(&shop, "shop/users/a", "shop/users/b", 0));
	is_gone("shop/users/a");
	cat_is("shop/users/b.json", "{\"user_name\": \"b\", \"age\": 5, "
	       "\"country\": \"nz\"}\n");
	/* As sed -i and rsync do. */
	ok(tree_echo(&shop, "shop/users/b/sedAbCdEf", CREATE, "us\n"));
	ls_is("shop/users/b", "sedAbCdEf age country ");
	ok(tree_rename(&shop, "shop/users/b/sedAbCdEf", "shop/users/b/country",
		       0));
	ls_is("shop/users/b", "age country ");
	cat_is("shop/users/b/country", "us\n");
	ok(tree_echo(&shop, "shop/users/b/.age.a1B2c3", CREATE, "x\n"));
	fails(EINVAL, tree_rename(&shop, "shop/users/b/.age.a1B2c3",
				  "shop/users/b/age", 0));
	cat_is("shop/users/b/age", "5\n");
	ok(tree_unlink(&shop, "shop/users/b/.age.a1B2c3"));
	/* As emacs does: the original becomes the backup. */
	ok(tree_rename(&shop, "shop/users/b/country", "shop/users/b/country~",
		       0));
	is_gone("shop/users/b/country");
	cat_is("shop/users/b/country~", "us\n");
	ok(tree_rename(&shop, "shop/users/b/country~", "shop/users/b/country",
		       0));
	cat_is("shop/users/b/country", "us\n");
	fails(EINVAL, tree_rename(&shop, "shop/users/b/country",
				  "shop/users/b/age", 0));
	fails(EEXIST, tree_rename(&shop, "shop/users/b/age",
				  "shop/users/b/country", RENAME_NOREPLACE));
	ok(tree_rename(&shop, "shop/users/b/age", "shop/users/b/country", 0));
	cat_is("shop/users/b/country", "5\n");
	is_gone("shop/users/b/age");
	fails(EXDEV, tree_rename(&shop, "shop/users/b", "shop/by_city/b", 0));
}
END_TEST

START_TEST(times_are_kept)
{
	struct stat st, again;

	ok(tree_echo(&shop, "shop/users/a.json", CREATE,
		     "{\"country\": \"nz\", \"age\": 5}\n"));
	ok(tree_stat(&shop, "shop/users/a/country", &st));
	ck_assert_int_gt(st.st_mtim.tv_sec, 1000000000);
	ok(tree_utimens(&shop, "shop/users/a/country", 1000));
	ok(tree_utimens(&shop, "shop/users/a", 2000));
	ok(tree_utimens(&shop, "shop/users", 3000));
	ok(tree_utimens(&shop, "shop", 4000));
	ok(tree_utimens(&shop, "", 5000));
	ok(tree_utimens(&shop, "shop/schema.cql", 6000));
	tree_reopen(&shop);
	ok(tree_stat(&shop, "shop", &st));
	ck_assert_int_eq(st.st_mtim.tv_sec, 4000);
	ok(tree_stat(&shop, "", &st));
	ok(tree_stat(&shop, "shop/schema.cql", &st));
	ck_assert_int_eq(st.st_mtim.tv_sec, 6000);
	ok(tree_mkdir(&shop, "shop/notes"));
	ok(tree_stat(&shop, "shop/schema.cql", &st));
	ck_assert_int_gt(st.st_mtim.tv_sec, 1000000000);
	ok(tree_stat(&shop, "shop", &st));
	ck_assert_int_gt(st.st_mtim.tv_sec, 1000000000);
	ok(tree_stat(&shop, "shop/users/a/country", &st));
	ck_assert_int_eq(st.st_mtim.tv_sec, 1000);
	ok(tree_stat(&shop, "shop/users/a", &st));
	ck_assert_int_eq(st.st_mtim.tv_sec, 2000);
	ok(tree_stat(&shop, "shop/users", &again));
	ck_assert_int_eq(again.st_mtim.tv_sec, 3000);
	/* When a value changes, no child comes or goes. */
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, "au\n"));
	ok(tree_stat(&shop, "shop/users/a", &again));
	ck_assert_int_eq(again.st_mtim.tv_sec, 2000);
	ck_assert_uint_eq(again.st_ino, st.st_ino);
	ok(tree_stat(&shop, "shop/users/a/country", &st));
	ck_assert_int_gt(st.st_mtim.tv_sec, 1000000000);
	ok(tree_unlink(&shop, "shop/users/a/age"));
	ok(tree_stat(&shop, "shop/users/a", &again));
	ck_assert_int_gt(again.st_mtim.tv_sec, 1000000000);
}
END_TEST

/* A table remembers, from the first on, that times were set in it. A write that
 * was refused does not count. */
START_TEST(times_are_kept_after_a_refusal)
{
	struct fs_entry table;
	struct stat st;
	int err;

	tree_cql(&shop, ".cql", "CREATE TABLE shop.near (k int PRIMARY KEY, "
		 "v vector<float, 2>, w int); INSERT INTO shop.near (k, w) "
		 "VALUES (1, 1); CREATE CUSTOM INDEX ON shop.near (v) USING "
		 "'sai';", &err);
	ok(err);
	ok(tree_walk(&shop, "shop/near", &table));	/* it stays in memory */
	fails(EINVAL, tree_echo(&shop, "shop/near/1.json", O_WRONLY | O_APPEND,
				"{\"v\": [0, 0]}\n"));
	ok(tree_utimens(&shop, "shop/near/1", 2000));
	fs_forget(shop.fs, table.node, 1);
	tree_reopen(&shop);
	ok(tree_stat(&shop, "shop/near/1", &st));
	ck_assert_int_eq(st.st_mtim.tv_sec, 2000);
}
END_TEST

START_TEST(extended_attributes)
{
	int err;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, "nz\n"));
	ck_assert_str_eq(tree_getxattr(&shop, "shop/users/a/country", "user.type",
				       &err), "text");
	ck_assert_ptr_null(tree_getxattr(&shop, "shop/users/a/country",
					 "user.expires", &err));
	ck_assert_int_eq(err, -ENODATA);
	ck_assert_ptr_null(tree_getxattr(&shop, "shop/users/a/country",
					 "security.capability", &err));
	ck_assert_int_eq(err, -EOPNOTSUPP);
	ok(tree_utimens(&shop, "shop/users/a/country", 1000));
	ok(tree_setxattr(&shop, "shop/users/a/country", "user.expires",
			 "2040-01-01T00:00:00.000Z"));
	ck_assert_str_eq(tree_getxattr(&shop, "shop/users/a/country",
				       "user.expires", &err),
			 "2040-01-01T00:00:00.000Z");
	cat_is("shop/users/a/country", "nz\n");
	{
		struct stat st;

		ok(tree_stat(&shop, "shop/users/a/country", &st));
		ck_assert_int_eq(st.st_mtim.tv_sec, 1000);
	}
	ok(tree_setxattr(&shop, "shop/users/a/country", "user.expires", NULL));
	ck_assert_ptr_null(tree_getxattr(&shop, "shop/users/a/country",
					 "user.expires", &err));
	fails(EINVAL, tree_echo(&shop, "shop/users/a/age", CREATE, "x\n"));
	ok(tree_setxattr(&shop, "shop/users/a", "user.ttl", "1000"));
	ck_assert_ptr_nonnull(tree_getxattr(&shop, "shop/users/a",
					    "user.expires", &err));
}
END_TEST

/* Give the cell the largest timestamp. */
static void be_the_latest(const char *path)
{
	ok(tree_setxattr(&shop, path, "user.writetime", "9223372036854775807"));
}

/*
 * Nothing can be later than the largest timestamp: a write that would have no
 * effect is refused with the reason, whatever call makes it. A deletion wins a
 * tie.
 */
START_TEST(nothing_is_later_than_the_largest_timestamp)
{
	const char *a = "shop/users/a/country", *b = "shop/users/b/country";
	int err;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_mkdir(&shop, "shop/users/b"));
	ok(tree_echo(&shop, a, CREATE, "nz\n"));
	ok(tree_echo(&shop, b, CREATE, "fr\n"));
	ok(tree_setxattr(&shop, a, "user.writetime", "9223372036854775806"));
	ok(tree_echo(&shop, a, CREATE, "au\n"));
	ck_assert_str_eq(tree_getxattr(&shop, a, "user.writetime", &err),
			 "9223372036854775807");
	fails(EPERM, tree_echo(&shop, a, CREATE, "at\n"));	/* smaller */
	fails(EPERM, tree_echo(&shop, a, CREATE, "zz\n"));
	fails(EPERM, tree_echo(&shop, a, O_WRONLY | O_APPEND, "\n"));
	ck_assert_ptr_nonnull(strstr(tree_getxattr(&shop, a, "user.error",
						   &err),
				     "largest timestamp"));
	ok(tree_echo(&shop, "shop/users/a/photo", CREATE, "at"));
	fails(EPERM, tree_rename(&shop, "shop/users/a/photo", a, 0));
	fails(EPERM, tree_echo(&shop, "shop/users/a.json", CREATE,
			       "{\"country\": \"at\"}\n"));
	fails(EPERM, tree_echo(&shop, "shop/users/a.json",
			       O_WRONLY | O_APPEND, "{\"country\": \"at\"}\n"));
	fails(EPERM, tree_setxattr(&shop, a, "user.ttl", "1000"));
	tree_reopen(&shop);
	cat_is(a, "au\n");
	fails(EPERM, tree_echo(&shop, a, CREATE, "at\n"));
	cat_is(b, "fr\n");
	ok(tree_unlink(&shop, a));
	is_gone(a);
	fails(EPERM, tree_echo(&shop, a, CREATE, "nz\n"));
	is_gone(a);
	be_the_latest(b);
	ok(tree_rename(&shop, "shop/users/b", "shop/users/c", 0));
	cat_is("shop/users/c/country", "fr\n");
	is_gone("shop/users/b");
	ok(tree_unlink(&shop, "shop/users/c.json"));
	is_gone("shop/users/c");
	fails(EPERM, tree_mkdir(&shop, "shop/users/c"));
}
END_TEST

START_TEST(schemaless_tables)
{
	ok(tree_mkdir(&shop, "shop/notes"));
	ls_is("shop", "schema.cql by_city/ history/ likes/ notes/ users/ ");
	ok(tree_mkdir(&shop, "shop/notes/alice"));
	ok(tree_echo(&shop, "shop/notes/alice/todo", CREATE, "buy milk\n"));
	ok(tree_echo(&shop, "shop/notes/alice/.todo.swp", CREATE, "x"));
	ok(tree_echo(&shop, "shop/notes/alice/a.json", CREATE, ""));
	ls_is("shop/notes/alice", ".todo.swp a.json todo ");
	cat_is("shop/notes/alice/todo", "buy milk\n");
	cat_is("shop/notes/alice/a.json", "");
	ok(tree_rename(&shop, "shop/notes/alice/.todo.swp",
		       "shop/notes/alice/todo", 0));
	cat_is("shop/notes/alice/todo", "x");
	ls_is("shop/notes/alice", "a.json todo ");
	fails(EPERM, tree_mkdir(&shop, "shop/notes/alice/dir"));
	ok(tree_unlink(&shop, "shop/notes/alice/todo"));
	ok(tree_unlink(&shop, "shop/notes/alice/a.json"));
	ls_is("shop/notes", "alice/ ");
	ok(tree_rmdir(&shop, "shop/notes/alice"));
	ok(tree_rmdir(&shop, "shop/notes"));
	is_gone("shop/notes");
}
END_TEST

START_TEST(keyspaces_and_their_schema)
{
	int err;
	char *text;

	ok(tree_mkdir(&shop, "new"));
	ls_is("", "new/ shop/ ");
	ls_is("new", "schema.cql ");
	fails(EINVAL, tree_mkdir(&shop, "a b"));
	ck_assert_ptr_nonnull(tree_cat(&shop, "shop/schema.cql", &err));
	text = mem_copy(shop.text.ptr, shop.text.len);
	ck_assert_ptr_eq(strstr(text, "CREATE KEYSPACE shop"), text);
	/* Write it over itself: all of it exists already. */
	ok(tree_echo(&shop, "shop/schema.cql", CREATE, text));
	cat_is("shop/schema.cql", text);
	mem_free(text);
	ok(tree_echo(&shop, "new/schema.cql", O_WRONLY | O_TRUNC,
		     "CREATE TABLE new.t (k int, v int, PRIMARY KEY (k));\n"));
	ls_is("new", "schema.cql t/ ");
	fails(EINVAL, tree_echo(&shop, "new/schema.cql", O_WRONLY | O_TRUNC,
				"CREATE TABLE new.u (k nothing);\n"));
	ok(tree_unlink(&shop, "new/schema.cql"));
	ls_is("new", "t/ ");
	is_gone("new/schema.cql");
	ck_assert_ptr_nonnull(tree_cat(&shop, "new/t.cql", &err));
	ck_assert_ptr_nonnull(strstr((char *)shop.text.ptr, "CREATE TABLE new.t"));
	fails(EPERM, tree_unlink(&shop, "new/t.cql"));
	fails(ENOTEMPTY, tree_rmdir(&shop, "new"));
	ok(tree_rmdir(&shop, "new/t"));
	ok(tree_rmdir(&shop, "new"));
	ls_is("", "shop/ ");
}
END_TEST

START_TEST(cql_in_and_out)
{
	int err;
	struct open_file f;
	struct buf got = BUF_INIT;

	ck_assert_str_eq(tree_cql(&shop, "shop/.cql.json",
		"INSERT INTO users (user_name, age) VALUES ('a', 5);", &err),
		"{\"columns\":[],\"rows\":[]}\n");
	ok(err);
	ck_assert_str_eq(tree_cql(&shop, "shop/.cql.ndjson",
		"SELECT user_name, age FROM users", &err),
		"{\"user_name\": \"a\", \"age\": 5}\n");
	ok(err);
	ck_assert_ptr_nonnull(strstr(tree_cql(&shop, "shop/.cql.json",
		"SELECT nothing FROM users;", &err), "\"InvalidRequest\""));
	ck_assert_int_eq(err, -EINVAL);
	tree_cql(&shop, ".cql", "CREATE TABLE shop.users (k int PRIMARY KEY);",
		 &err);
	ck_assert_int_eq(err, -EEXIST);
	cat_is("shop/users/a/age", "5\n");
	/* Two redirections to one descriptor; each flushes. */
	ok(tree_open_file(&shop, "shop/.cql.ndjson", O_RDWR, &f));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("SELECT age\n")), 11);
	ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str(" FROM users;\n")), 13);
	ok(fs_read(shop.fs, &shop.call, f.node, f.handle, 0, 100, &got));
	ck_assert_str_eq(buf_cstr(&got), "{\"age\": 5}\n");
	/* The count ends after the last good statement. */
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
			bytes_str("SELECT age FROM users; bad;")), 22);
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str(" bad;")), -EINVAL);
	tree_release(&shop, &f);
	buf_release(&got);
}
END_TEST

/* A statement without a semicolon runs in a close only if this is known to be
 * the last one: nothing is known of a process that cannot be found. */
START_TEST(a_close_in_doubt_runs_nothing)
{
	const char *text = "CREATE TABLE shop.late (k int PRIMARY KEY)";
	struct open_file f;
	struct stat st;

	shop.call.pid = INT_MAX;
	ok(tree_open_file(&shop, ".cql", O_WRONLY, &f));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str(text)), strlen(text));
	ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
	is_gone("shop/late");
	ok(tree_release(&shop, &f));
	ok(tree_stat(&shop, "shop/late", &st));
}
END_TEST

START_TEST(special_bits_are_refused)
{
	static const char *const paths[] = { "shop", "shop/users" };
	struct stat attr = { .st_mode = 01777 };
	struct fs_entry entry;
	double timeout_s;

	ok(tree_walk(&shop, paths[_i], &entry));
	fails(EPERM, fs_setattr(shop.fs, &shop.call, entry.node, 0, FS_SET_MODE,
				&attr, &timeout_s));
	attr.st_mode = 0770;
	ok(fs_setattr(shop.fs, &shop.call, entry.node, 0, FS_SET_MODE, &attr,
		      &timeout_s));
	ck_assert_uint_eq(attr.st_mode, S_IFDIR | 0770);
	fs_forget(shop.fs, entry.node, 1);
}
END_TEST

START_TEST(a_long_name_has_its_key_beside_it)
{
	char name[512], value[400], path[900];
	struct buf cut = BUF_INIT;
	int err;

	memset(value, 'a', 300);
	value[300] = 0;
	snprintf(name, sizeof(name),
		 "INSERT INTO shop.users (user_name, age) VALUES ('%s', 5);",
		 value);
	tree_cql(&shop, ".cql", name, &err);
	ok(err);
	buf_add_str(&cut, tree_ls(&shop, "shop/users"));
	ck_assert_uint_eq(cut.len, 255 + 2);
	cut.len -= 2;
	snprintf(path, sizeof(path), "shop/users/%s", buf_cstr(&cut));
	ls_is(path, "@key age ");
	snprintf(path, sizeof(path), "shop/users/%s/@key", buf_cstr(&cut));
	snprintf(name, sizeof(name), "%s\n", value);
	cat_is(path, name);
	/* And the other way: the key comes after the directory. */
	tree_cql(&shop, ".cql", "TRUNCATE shop.users;", &err);
	ok(err);
	snprintf(path, sizeof(path), "shop/users/%s", buf_cstr(&cut));
	ok(tree_mkdir(&shop, path));
	snprintf(path, sizeof(path), "shop/users/%s/@key", buf_cstr(&cut));
	fails(EINVAL, tree_echo(&shop, path, CREATE, "other\n"));
	ok(tree_echo(&shop, path, CREATE, name));
	snprintf(path, sizeof(path), "shop/users/%s/age", buf_cstr(&cut));
	ok(tree_echo(&shop, path, CREATE, "7\n"));
	tree_reopen(&shop);
	cat_is(path, "7\n");
	buf_release(&cut);
}
END_TEST

START_TEST(the_hidden_cell_of_a_compact_row_takes_the_empty_value)
{
	tree_run(&shop, "CREATE TABLE shop.c (a int, b int, PRIMARY KEY (a, b))"
			" WITH COMPACT STORAGE; ALTER TABLE shop.c "
			"DROP COMPACT STORAGE;"
			"INSERT INTO shop.c (a, b) VALUES (1, 2);");
	ls_is("shop/c/1/2", "");
	ok(tree_echo(&shop, "shop/c/1/2/value", CREATE, ""));
	ls_is("shop/c/1/2", "value ");
	cat_is("shop/c/1/2/value", "");
	ok(tree_utimens(&shop, "shop/c/1/2/value", 1000));
	fails(EINVAL, tree_echo(&shop, "shop/c/1/2/value", CREATE, "x"));
	cat_is("shop/c/1/2/value", "");
}
END_TEST

START_TEST(a_reason_names_no_class_of_java)
{
	tree_run(&shop, "CREATE TABLE shop.a (k ascii PRIMARY KEY, v ascii)");
	fails(EINVAL, tree_mkdir(&shop, "shop/a/\xc3\xa9"));
	last_reason_is("Invalid ASCII character in string literal");
	ok(tree_mkdir(&shop, "shop/a/e"));
	fails(EINVAL, tree_echo(&shop, "shop/a/e/v", CREATE, "\xc3\xa9\n"));
	last_reason_is("Invalid ASCII character in string literal");
}
END_TEST

/* A time that is not stored is refused, but of documents and control files that
 * are written to: cp -p sets it. */
static const struct { const char *path; int err; } dated[] = {
	{ "shop/users/a", 0 }, { "shop/users/a.json", 0 },
	{ "shop/users.csv", 0 }, { "shop/users.ndjson", 0 },
	{ "shop/by_city/Paris.csv", 0 }, { "shop/schema.cql", 0 },
	{ "shop/users/@token=..5.csv", EPERM },
	{ "shop/users/@token=..5", EROFS },
	{ "shop/by_city/Paris/@limit=1.ndjson", EPERM },
	{ "shop/users.cql", EPERM }, { "shop.cql", EPERM },
	{ "shop/users/a/user_name", EPERM }, { ".widefs/version", EPERM },
	{ ".widefs/ctl", 0 }, { ".cql", 0 },
	{ "system", EROFS }, { "system/local", EROFS },
	{ "system/local/local", EROFS }, { "system/local/local.json", EROFS },
	{ "system/local/local/cluster_name", EROFS },
	{ "system/local.csv", EROFS }, { "system/local.cql", EROFS },
	{ "system.cql", EROFS }, { "system/schema.cql", EROFS },
	{ "system_schema/tables/shop", EROFS },
	{ "system_schema/tables/shop/users", EROFS },
};

START_TEST(a_time_is_set_or_refused)
{
	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_mkdir(&shop, "shop/by_city/Paris"));
	ok(tree_mkdir(&shop, "shop/by_city/Paris/b"));
	ck_assert_msg(tree_utimens(&shop, dated[_i].path, 1000) ==
		      -dated[_i].err, "%s", dated[_i].path);
}
END_TEST

START_TEST(the_removal_of_schema_cql_is_told)
{
	const char *told = "nothing was dropped, and the file is hidden until "
		"the next definition (to drop: rm -r of the directory, or "
		"DROP)";
	const char *restore = "; what rm -r removes comes back by: widefsctl "
		"snapshot restore STORE ";
	const char *at;
	int err;

	ok(tree_unlink(&shop, "shop/schema.cql"));
	last_reason_is(told);		/* no table has rows */
	is_gone("shop/schema.cql");
	tree_run(&shop, "CREATE TABLE shop.more (a int PRIMARY KEY)");
	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_unlink(&shop, "shop/schema.cql"));
	ck_assert_ptr_nonnull(tree_cat(&shop, ".widefs/errors", &err));
	at = strstr((char *)shop.text.ptr, restore);
	ck_assert_msg(at && !memcmp(at - strlen(told), told, strlen(told)),
		      "%s", (char *)shop.text.ptr);
}
END_TEST

/* Print the lines from *next on, without the times and processes. */
static void errors_are(struct errors *e, uint64_t *next, const char *lines)
{
	struct buf out = BUF_INIT, seen = BUF_INIT;
	const char *line, *at;

	errors_print(e, &out, 5, false, next);
	for (line = buf_cstr(&out); *line; line = strchr(line, '\n') + 1) {
		at = strchr(line, '/');
		buf_add(&seen, at, (size_t)(strchr(line, '\n') + 1 - at));
	}
	ck_assert_msg(!strcmp(buf_cstr(&seen), lines), "%.300s, not: %s",
		      buf_cstr(&seen), lines);
	buf_release(&out);
	buf_release(&seen);
}

/* mv renames each of its files before it copies it. */
static void refuse_renames(struct errors *e, pid_t pid, int first, int last)
{
	char path[32];

	for (; first <= last; first++) {
		snprintf(path, sizeof(path), "/k/t/%d", first);
		errors_add(e, (uint64_t)first, pid, 5, EXDEV, bytes_str(path),
			   "mv copies");
	}
}

START_TEST(renames_that_copy_have_two_lines)
{
	struct errors e;
	uint64_t next = 0, again = 0;

	errors_init(&e);
	errors_are(&e, &next, "");
	refuse_renames(&e, 0, 1, 20000);
	errors_add(&e, 7, 0, 5, EINVAL, bytes_str("/k/t/7/v"), "wrong");
	errors_are(&e, &next, "/k/t/1 EXDEV mv copies\n"
		   "/k/t/20000 EXDEV mv copies (19999 times since the line before)\n"
		   "/k/t/7/v EINVAL wrong\n");
	refuse_renames(&e, 0, 1, 3);
	errors_are(&e, &next, "/k/t/1 EXDEV mv copies\n"
		   "/k/t/3 EXDEV mv copies (2 times since the line before)\n");
	errors_are(&e, &next, "");
	ck_assert_uint_eq(errors_count(&e), 5);
	errors_release(&e);

	errors_init(&e);		/* lines that were read do not change */
	refuse_renames(&e, 0, 1, 1);
	errors_are(&e, &again, "/k/t/1 EXDEV mv copies\n");
	refuse_renames(&e, 0, 2, 2);
	errors_are(&e, &again, "/k/t/2 EXDEV mv copies\n");
	refuse_renames(&e, 0, 3, 4);	/* nor does another error go with them */
	errors_add(&e, 9, 0, 5, EXDEV, bytes_str("/k/t/9"), "another");
	errors_add(&e, 9, 0, 6, EXDEV, bytes_str("/k/t/9"), "another");
	errors_are(&e, &again, "/k/t/4 EXDEV mv copies "
		   "(2 times since the line before)\n/k/t/9 EXDEV another\n");
	errors_release(&e);
}
END_TEST

SUITE(fs)
{
	TCase *tc = tcase_create("fs");

	tcase_set_timeout(tc, 60);
	shop_fixture(tc);
	tcase_add_test(tc, the_top_of_the_tree);
	tcase_add_test(tc, a_row_and_its_cells);
	tcase_add_test(tc, a_refused_value_leaves_the_old_one);
	tcase_add_test(tc, the_empty_value_and_raw_bytes);
	tcase_add_test(tc, a_path_is_a_where_clause);
	tcase_add_test(tc, one_spelling_of_a_key);
	tcase_add_test(tc, collections_are_directories);
	tcase_add_test(tc, a_row_document);
	tcase_add_test(tc, counters_count);
	tcase_add_test(tc, renames);
	tcase_add_test(tc, times_are_kept);
	tcase_add_test(tc, times_are_kept_after_a_refusal);
	tcase_add_test(tc, extended_attributes);
	tcase_add_test(tc, nothing_is_later_than_the_largest_timestamp);
	tcase_add_test(tc, schemaless_tables);
	tcase_add_test(tc, keyspaces_and_their_schema);
	tcase_add_test(tc, cql_in_and_out);
	tcase_add_test(tc, a_close_in_doubt_runs_nothing);
	tcase_add_loop_test(tc, special_bits_are_refused, 0, 2);
	tcase_add_test(tc, a_long_name_has_its_key_beside_it);
	tcase_add_test(tc, the_hidden_cell_of_a_compact_row_takes_the_empty_value);
	tcase_add_test(tc, a_reason_names_no_class_of_java);
	tcase_add_loop_test(tc, a_time_is_set_or_refused, 0,
			    ARRAY_SIZE(dated));
	tcase_add_test(tc, the_removal_of_schema_cql_is_told);
	tcase_add_test(tc, renames_that_copy_have_two_lines);
	suite_add_tcase(suite, tc);
}
