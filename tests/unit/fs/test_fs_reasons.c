/* Reasons of refusals that no other suite has: what .widefs/errors and the log say. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fs/node/name.h"
#include "fs/op/op.h"
#include "tests/lib/scratch.h"
#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

#define BOUND(r) shop.fs->accounts.bounds[r]
#define APPEND (O_WRONLY | O_APPEND)

static void as(uid_t uid)
{
	shop.call.uid = uid;
	shop.call.gid = uid;
}

static int write_text(const struct open_file *f, uint64_t offset,
		      const char *text)
{
	return (int)fs_write(shop.fs, &shop.call, f->node, f->handle, offset,
			     bytes_str(text));
}

static int read_some(const struct open_file *f)
{
	struct buf got = BUF_INIT;
	int err = fs_read(shop.fs, &shop.call, f->node, f->handle, 0, 1 << 16,
			  &got);

	buf_release(&got);
	return err;
}

/* ---------------------------------------------------- directories by @key */
/* A key that is longer than a name, and the directory of it. */
struct long_key {
	struct buf text;
	char at[400];
};

static void long_key_init(struct long_key *k, const char *table, size_t len,
			  size_t comma)
{
	struct buf name = BUF_INIT;

	k->text = BUF_INIT;
	ck_assert(buf_reserve(&k->text, len + 1));
	memset(k->text.ptr, 'a', len);
	if (comma)
		k->text.ptr[comma] = ',';
	k->text.len = len;
	buf_add_bytes(&name, buf_bytes(&k->text));
	name_shorten(&name);
	snprintf(k->at, sizeof(k->at), "%s/%s", table, buf_cstr(&name));
	buf_release(&name);
}

static const char *file_in(const struct long_key *k, const char *name)
{
	static char path[500];

	snprintf(path, sizeof(path), "%s/%s", k->at, name);
	return path;
}

static int give_key(struct long_key *k)
{
	return tree_echo(&shop, file_in(k, "@key"), CREATE, buf_cstr(&k->text));
}

/* Of a key of the parts that a comma parts, or of one. */
static const struct { const char *table; size_t comma; const char *reason; } keys[] = {
	{ "shop/users", 0, "Key length of 70000 is longer than maximum of 65535" },
	{ "shop/history", 35000, "Key length of 70005 is longer than maximum of 65535" },
	{ "shop/by_city/c", 0, "Key length of 70000 is longer than maximum of 65535" },
};

START_TEST(a_key_that_is_too_long)
{
	struct long_key k;

	ok(tree_mkdir(&shop, "shop/by_city/c"));
	long_key_init(&k, keys[_i].table, 70000, keys[_i].comma);
	ok(tree_mkdir(&shop, k.at));
	fails(EINVAL, give_key(&k));
	last_reason_is(keys[_i].reason);
	ls_is(k.at, "");
	buf_release(&k.text);
}
END_TEST

START_TEST(a_key_of_another_type)
{
	char reason[400];
	struct long_key k;

	tree_run(&shop, "CREATE TABLE shop.n (k varint PRIMARY KEY, v text);");
	long_key_init(&k, "shop/n", 300, 0);
	ok(tree_mkdir(&shop, k.at));
	fails(EINVAL, give_key(&k));
	snprintf(reason, sizeof(reason), "unable to make int from '%s'",
		 buf_cstr(&k.text));
	last_reason_is(reason);
	buf_release(&k.text);
}
END_TEST

START_TEST(an_adopted_key_of_another_type)
{
	char reason[900];
	struct long_key k;

	ok(tree_mkdir(&shop, "shop/notes"));
	long_key_init(&k, "shop/notes", 300, 0);
	ok(tree_mkdir(&shop, k.at));
	ok(give_key(&k));
	ok(tree_echo(&shop, file_in(&k, "v"), CREATE, "5\n"));
	fails(EEXIST, tree_echo(&shop, "shop/schema.cql", APPEND,
				"CREATE TABLE notes (k int PRIMARY KEY, v text);"));
	snprintf(reason, sizeof(reason), "notes was made by mkdir and has files that do not fit (%s: Unable to make int from '%s'): schema.cql is to be written before them",
		 buf_cstr(&k.text), buf_cstr(&k.text));
	last_reason_is(reason);
	buf_release(&k.text);
}
END_TEST

static const char *const ends[] = { "list/@append", "tags.json" };

START_TEST(a_value_that_waits_is_not_added_to)
{
	struct long_key k;

	long_key_init(&k, "shop/users", 300, 0);
	ok(tree_mkdir(&shop, k.at));
	ok(tree_mkdir(&shop, file_in(&k, "list")));
	fails(EINVAL, tree_echo(&shop, file_in(&k, ends[_i]),
				O_CREAT | APPEND, _i ? "[\"a\"]" : "5\n"));
	last_reason_is("this directory waits for its @key: write that first");
	buf_release(&k.text);
}
END_TEST

/* ---------------------------------------------------------------- schemaless */
START_TEST(a_name_that_is_no_text)
{
	ok(tree_mkdir(&shop, "shop/notes"));
	ok(tree_mkdir(&shop, "shop/notes/a"));
	ok(tree_echo(&shop, "shop/notes/a/b", CREATE, "x"));
	fails(EINVAL, tree_echo(&shop, "shop/notes/a/\xff", CREATE, "x"));
	last_reason_is("String didn't validate.");
}
END_TEST

/* A table that mkdir made, and a statement altered, waits for no schema.cql. */
START_TEST(no_directory_among_files)
{
	ok(tree_mkdir(&shop, "shop/notes"));
	ok(tree_mkdir(&shop, "shop/notes/a"));
	tree_run(&shop, "ALTER TABLE shop.notes WITH comment = 'mine';");
	fails(EPERM, tree_mkdir(&shop, "shop/notes/a/b"));
	last_reason_is("rows of notes are files, and no directories");
}
END_TEST

/* Put a file aside that waits for the CREATE TABLE, which has no place for it. */
static void make_later(const char *file, const char *create)
{
	ok(tree_mkdir(&shop, "shop/later"));
	ok(tree_mkdir(&shop, "shop/later/p"));
	ok(tree_mkdir(&shop, "shop/later/p/r"));
	ok(tree_echo(&shop, file, CREATE, "x"));
	ok(tree_echo(&shop, "shop/schema.cql", APPEND, create));
}

START_TEST(no_directory_in_what_was_put_aside)
{
	make_later("shop/later/p/r/f",
		   "CREATE TABLE later (k text PRIMARY KEY, v text);");
	fails(EPERM, tree_mkdir(&shop, "shop/later/p/r.rej/x"));
	last_reason_is("this directory waited for schema.cql, and has no place in later");
}
END_TEST

START_TEST(a_file_that_waited_has_the_name_of_a_key_column)
{
	make_later("shop/later/p/r/c", "CREATE TABLE later (k text, c text, v "
		   "text, PRIMARY KEY (k, c));");
	last_reason_is("c was made before schema.cql and has no place in the table (1 byte in memory until unmount, as NAME.rej): no file of this name can be written here");
}
END_TEST

START_TEST(a_temporary_file_becomes_no_key_column)
{
	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, "shop/users/a/.user_name.AbCdEf", CREATE, "x"));
	fails(EPERM, tree_rename(&shop, "shop/users/a/.user_name.AbCdEf",
				 "shop/users/a/user_name", 0));
	last_reason_is("this file is read-only");
}
END_TEST

/* ----------------------------------------------------------------- documents */
/* What a document's descriptor finds when the table has changed below it. */
static const struct {
	const char *statement;
	int flags, err;
	const char *reason;
} changes[] = {
	{ "ALTER TABLE shop.users DROP country;", APPEND, EINVAL, "there is no column 'country'; the first line names the columns" },
	{ "DROP TABLE shop.users;", APPEND, ESTALE, "the table was dropped" },
	{ "DROP TABLE shop.users;", O_RDONLY, ESTALE, "the table was dropped" },
};

START_TEST(rows_of_a_table_that_has_changed)
{
	struct open_file f;

	ok(tree_open_file(&shop, "shop/users.csv", changes[_i].flags, &f));
	if (changes[_i].flags)
		ck_assert_int_eq(write_text(&f, 0, "user_name,country\na,nz\n"),
				 23);
	tree_run(&shop, changes[_i].statement);
	fails(changes[_i].err, changes[_i].flags ?
				       write_text(&f, 23, "b,nz\n") :
				       read_some(&f));
	last_reason_is(changes[_i].reason);
	ok(tree_release(&shop, &f));
}
END_TEST

/* --------------------------------------------------------------- statements */
/* The last close is told of by RELEASE alone, where a process had ended before its
 * FLUSH, and has no caller who could be told an error. */
static const struct {
	const char *path;
	int flags;
	const char *text, *reason;
} rests[] = {
	{ ".cql", O_RDWR, "SELECT * FROM shop.none", "table none does not exist" },
	{ "shop/schema.cql", APPEND, "DROP TABLE none", "Table 'shop.none' doesn't exist" },
	{ "shop/users.ndjson", APPEND, "{\"none\": 1}", "line 1: there is no column 'none'" },
};

START_TEST(a_rest_that_the_last_close_refuses)
{
	struct open_file f;

	ok(tree_open_file(&shop, rests[_i].path, rests[_i].flags, &f));
	ck_assert_int_gt(write_text(&f, 0, rests[_i].text), 0);
	ck_assert_int_lt(tree_release(&shop, &f), 0);
	last_reason_is(rests[_i].reason);
}
END_TEST

static const struct { const char *path, *begin; int flags; } texts[] = {
	{ ".cql", "SELECT ", O_RDWR },
	{ "shop/schema.cql", "CREATE TABLE ", APPEND },
};
#define STEP (1 << 20)

START_TEST(a_statement_that_is_too_long)
{
	static char text[STEP + 1];
	struct open_file f;
	int i;

	memset(text, ' ', STEP);
	memcpy(text, texts[_i].begin, strlen(texts[_i].begin));
	ok(tree_open_file(&shop, texts[_i].path, texts[_i].flags, &f));
	for (i = 0; i < 64; i++) {
		ck_assert_int_eq(write_text(&f, (uint64_t)i * STEP, text), STEP);
		memset(text, ' ', STEP);
	}
	fails(EFBIG, write_text(&f, (uint64_t)64 * STEP, "x"));
	last_reason_is("a statement may have 67108864 bytes");
	tree_release(&shop, &f);
}
END_TEST

/* ------------------------------------------------------------------- control */
START_TEST(a_command_that_is_too_long)
{
	char line[1002];

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = 0;
	fails(EINVAL, tree_echo(&shop, ".widefs/ctl", O_WRONLY, line));
	last_reason_is("a line may have 1000 bytes");
}
END_TEST

START_TEST(a_scrub_beside_another)
{
	shop.fs->scrub.state = SCRUB_RUNNING;
	fails(EBUSY, tree_echo(&shop, ".widefs/ctl", O_WRONLY,
			       "scrub-start\n"));
	last_reason_is("a scrub is running");
	shop.fs->scrub.state = SCRUB_NONE;
}
END_TEST

/* -------------------------------------------------------------------- limits */
START_TEST(readers_have_room)
{
	const char *reason = "too many bytes of values that are open for reading: one user may have 5, all 8, with root and who mounted 10";
	struct open_file f;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, "new zealand\n"));
	BOUND(RESOURCE_READ) = 10;
	as(1000);
	fails(EMFILE, tree_open_file(&shop, "shop/users/a/country", O_RDONLY,
				     &f));
	ok(tree_open_file(&shop, "shop/users/a.json", O_RDONLY, &f));
	fails(EMFILE, read_some(&f));
	ok(tree_release(&shop, &f));
	BOUND(RESOURCE_READ) = 1 << 20;	/* .widefs/errors is one, too */
	as(0);
	last_reason_is(reason);
}
END_TEST

START_TEST(directories_in_memory_have_room)
{
	BOUND(RESOURCE_NAMES) = 2;
	as(1000);
	ok(tree_mkdir(&shop, "shop/likes/a"));
	fails(ENOSPC, tree_mkdir(&shop, "shop/likes/b"));
	as(0);
	last_reason_is("too many directories that have no rows: one user may have 1, all 2, with root and who mounted 2");
}
END_TEST

START_TEST(requests_have_room_to_wait)
{
	fs_refuse_waiting(shop.fs, &shop.call);
	last_reason_is("too many bytes of requests that wait for one another: one user may have 134217728, all 201326592, with root and who mounted 268435456");
}
END_TEST

/* Columns whose names need room twice: some are there when it ends. */
START_TEST(a_listing_has_room)
{
	struct buf create = BUF_INIT, insert = BUF_INIT;
	int i, refused = 0;
	uint64_t bound;

	buf_add_str(&create, "CREATE TABLE shop.wide (k text PRIMARY KEY");
	buf_add_str(&insert, "INSERT INTO shop.wide JSON '{\"k\": \"a\"");
	for (i = 0; i < 100; i++) {
		buf_add_format(&create, ", a_column_with_the_number_%d int", i);
		buf_add_format(&insert, ", \"a_column_with_the_number_%d\": 1", i);
	}
	buf_add_str(&create, ");");
	buf_add_str(&insert, "}';");
	tree_run(&shop, buf_cstr(&create));
	tree_run(&shop, buf_cstr(&insert));
	buf_release(&create);
	buf_release(&insert);
	for (bound = 1; ; bound *= 2) {
		BOUND(RESOURCE_RESULTS) = bound;
		if (tree_ls(&shop, "shop/wide/a"))
			break;
		refused++;
	}
	ck_assert_int_gt(refused, 10);
	last_reason_is("too many bytes of results that were not read: one user may have 16384, all 24576, with root and who mounted 32768");
}
END_TEST

/* ----------------------------------------------------------------------- log */
static struct buf logged;

/* What a mount with other options cannot show. */
static const char *const unshown[] = {
	"what waits for a @key is in the store, and shown by a mount that is not read-only\n",
	"files that wait for schema.cql or a @key are in the store and not shown (1 of them): No space left on device\n",
};

START_TEST(a_value_that_waits_is_told_of_in_the_log)
{
	struct long_key k;

	long_key_init(&k, "shop/users", 300, 0);
	ok(tree_mkdir(&shop, k.at));
	ok(tree_echo(&shop, file_in(&k, "country"), CREATE, "new zealand\n"));
	logged = BUF_INIT;
	shop.options.read_only = !_i;
	if (_i)
		shop.options.scratch_max = 1;
	log_into(&logged);
	tree_reopen(&shop);
	log_into(NULL);
	ck_assert_str_eq(buf_cstr(&logged), unshown[_i]);
	buf_release(&logged);
	buf_release(&k.text);
}
END_TEST

SUITE(fs_reasons)
{
	TCase *tc = tcase_create("reasons");

	tcase_set_timeout(tc, test_timeout());
	shop_fixture(tc);
	tcase_add_loop_test(tc, a_key_that_is_too_long, 0, 3);
	tcase_add_test(tc, a_key_of_another_type);
	tcase_add_test(tc, an_adopted_key_of_another_type);
	tcase_add_loop_test(tc, a_value_that_waits_is_not_added_to, 0, 2);
	tcase_add_test(tc, a_name_that_is_no_text);
	tcase_add_test(tc, no_directory_among_files);
	tcase_add_test(tc, no_directory_in_what_was_put_aside);
	tcase_add_test(tc, a_file_that_waited_has_the_name_of_a_key_column);
	tcase_add_test(tc, a_temporary_file_becomes_no_key_column);
	tcase_add_loop_test(tc, rows_of_a_table_that_has_changed, 0, 3);
	tcase_add_loop_test(tc, a_rest_that_the_last_close_refuses, 0, 3);
	tcase_add_loop_test(tc, a_statement_that_is_too_long, 0, 2);
	tcase_add_test(tc, a_command_that_is_too_long);
	tcase_add_test(tc, a_scrub_beside_another);
	tcase_add_test(tc, readers_have_room);
	tcase_add_test(tc, directories_in_memory_have_room);
	tcase_add_test(tc, requests_have_room_to_wait);
	tcase_add_test(tc, a_listing_has_room);
	tcase_add_loop_test(tc, a_value_that_waits_is_told_of_in_the_log, 0, 2);
	suite_add_tcase(suite, tc);
}
