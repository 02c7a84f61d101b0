/*
 * Listings in calls that take a few entries each, or none, with attributes or
 * without, as the kernel chooses: together they are the listing that one call
 * returns, and an entry has the attributes of its name.
 */
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>

#include "fs/node/name.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "store/lsm/lsm.h"
#include "tests/lib/random.h"
#include "tests/lib/tree.h"
#include "tests/unit/suite.h"

static struct tree t;

static void cql(const char *text)
{
	int err;

	tree_cql(&t, ".cql", text, &err);
	ck_assert_msg(!err, "%d: %s", err, (char *)t.text.ptr);
}

static void setup(void)
{
	char text[1000], name[300];
	struct fs_entry entry;

	tree_open(&t);
	clock_set_us((int64_t)2000000000 * 1000000);
	cql(TEST_KEYSPACE ";"
	    "CREATE TABLE k.deep (p text, a int, b decimal, s text static, "
	    "v text, PRIMARY KEY (p, a, b));"
	    "CREATE TABLE k.flat (p text PRIMARY KEY, v text, tags set<text>);"
	    "CREATE TABLE k.plain (key text, column1 text, value blob, "
	    "PRIMARY KEY (key, column1)) WITH COMPACT STORAGE;"
	    "CREATE TABLE k.other (p text PRIMARY KEY, v text);"
	    "CREATE TABLE k.less (p text, c text, a text, b text, "
	    "PRIMARY KEY (p, c));"
	    /* A column that was dropped holds no row. */
	    "UPDATE k.less SET a = 'a' WHERE p = 'p' AND c = 'gone';"
	    "UPDATE k.less SET a = 'a', b = 'b' WHERE p = 'p' AND c = 'stays';"
	    "ALTER TABLE k.less DROP a;"
	    /* A static of its own time, and one of a partition without rows. */
	    "INSERT INTO k.deep (p, s) VALUES ('x', 'static');"
	    "INSERT INTO k.deep (p, s) VALUES ('alone', 'static');"
	    "INSERT INTO k.deep (p, a, b) VALUES ('x', 1, 1.0);"
	    "INSERT INTO k.deep (p, a, b, v) VALUES ('x', 1, 1.00, 'v');"
	    "UPDATE k.deep SET v = 'no marker' WHERE p = 'x' AND a = 1 AND b = 2;"
	    "INSERT INTO k.deep (p, a, b, v) VALUES ('x', 2, 1, 'ends') USING "
	    "TTL 100;"
	    "UPDATE k.deep USING TTL 200 SET v = 'v' WHERE p = 'x' AND a = 2 "
	    "AND b = 1;"
	    "INSERT INTO k.deep (p, a, b, v) VALUES ('x', 3, 1, 'v');"
	    "DELETE v FROM k.deep WHERE p = 'x' AND a = 3 AND b = 1;"
	    "UPDATE k.deep SET v = 'gone' WHERE p = 'x' AND a = 4 AND b = 1;"
	    "DELETE v FROM k.deep WHERE p = 'x' AND a = 4 AND b = 1;"
	    "INSERT INTO k.deep (p, a, b) VALUES ('x', 5, 1) USING TTL 300;"
	    "INSERT INTO k.flat (p, v, tags) VALUES ('f', 'v', {'a', 'b', 'c'});"
	    "UPDATE k.flat USING TTL 50 SET tags = tags + {'d'} WHERE p = 'f';"
	    "INSERT INTO k.flat (p) VALUES ('g') USING TTL 10;"
	    "UPDATE k.flat SET v = 'w' WHERE p = 'h';"
	    "INSERT INTO k.plain (key, column1, value) VALUES ('p', 'a', 0x61);"
	    "INSERT INTO k.plain (key, column1, value) VALUES ('p', 'b', 0x62);"
	    "DELETE value FROM k.plain WHERE key = 'p' AND column1 = 'b';"
	    "INSERT INTO k.plain (key, column1, value) VALUES ('p', 'c', 0x) "
	    "USING TTL 40;"
	    "INSERT INTO k.plain (key, column1, value) VALUES ('p', 'd', 0x64);");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	snprintf(text, sizeof(text), "INSERT INTO k.plain (key, column1, value) "
		 "VALUES ('p', '%s', 0x65); INSERT INTO k.plain (key, column1, "
		 "value) VALUES ('q', 'z', 0x66);", name);
	cql(text);
	/* This one exists only in memory. */
	ck_assert_int_eq(tree_mkdir(&t, "k/deep/x/7"), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/deep/empty"), 0);
	ck_assert_int_eq(tree_echo(&t, "k/flat/f/.v.XXXXXX",
				   O_CREAT | O_WRONLY, "scratch"), 0);
	/* Answers of the first second after a writer are not kept: it ends. */
	ck_assert_int_eq(tree_walk(&t, "k/flat/f/.v.XXXXXX", &entry), 0);
	clock_set_us((int64_t)2000000002 * 1000000);
	ck_assert_int_eq(tree_utimens(&t, "k/deep/x/1", 1000), 0);
	ck_assert_int_eq(tree_utimens(&t, "k/plain/p/d", 2000), 0);
}

static void teardown(void)
{
	clock_set_us(INT64_MIN);
	tree_close(&t);
}

struct listed {
	struct {
		char name[300];
		struct fs_entry entry;
	} list[40];
	unsigned count, room;
	uint64_t cookie;
};

static int take(void *context, const char *name, size_t len,
		const struct fs_entry *entry, uint64_t cookie)
{
	struct listed *l = context;

	if (!l->room)
		return 1;
	l->room--;
	ck_assert_uint_lt(l->count, 40);
	snprintf(l->list[l->count].name, 300, "%.*s", (int)len, name);
	l->list[l->count++].entry = *entry;
	l->cookie = cookie;
	if (entry->node)
		fs_forget(t.fs, entry->node, 1);
	return 0;
}

/* The store continues, and each stream that is open with it; nothing
 * changes. */
static void pass_time(void)
{
	cql("UPDATE k.other SET v = 'v' WHERE p = 'p';");
	ck_assert_int_eq(store_flush(t.store.store, NULL), 0);
	fs_timer(t.fs, clock_now_s());
}

/* List the directory in calls of less than `room` entries each. */
static void list(struct listed *l, const char *path, struct random *rng,
		 unsigned room)
{
	struct fs_open_reply reply;
	struct fs_entry dir;
	unsigned given;
	int err;

	l->count = 0;
	l->cookie = 0;
	ck_assert_int_eq(tree_walk(&t, path, &dir), 0);
	ck_assert_int_eq(fs_opendir(t.fs, &t.call, dir.node, &reply), 0);
	do {
		given = l->room = rng ? random_below(rng, room) : room;
		err = fs_readdir(t.fs, &t.call, dir.node, reply.handle,
				 l->cookie, !rng || random_below(rng, 2), take,
				 l);
		ck_assert_msg(!err, "%s, entry %u: %d", path, l->count, err);
		if (rng && !random_below(rng, 3))
			pass_time();
	} while (!given || l->room < given);
	fs_releasedir(t.fs, &t.call, dir.node, reply.handle);
	if (dir.node != FS_ROOT)
		fs_forget(t.fs, dir.node, 1);
}

/* Check that an entry with a node has the attributes of its name. */
static void check_attributes(const char *path, const char *name,
			     const struct fs_entry *got)
{
	const struct stat *a = &got->attr, *b;
	struct fs_entry want;
	char whole[600];

	snprintf(whole, sizeof(whole), "%s/%s", path, name);
	ck_assert_int_eq(tree_walk(&t, *path ? whole : name, &want), 0);
	fs_forget(t.fs, want.node, 1);
	b = &want.attr;
	ck_assert_uint_eq(a->st_ino, b->st_ino);
	ck_assert_uint_eq(a->st_mode & S_IFMT, b->st_mode & S_IFMT);
	if (!got->node)
		return;
	ck_assert_uint_eq(a->st_mode, b->st_mode);
	ck_assert_int_eq(a->st_size, b->st_size);
	ck_assert_int_eq(a->st_blocks, b->st_blocks);
	ck_assert_uint_eq(a->st_uid, b->st_uid);
	ck_assert_uint_eq(a->st_nlink, b->st_nlink);
	ck_assert_msg(a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
		      a->st_mtim.tv_nsec == b->st_mtim.tv_nsec, "%s: %ld, %ld",
		      whole, a->st_mtim.tv_sec, b->st_mtim.tv_sec);
	ck_assert_msg(got->attr_timeout_s == want.attr_timeout_s &&
		      got->entry_timeout_s == want.entry_timeout_s,
		      "%s: kept for %g and %g s, %g and %g s", whole,
		      got->entry_timeout_s, got->attr_timeout_s,
		      want.entry_timeout_s, want.attr_timeout_s);
}

static const struct { const char *path; unsigned count; } directories[] = {
	{ "", 1 }, { "k", 6 }, { "k/deep", 3 }, { "k/deep/x", 6 },
	{ "k/deep/x/1", 2 }, { "k/flat", 3 }, { "k/flat/f", 3 },
	{ "k/flat/f/tags", 4 }, { "k/plain", 2 }, { "k/plain/p", 4 },
	{ "k/less/p", 1 },
};

START_TEST(a_listing_in_pieces)	/* _i: the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct listed whole, got;
	unsigned i, j, nodes = 0;

	for (i = 0; i < ARRAY_SIZE(directories); i++) {
		const char *path = directories[i].path;

		list(&whole, path, NULL, 40);
		ck_assert_msg(whole.count == directories[i].count + 2, "%s: %u",
			      path, whole.count);
		list(&got, path, &rng, 2 + (unsigned)_i % 3);
		ck_assert_msg(got.count == whole.count, "%s: %u, not %u", path,
			      got.count, whole.count);
		for (j = 0; j < got.count; j++) {
			ck_assert_str_eq(got.list[j].name, whole.list[j].name);
			if (j < 2)
				continue;
			check_attributes(path, whole.list[j].name,
					 &whole.list[j].entry);
			check_attributes(path, got.list[j].name,
					 &got.list[j].entry);
			nodes += got.list[j].entry.node != 0;
		}
	}
	ck_assert_uint_gt(nodes, 0);
}
END_TEST

/* The kernel takes the entries before an error, and asks for more: it must then
 * not find the end, or the entries after the one that failed. */
static unsigned list_with_errors(const char *path, unsigned count)
{
	struct fs_open_reply reply;
	struct fs_entry dir;
	struct listed l;
	unsigned broken = 0;
	long nth = 0, failed;
	int err;

	ck_assert_int_eq(tree_walk(&t, path, &dir), 0);
	do {
		l.count = 0;
		l.room = 40;
		ck_assert_int_eq(fs_opendir(t.fs, &t.call, dir.node, &reply),
				 0);
		mem_fail_at(++nth, 0);
		err = fs_readdir(t.fs, &t.call, dir.node, reply.handle, 0,
				 false, take, &l);
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert(!err || err == -ENOMEM);
		if (err && l.count) {
			broken++;
			ck_assert_int_eq(err, fs_readdir(t.fs, &t.call,
					dir.node, reply.handle, l.cookie,
					false, take, &l));
		}
		/* From the beginning it is there again. */
		l.count = 0;
		l.room = 40;
		ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node,
				reply.handle, 0, false, take, &l), 0);
		ck_assert_uint_eq(l.count, count);
		fs_releasedir(t.fs, &t.call, dir.node, reply.handle);
	} while (failed);
	if (dir.node != FS_ROOT)
		fs_forget(t.fs, dir.node, 1);
	return broken;
}

/* Some streams each begin between two flushes, and hold the memory of
 * neither. */
START_TEST(a_stream_does_not_hold_what_was_flushed)
{
	enum { STREAMS = 20, BYTES = 1 << 20 };
	struct fs_open_reply reply[STREAMS];
	struct listed l = { .count = 0 };
	char *text = mem_alloc(BYTES + 200), *name;
	struct fs_entry dir;
	struct mallinfo2 m;
	unsigned i, j;

	ck_assert_int_eq(tree_walk(&t, "k/deep/x", &dir), 0);
	for (i = 0; i < STREAMS; i++) {
		name = text + sprintf(text, "UPDATE k.deep SET v = '");
		memset(name, 'v', BYTES);
		strcpy(name + BYTES,
		       "' WHERE p = 'y' AND a = 1 AND b = 1;");
		cql(text);
		ck_assert_int_eq(fs_opendir(t.fs, &t.call, dir.node,
					    &reply[i]), 0);
		l.count = 0;
		l.room = 4;
		ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node,
				reply[i].handle, 0, false, take, &l), 0);
		ck_assert_uint_eq(l.count, 4);
		pass_time();
		if (!i)
			m = mallinfo2();
	}
	j = (unsigned)((mallinfo2().uordblks + mallinfo2().hblkhd -
			m.uordblks - m.hblkhd) >> 20);
	ck_assert_uint_lt(j, STREAMS / 2);
	for (i = 0; i < STREAMS; i++) {
		l.count = 0;
		l.room = 40;
		ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node,
				reply[i].handle, 4, false, take, &l), 0);
		ck_assert_uint_eq(l.count, 4);
		fs_releasedir(t.fs, &t.call, dir.node, reply[i].handle);
	}
	fs_forget(t.fs, dir.node, 1);
	mem_free(text);
}
END_TEST

/* The same for readers of results of statements. */
static void nobody_reads(void)
{
	pass_time();
	fs_timer(t.fs, clock_now_s() + 10);
}

static void ask(struct open_file *f, const char *statement)
{
	ck_assert_int_eq(tree_open_file(&t, ".cql.ndjson", O_RDWR, f), 0);
	ck_assert_int_eq(fs_write(t.fs, &t.call, f->node, f->handle, 0,
				  bytes_str(statement)),
			 (int64_t)strlen(statement));
}

/* Read `size` bytes, or the rest in pieces of that size. */
static void read_result(struct open_file *f, struct buf *out, size_t size,
			bool whole)
{
	size_t before;

	do {
		before = out->len;
		ck_assert_int_eq(fs_read(t.fs, &t.call, f->node, f->handle, 0,
					 size, out), 0);
		if (whole && size < 100)
			nobody_reads();
	} while (whole && out->len > before);
}

START_TEST(a_result_does_not_hold_what_was_flushed)
{
	enum { RESULTS = 20, BYTES = 1 << 20 };
	char *text = mem_alloc(BYTES + 200), *name;
	struct open_file f[RESULTS];
	struct buf out = BUF_INIT;
	struct mallinfo2 m;
	unsigned i, more;

	for (i = 0; i < RESULTS; i++) {
		name = text + sprintf(text, "UPDATE k.deep SET v = '");
		memset(name, 'v', BYTES);
		strcpy(name + BYTES,
		       "' WHERE p = 'y' AND a = 1 AND b = 1;");
		cql(text);
		ask(&f[i], "SELECT a, b FROM k.deep WHERE p = 'x';");
		buf_clear(&out);
		read_result(&f[i], &out, 10, false);
		ck_assert_str_eq(buf_cstr(&out), "{\"a\": 1, \"");
		nobody_reads();
		if (!i)
			m = mallinfo2();
	}
	more = (unsigned)((mallinfo2().uordblks + mallinfo2().hblkhd -
			   m.uordblks - m.hblkhd) >> 20);
	ck_assert_uint_lt(more, RESULTS / 2);
	for (i = 0; i < RESULTS; i++) {
		read_result(&f[i], &out, 1000, true);
		tree_release(&t, &f[i]);
	}
	buf_release(&out);
	mem_free(text);
}
END_TEST

/* A result that is read in pieces, with time between them, is the same. */
START_TEST(a_result_in_pieces)
{
	static const char *const statements[] = {
		"SELECT * FROM k.deep;",
		"SELECT JSON * FROM k.deep;",
		"SELECT DISTINCT p, s FROM k.deep;",
		"SELECT * FROM k.deep WHERE p = 'x' AND a > 1;",
		"SELECT * FROM k.deep WHERE p = 'x' AND a IN (1, 3, 5);",
		"SELECT * FROM k.deep WHERE p = 'x' ORDER BY a DESC, b DESC;",
		"SELECT * FROM k.deep WHERE p IN ('x', 'y') ORDER BY a;",
		"SELECT * FROM k.deep WHERE p IN ('x', 'y', 'z');",
		"SELECT p, a, b FROM k.deep PER PARTITION LIMIT 1;",
		"SELECT p, a, b FROM k.deep LIMIT 3;",
		"SELECT p, a, b FROM k.deep WHERE b = 1 ALLOW FILTERING;",
		"SELECT p, a, b FROM k.deep WHERE b = 1 PER PARTITION LIMIT 2 "
		"ALLOW FILTERING;",
		"SELECT p, a, count(*), max(b) FROM k.deep GROUP BY p, a;",
		"SELECT count(*) FROM k.deep;",
		"SELECT * FROM k.flat;",
		"SELECT * FROM k.plain WHERE key IN ('p', 'q');",
		"SELECT * FROM k.less;",
		"SELECT keyspace_name FROM system_schema.keyspaces;",
	};
	struct buf all = BUF_INIT, pieces = BUF_INIT;
	struct open_file f;

	cql("INSERT INTO k.deep (p, a, b, v) VALUES ('x', 1, 2, 'v');"
	    "INSERT INTO k.deep (p, a, b, v) VALUES ('x', 3, 1, 'v');"
	    "INSERT INTO k.deep (p, a, b, v) VALUES ('y', 2, 1, 'v');"
	    "INSERT INTO k.deep (p, a, b, v) VALUES ('y', 2, 3, 'v');");
	for (size_t i = 0; i < ARRAY_SIZE(statements); i++) {
		buf_clear(&all);
		buf_clear(&pieces);
		ask(&f, statements[i]);
		read_result(&f, &all, 1000, true);
		tree_release(&t, &f);
		ask(&f, statements[i]);
		read_result(&f, &pieces, 7, true);
		tree_release(&t, &f);
		ck_assert_uint_gt(all.len, 0);
		ck_assert_str_eq(buf_cstr(&pieces), buf_cstr(&all));
	}
	buf_release(&all);
	buf_release(&pieces);
}
END_TEST

/* Rows that are read after a pause of some seconds are of the later moment,
 * each of them once and whole; without a pause all are of one moment. */
START_TEST(a_result_goes_on_in_another_moment)
{
	struct buf out = BUF_INIT;
	struct open_file f;

	cql("CREATE TABLE k.lines (p int, c int, v text, PRIMARY KEY (p, c));");
	for (int rests = 0; rests < 2; rests++) {
		cql("DELETE FROM k.lines WHERE p = 1;"
		    "INSERT INTO k.lines (p, c, v) VALUES (1, 1, 'a');"
		    "INSERT INTO k.lines (p, c, v) VALUES (1, 2, 'b');"
		    "INSERT INTO k.lines (p, c, v) VALUES (1, 3, 'c');"
		    "INSERT INTO k.lines (p, c, v) VALUES (1, 4, 'd');");
		ask(&f, "SELECT c, v FROM k.lines WHERE p = 1;");
		buf_clear(&out);
		read_result(&f, &out, 5, false);
		cql("UPDATE k.lines SET v = 'new' WHERE p = 1 AND c = 1;"
		    "UPDATE k.lines SET v = 'new' WHERE p = 1 AND c = 3;"
		    "DELETE FROM k.lines WHERE p = 1 AND c = 2;"
		    "INSERT INTO k.lines (p, c, v) VALUES (1, 0, 'new');"
		    "INSERT INTO k.lines (p, c, v) VALUES (1, 5, 'new');");
		pass_time();
		if (rests)
			nobody_reads();
		read_result(&f, &out, 1000, true);
		tree_release(&t, &f);
		ck_assert_str_eq(buf_cstr(&out), rests ?
				 "{\"c\": 1, \"v\": \"a\"}\n"
				 "{\"c\": 3, \"v\": \"new\"}\n"
				 "{\"c\": 4, \"v\": \"d\"}\n"
				 "{\"c\": 5, \"v\": \"new\"}\n" :
				 "{\"c\": 1, \"v\": \"a\"}\n"
				 "{\"c\": 2, \"v\": \"b\"}\n"
				 "{\"c\": 3, \"v\": \"c\"}\n"
				 "{\"c\": 4, \"v\": \"d\"}\n");
	}
	buf_release(&out);
}
END_TEST

START_TEST(an_error_is_not_passed_over)
{
	unsigned i, broken = 0;

	for (i = 0; i < ARRAY_SIZE(directories); i++)
		broken += list_with_errors(directories[i].path,
					   directories[i].count + 2);
	ck_assert_uint_gt(broken, 10);
}
END_TEST

/* The listing is of the moment when it began; a name that is gone has no
 * attributes. */
START_TEST(a_table_that_is_dropped_meanwhile)
{
	struct fs_open_reply reply;
	struct listed l = { .room = 3 };
	struct fs_entry dir;

	ck_assert_int_eq(tree_walk(&t, "k", &dir), 0);
	ck_assert_int_eq(fs_opendir(t.fs, &t.call, dir.node, &reply), 0);
	ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node, reply.handle, 0,
				    true, take, &l), 0);
	cql("DROP TABLE k.flat;");
	l.room = 40;
	ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node, reply.handle,
				    l.cookie, true, take, &l), 0);
	ck_assert_uint_eq(l.count, 8);
	ck_assert_str_eq(l.list[4].name, "flat");
	ck_assert_uint_eq(l.list[4].entry.node, 0);
	ck_assert_uint_ne(l.list[5].entry.node, 0);
	fs_releasedir(t.fs, &t.call, dir.node, reply.handle);
	fs_forget(t.fs, dir.node, 1);
}
END_TEST

/* -------------------------------------------------------- shortened names */
#define OTHERS 300

/* Texts of 300 letters, which end with i. */
static const char *long_text(char letter, int i)
{
	static char text[2][301];
	static int turn;
	char *out = text[turn ^= 1];

	memset(out, letter, 300);
	snprintf(out + 296, 5, "%04d", i);
	return out;
}

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
	char text[5000];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cql(text);
}

/* Make tables with rows of long names, and many others before and after
 * them. */
static void setup_long_names(void)
{
	char value[2000];
	int i;

	tree_open(&t);
	cql(TEST_KEYSPACE ";"
	    "CREATE TABLE k.part (p text PRIMARY KEY, v text);"
	    "CREATE TABLE k.both (p text, q int, v text, PRIMARY KEY ((p, q)));"
	    "CREATE TABLE k.up (p int, c text, d int, v text, "
	    "PRIMARY KEY (p, c, d));"
	    "CREATE TABLE k.down (p int, b int, c text, v text, PRIMARY KEY "
	    "(p, b, c)) WITH CLUSTERING ORDER BY (b ASC, c DESC);"
	    "CREATE TABLE k.plain (key text, column1 text, value blob, "
	    "PRIMARY KEY (key, column1)) WITH COMPACT STORAGE;");
	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = 0;
	for (i = 0; i < OTHERS; i++) {
		char c = i % 2 ? 'a' : 'z';

		run("INSERT INTO k.part (p, v) VALUES ('%c%d', '%s');"
		    "INSERT INTO k.both (p, q, v) VALUES ('%c', %d, '%s');",
		    c, i, value, c, i, value);
		run("INSERT INTO k.up (p, c, d, v) VALUES (1, '%c%d', 1, '%s');"
		    "INSERT INTO k.down (p, b, c, v) VALUES (1, 1, '%c%d', "
		    "'%s');", c, i, value, c, i, value);
		run("INSERT INTO k.plain (key, column1, value) VALUES ('1', "
		    "'%c%d', textAsBlob('%s'));", c, i, value);
	}
	for (i = 0; i < 3; i++) {
		const char *text = long_text('m', i);

		run("INSERT INTO k.part (p, v) VALUES ('%s', 'v');", text);
		run("INSERT INTO k.both (p, q, v) VALUES ('%s', %d, 'v');",
		    text, i);
		run("INSERT INTO k.up (p, c, d, v) VALUES (1, '%s', 1, 'v');",
		    text);
		run("INSERT INTO k.down (p, b, c, v) VALUES (1, 1, '%s', 'v');",
		    text);
		run("INSERT INTO k.plain (key, column1, value) VALUES "
		    "('1', '%s', 0x76);", text);
	}
	ck_assert_int_eq(store_flush(t.store.store, NULL), 0);
}

static uint64_t blocks_read(void)
{
	struct lsm_stats stats;

	store_stats(t.store.store, &stats);
	return stats.cache_hits + stats.cache_misses;
}

/* Return the name of a text in dir. */
static const char *short_name(const char *dir, const char *text)
{
	static char name[600];
	struct buf cut = BUF_INIT;

	buf_add_str(&cut, text);
	name_shorten(&cut);
	snprintf(name, sizeof(name), "%s/%s", dir, buf_cstr(&cut));
	buf_release(&cut);
	return name;
}

static const struct {
	const char *table, *dir, *suffix, *insert, *remove;
} cut[] = {
	{ "k/part", "k/part", "", "INSERT INTO k.part (p, v) VALUES ('%s', 'x');",
	  "DELETE FROM k.part WHERE p = '%s';" },
	{ "k/both", "k/both", ",7",
	  "INSERT INTO k.both (p, q, v) VALUES ('%s', 7, 'x');",
	  "DELETE FROM k.both WHERE p = '%s' AND q = 7;" },
	{ "k/up", "k/up/1", "",
	  "INSERT INTO k.up (p, c, d) VALUES (1, '%s', 3);",
	  "DELETE FROM k.up WHERE p = 1 AND c = '%s';" },
	{ "k/down", "k/down/1/1", "",
	  "INSERT INTO k.down (p, b, c) VALUES (1, 1, '%s');",
	  "DELETE FROM k.down WHERE p = 1 AND b = 1 AND c = '%s';" },
	{ "k/plain", "k/plain/1", "",
	  "INSERT INTO k.plain (key, column1, value) VALUES ('1', '%s', 0x);",
	  "DELETE FROM k.plain WHERE key = '1' AND column1 = '%s';" },
};

/* Names that exist, do not, come and go are found without a search of all
 * rows. */
START_TEST(a_shortened_name)
{
	struct fs_entry table;
	char text[400], statement[600];
	uint64_t before;
	struct stat st;
	int i;

	ck_assert_int_eq(tree_walk(&t, cut[_i].table, &table), 0);
	tree_stat(&t, short_name(cut[_i].dir, long_text('m', 9)), &st);
	before = blocks_read();
	for (i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "%s%s", long_text('m', i),
			 _i == 1 ? (const char *[]){ ",0", ",1", ",2" }[i] : "");
		ck_assert_int_eq(tree_stat(&t, short_name(cut[_i].dir, text),
					   &st), 0);
	}
	snprintf(text, sizeof(text), "%s%s", long_text('m', 7), cut[_i].suffix);
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(tree_stat(&t, short_name(cut[_i].dir, text),
					   &st), -ENOENT);
		snprintf(statement, sizeof(statement), cut[_i].insert,
			 long_text('m', 7));
		cql(statement);
		ck_assert_int_eq(tree_stat(&t, short_name(cut[_i].dir, text),
					   &st), 0);
		snprintf(statement, sizeof(statement), cut[_i].remove,
			 long_text('m', 7));
		cql(statement);
	}
	ck_assert_uint_lt(blocks_read() - before, 100);
	fs_forget(t.fs, table.node, 1);
}
END_TEST

SUITE(fs_listing)
{
	TCase *tc = tcase_create("fs_listing");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_listing_in_pieces, 0, 60);
	tcase_add_test(tc, an_error_is_not_passed_over);
	tcase_add_test(tc, a_stream_does_not_hold_what_was_flushed);
	tcase_add_test(tc, a_result_does_not_hold_what_was_flushed);
	tcase_add_test(tc, a_result_in_pieces);
	tcase_add_test(tc, a_result_goes_on_in_another_moment);
	tcase_add_test(tc, a_table_that_is_dropped_meanwhile);
	suite_add_tcase(suite, tc);
	tc = tcase_create("cut names");
	tcase_add_checked_fixture(tc, setup_long_names, teardown);
	tcase_add_loop_test(tc, a_shortened_name, 0, ARRAY_SIZE(cut));
	suite_add_tcase(suite, tc);
}
