/*
 * The memory that open directories and results in progress hold between two
 * calls: names and the state of a listing, no values; and of past moments no
 * more than there is room for.
 */
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>

#include "fs/op/op.h"
#include "store/base/clock.h"
#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

#define STREAMS 20
#define LARGE (1 << 20)
#define ROWS 200	/* more than a buffer of the kernel takes */

static size_t memory(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static struct accounts *accounts(void)
{
	return &shop.fs->accounts;
}

static void as(uid_t uid)
{
	shop.call.uid = shop.call.gid = uid;
}

static void run(const char *format, ...)
{
	struct buf text = BUF_INIT;
	char one[300];
	va_list args;
	int err;

	va_start(args, format);
	vsnprintf(one, sizeof(one), format, args);
	va_end(args);
	buf_add_str(&text, one);
	tree_cql(&shop, ".cql", buf_cstr(&text), &err);
	ck_assert_msg(!err, "%d: %s", err, buf_cstr(&shop.text));
	buf_release(&text);
}

/* Run a statement with a text of LARGE bytes in place of its '@'. */
static void run_large(const char *statement, char letter)
{
	const char *at = strchr(statement, '@');
	struct buf text = BUF_INIT;
	int err;

	ck_assert(buf_reserve(&text, LARGE + strlen(statement) + 1));
	buf_add(&text, statement, (size_t)(at - statement));
	memset(text.ptr + text.len, letter, LARGE);
	text.len += LARGE;
	buf_add_str(&text, at + 1);
	tree_cql(&shop, ".cql", buf_cstr(&text), &err);
	ck_assert_msg(!err, "%d: %s", err, buf_cstr(&shop.text));
	buf_release(&text);
}

struct names {
	struct buf all;
	unsigned count, room;
	uint64_t cookie;
};

static int take(void *context, const char *name, size_t len,
		const struct fs_entry *entry, uint64_t cookie)
{
	struct names *n = context;

	if (!n->room)
		return 1;
	n->room--;
	n->count++;
	n->cookie = cookie;
	buf_add(&n->all, name, len);
	buf_add_byte(&n->all, ' ');
	if (entry->node)
		fs_forget(shop.fs, entry->node, 1);
	return 0;
}

/* Read up to `room` more entries of an open directory. */
static int list(struct names *n, uint64_t dir, uint64_t handle, unsigned room,
		bool plus)
{
	n->room = room;
	return fs_readdir(shop.fs, &shop.call, dir, handle, n->cookie, plus,
			  take, n);
}

static void make_large(void)
{
	char statement[200];
	int i;

	run("CREATE TABLE shop.wide (p int, c int, s text static, a text, b text, "
	    "m map<int, text>, z text, PRIMARY KEY (p, c))");
	run_large("UPDATE shop.wide SET a = '@' WHERE p = 1 AND c = 1", 'a');
	run_large("UPDATE shop.wide SET b = '@' WHERE p = 1 AND c = 1", 'b');
	run_large("UPDATE shop.wide SET z = '@' WHERE p = 1 AND c = 1", 'z');
	run_large("UPDATE shop.wide SET s = '@' WHERE p = 1", 's');
	for (i = 0; i < 3; i++) {
		snprintf(statement, sizeof(statement), "UPDATE shop.wide SET m "
			 "= m + {%d: '@'} WHERE p = 1 AND c = 1", i);
		run_large(statement, 'm');
		snprintf(statement, sizeof(statement), "UPDATE shop.wide SET a "
			 "= '@' WHERE p = 1 AND c = %d", i + 2);
		run_large(statement, 'c');
	}
	ok(store_flush(shop.store.store, NULL));
}

static const struct { const char *path, *names; } large[] = {
	{ "shop/wide/1/1", ". .. a b m z " },
	{ "shop/wide/1/1/m", ". .. 0 1 2 " },
	{ "shop/wide/1/@static", ". .. s " },
	{ "shop/wide/1", ". .. @static 1 2 3 4 " },
	{ "shop/wide", ". .. 1 " },
};

/* _i: of large, without and with attributes. */
START_TEST(open_directories_hold_no_values)
{
	struct fs_open_reply reply[STREAMS];
	struct names names[STREAMS] = { 0 };
	bool plus = _i % 2;
	struct fs_entry dir;
	size_t before = 0;
	int i;

	make_large();
	ok(tree_walk(&shop, large[_i / 2].path, &dir));
	for (i = 0; i < STREAMS; i++) {
		ok(fs_opendir(shop.fs, &shop.call, dir.node, &reply[i]));
		ok(list(&names[i], dir.node, reply[i].handle, 3, plus));
		ck_assert_uint_eq(names[i].count, 3);
		if (!i)
			before = memory();
	}
	ck_assert_uint_lt(memory() - before, STREAMS * LARGE / 4);
	/* Held memory is charged. */
	ck_assert_uint_gt(accounts_used(accounts(), RESOURCE_RESULTS), 0);
	for (i = 0; i < STREAMS; i++) {
		ok(list(&names[i], dir.node, reply[i].handle, 40, !plus));
		ck_assert_str_eq(buf_cstr(&names[i].all), large[_i / 2].names);
		buf_release(&names[i].all);
		fs_releasedir(shop.fs, &shop.call, dir.node, reply[i].handle);
	}
	fs_forget(shop.fs, dir.node, 1);
	ck_assert_uint_eq(accounts_used(accounts(), RESOURCE_RESULTS), 0);
}
END_TEST

/* Elements for which there is no room at once are listed later, each once, also
 * beside changes. */
START_TEST(long_collections_are_listed_in_parts)
{
	struct fs_open_reply reply;
	struct names n = { 0 };
	struct fs_entry dir;
	char want[20];
	int i;

	run("CREATE TABLE shop.many (k int PRIMARY KEY, m map<int, int>, l "
	    "list<int>, s set<text>)");
	for (i = 0; i < ROWS; i++)
		run("UPDATE shop.many SET m = m + {%d: %d}, l = l + [%d], s = s "
		    "+ {'e%d'} WHERE k = 1", i, i, i, i);
	accounts()->bounds[RESOURCE_RESULTS] = 2 * 8192;
	as(1000);
	ok(tree_walk(&shop, _i == 0 ? "shop/many/1/m" :
			    _i == 1 ? "shop/many/1/l" : "shop/many/1/s", &dir));
	ok(fs_opendir(shop.fs, &shop.call, dir.node, &reply));
	ok(list(&n, dir.node, reply.handle, 30, true));
	ck_assert_uint_le(accounts_used(accounts(), RESOURCE_RESULTS), 8192);
	as(0);
	if (_i == 0)
		run("DELETE m[3], m[190] FROM shop.many WHERE k = 1");
	as(1000);
	while (n.room == 0)
		ok(list(&n, dir.node, reply.handle, 7, n.count % 2));
	ck_assert_uint_eq(n.count, _i ? ROWS + 2 : ROWS + 1);
	for (i = 0; i < ROWS && !_i; i++) {
		snprintf(want, sizeof(want), " %d ", i);
		ck_assert_msg(!strstr(buf_cstr(&n.all), want) == (i == 190),
			      "%d in %s", i, buf_cstr(&n.all));
	}
	fs_releasedir(shop.fs, &shop.call, dir.node, reply.handle);
	fs_forget(shop.fs, dir.node, 1);
	/* Nor is there room for less. */
	accounts()->bounds[RESOURCE_RESULTS] = 1024;
	ok(tree_walk(&shop, "shop/many/1", &dir));
	ok(fs_opendir(shop.fs, &shop.call, dir.node, &reply));
	n.cookie = 0;
	fails(ENOSPC, list(&n, dir.node, reply.handle, 30, true));
	fs_releasedir(shop.fs, &shop.call, dir.node, reply.handle);
	fs_forget(shop.fs, dir.node, 1);
	buf_release(&n.all);
}
END_TEST

/* ------------------------------------------------------------ past moments */
static int ask(struct open_file *f, const char *statement)
{
	ok(tree_open_file(&shop, ".cql.ndjson", O_RDWR, f));
	return (int)fs_write(shop.fs, &shop.call, f->node, f->handle, 0,
			     bytes_str(statement));
}

/* Read the rest: returns how many lines, or an error. */
static int lines_left(struct open_file *f)
{
	struct buf out = BUF_INIT;
	size_t before;
	int err, lines = 0;

	do {
		before = out.len;
		err = fs_read(shop.fs, &shop.call, f->node, f->handle, 0, 100,
			      &out);
	} while (!err && out.len > before);
	for (before = 0; before < out.len; before++)
		lines += out.ptr[before] == '\n';
	buf_release(&out);
	return err ? err : lines;
}

static const char *const statements[] = {
	"SELECT * FROM shop.log WHERE p = 1 ORDER BY c DESC;",
	"SELECT * FROM shop.log WHERE p IN (1, 2) ORDER BY c;",
	"SELECT * FROM shop.log WHERE v = 7;",
	"SELECT c, count(*) FROM shop.log WHERE p = 1 GROUP BY c;",
	"SELECT * FROM shop.log WHERE p = 1;",
};
#define REST 4		/* this one continues in another moment */

/* Flush and change rows, so that the results are of a past moment. */
static void pass(int round)
{
	int i;

	ok(store_flush(shop.store.store, NULL));
	fs_timer(shop.fs, clock_now_s());
	for (i = 0; i < 20; i++)
		run("INSERT INTO shop.log (p, c, v) VALUES (1, %d, 7)",
		    1000 + round * 20 + i);
}

/* _i: of statements. */
START_TEST(old_results_end)
{
	struct open_file f[12], other, root;
	const struct accounts *a = accounts();
	int i, ended = 0, len = (int)strlen(statements[_i]), got;

	run("CREATE TABLE shop.log (p int, c int, v int, PRIMARY KEY (p, c))");
	run("CREATE INDEX ON shop.log (v)");
	for (i = 0; i < ROWS; i++)
		run("INSERT INTO shop.log (p, c, v) VALUES (1, %d, 7)", i);
	pass(0);
	accounts()->bounds[RESOURCE_PAST] = UINT64_MAX / 4;
	as(2000);
	ck_assert_int_eq(ask(&other, statements[_i]), len);
	for (i = 0; i < 12; i++) {
		as(1000);
		ck_assert_int_eq(ask(&f[i], statements[_i]), len);
		as(0);
		pass(i + 1);
		if (i == 2)	/* room for some such moments */
			accounts()->bounds[RESOURCE_PAST] =
				4 * a->used[RESOURCE_PAST];
	}
	ck_assert_int_eq(ask(&root, statements[_i]), len);
	ck_assert_uint_le(a->used[RESOURCE_PAST], a->bounds[RESOURCE_PAST]);
	as(1000);
	for (i = 0; i < 12; i++) {
		got = lines_left(&f[i]);
		/* The oldest end, and only those. */
		if (got < 0) {
			ck_assert_int_eq(got, -EIO);
			ck_assert_int_eq(ended++, i);
		} else {
			ck_assert_int_ge(got, ROWS);
		}
	}
	ck_assert_int_eq(ended > 0, _i != REST);
	ck_assert_int_lt(ended, 12);
	as(0);
	if (ended)
		ck_assert_ptr_nonnull(strstr(tree_cat(&shop, ".widefs/errors",
						      &got), "past moments"));
	/* Results of others, even older ones, do not end. */
	as(2000);
	ck_assert_int_ge(lines_left(&other), ROWS);
	as(0);
	ck_assert_int_ge(lines_left(&root), ROWS);
	for (i = 0; i < 12; i++)
		tree_release(&shop, &f[i]);
	tree_release(&shop, &other);
	tree_release(&shop, &root);
	ck_assert_uint_eq(a->used[RESOURCE_PAST], 0);
}
END_TEST

/* A list of very many keys is held while its rows are read: it is charged. */
START_TEST(a_long_list_of_keys)
{
	struct buf text = BUF_INIT;
	struct open_file f[9];
	int i, count;

	run("CREATE TABLE shop.log (p int, c int, v int, PRIMARY KEY (p, c))");
	for (i = 0; i < ROWS; i++)
		run("INSERT INTO shop.log (p, c) VALUES (%d, 1)", i);
	buf_add_str(&text, "SELECT * FROM shop.log WHERE p IN (0");
	for (i = 1; i < 20000; i++)
		buf_add_format(&text, ", %d", i);
	buf_add_str(&text, ");");
	accounts()->bounds[RESOURCE_PLANS] = 32 << 20;
	as(1000);
	ck_assert_int_eq(ask(&f[0], buf_cstr(&text)), (int)text.len);
	ck_assert_uint_gt(accounts_used(accounts(), RESOURCE_PLANS), 2 << 20);
	for (count = 1; ask(&f[count], buf_cstr(&text)) != -ENOSPC; count++)
		ck_assert_int_lt(count, 8);
	ck_assert_ptr_nonnull(strstr(tree_cat(&shop, ".widefs/errors", &i),
				     "list of very many keys"));
	ck_assert_int_eq(lines_left(&f[0]), ROWS);
	for (i = 0; i <= count; i++)
		tree_release(&shop, &f[i]);
	ck_assert_uint_eq(accounts_used(accounts(), RESOURCE_PLANS), 0);
	buf_release(&text);
}
END_TEST

SUITE(fs_held)
{
	TCase *tc = tcase_create("fs_held");

	shop_fixture(tc);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, open_directories_hold_no_values, 0,
			    2 * (int)ARRAY_SIZE(large));
	tcase_add_loop_test(tc, long_collections_are_listed_in_parts, 0, 3);
	tcase_add_loop_test(tc, old_results_end, 0,
			    (int)ARRAY_SIZE(statements));
	tcase_add_test(tc, a_long_list_of_keys);
	suite_add_tcase(suite, tc);
}
