/*
 * Copies that the kernel may hold and is told to drop: a change that did not
 * come through the cached name makes notices of exactly the copies that replies
 * gave.
 */
#include <errno.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "tests/lib/tree.h"
#include "tests/unit/suite.h"

#define ONE 2000000001	/* threads that do not exist */
#define OTHER 2000000002

static struct tree t;

static void setup(void)
{
	tree_open(&t);
	t.call.pid = ONE;
	tree_one_row(&t);
}

static void teardown(void)
{
	tree_close(&t);
}

static const char *notices(void)
{
	return tree_notices(&t);
}

static void cql(const char *text)
{
	tree_run(&t, text);
}

START_TEST(a_change_by_cql_is_notified_before_the_reply)
{
	struct fs_entry row, cell, again;
	struct open_file f, g;
	struct stat st;
	double timeout_s;
	struct buf got = BUF_INIT;
	const char *all;

	ck_assert_int_eq(tree_walk(&t, "k/t/p/c", &row), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/p/c/v", &cell), 0);
	ck_assert(cell.entry_timeout_s > 1000 && cell.attr_timeout_s > 1000);
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", O_RDONLY, &f), 0);
	/* Its own pages are the first. */
	ck_assert(!f.reply.direct_io && f.reply.noflush);
	ck_assert(!f.reply.keep_cache);
	ck_assert_int_eq(fs_read(t.fs, &t.call, f.node, f.handle, 0, 100,
				 &got), 0);
	notices();
	cql("UPDATE k.t SET v = 'new' WHERE p = 'p' AND c = 'c';");
	ck_assert_uint_gt(t.call.wait_for, 0);
	all = notices();
	/* The reader of the node goes on with it; the name gets another. */
	ck_assert(!tree_told(all, "pages", cell.node, NULL));
	ck_assert(tree_told(all, "entry", row.node, "v"));
	ck_assert_int_eq(tree_walk(&t, "k/t/p/c/v", &again), 0);
	ck_assert_uint_ne(again.node, cell.node);
	ck_assert_uint_eq(again.attr.st_ino, cell.attr.st_ino);
	buf_clear(&got);
	ck_assert_int_eq(fs_read(t.fs, &t.call, f.node, f.handle, 0, 100,
				 &got), 0);
	ck_assert_str_eq(buf_cstr(&got), "old\n");
	/* Without readers, pages and attributes are dropped. */
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", O_RDONLY, &g), 0);
	ck_assert_uint_eq(g.node, again.node);
	tree_release(&t, &g);
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", O_RDONLY, &g), 0);
	ck_assert(g.reply.keep_cache);
	tree_release(&t, &g);
	/* The kernel has the node, as it asks by its number. */
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, again.node, 0, &st,
				    &timeout_s), 0);
	cql("UPDATE k.t SET v = 'newer' WHERE p = 'p' AND c = 'c';");
	all = notices();
	ck_assert(tree_told(all, "pages", again.node, NULL));
	ck_assert(tree_told(all, "entry", row.node, "v"));
	/* The kernel holds nothing any longer: no notice of the next change. */
	cql("UPDATE k.t SET v = 'newest' WHERE p = 'p' AND c = 'c';");
	all = notices();
	ck_assert(!tree_told(all, "pages", again.node, NULL));
	ck_assert(!tree_told(all, "entry", row.node, "v"));
	fs_forget(t.fs, again.node, 1);
	tree_release(&t, &f);
	buf_release(&got);
}
END_TEST

START_TEST(a_new_row_drops_the_listing)
{
	struct fs_entry dir;
	const char *all;

	ck_assert_int_eq(tree_walk(&t, "k/t/p", &dir), 0);
	ck_assert_str_eq(tree_ls(&t, "k/t/p"), "c/ ");
	notices();
	cql("INSERT INTO k.t (p, c) VALUES ('p', 'd');");
	all = notices();
	ck_assert(tree_told(all, "pages", dir.node, NULL));
	ck_assert_str_eq(tree_ls(&t, "k/t/p"), "c/ d/ ");
	notices();
	cql("DELETE FROM k.t WHERE p = 'p';");
	all = notices();
	ck_assert(tree_told(all, "pages", dir.node, NULL));
}
END_TEST

START_TEST(own_changes_by_path_are_known)
{
	struct fs_entry row, cell;
	const char *all;

	ck_assert_int_eq(tree_walk(&t, "k/t/p/c", &row), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/p/c/v", &cell), 0);
	notices();
	ck_assert_int_eq(tree_unlink(&t, "k/t/p/c/v"), 0);
	ck_assert_uint_eq(t.call.wait_for, 0);
	ck_assert_str_eq(notices(), "");
	ck_assert_int_eq(tree_walk(&t, "k/t/p/c", &row), 0);
	ck_assert_int_eq(tree_unlink(&t, "k/t/p/c.json"), 0);
	/* The kernel holds the directory's lock: wait for no notice of a
	 * name. */
	ck_assert_uint_gt(t.call.wait_for, 0);
	ck_assert(t.call.locked);
	all = notices();
	ck_assert_msg(tree_told(all, "entry", row.node - 1, "c") ||
		      strstr(all, "/c "), "%s", all);
}
END_TEST

START_TEST(dropped_tables_are_stale)
{
	struct fs_entry cell;
	struct stat st;
	double timeout;

	ck_assert_int_eq(tree_walk(&t, "k/t/p/c/v", &cell), 0);
	cql("DROP TABLE k.t;");
	ck_assert(strstr(notices(), "epoch:0 ") != NULL);
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, cell.node, 0, &st,
				    &timeout), -ESTALE);
}
END_TEST

START_TEST(expired_data_are_dropped_in_their_second)
{
	struct fs_entry cell, dir;
	const char *all;
	int64_t now = clock_now_s();

	clock_set_us(now * 1000000);
	cql("INSERT INTO k.t (p, c, v) VALUES ('p', 'x', 'y') USING TTL 10;");
	ck_assert_int_eq(tree_walk(&t, "k/t/p/x/v", &cell), 0);
	ck_assert(cell.entry_timeout_s > 9 && cell.entry_timeout_s <= 10);
	ck_assert_int_eq(tree_walk(&t, "k/t/p", &dir), 0);
	ck_assert_str_eq(tree_ls(&t, "k/t/p"), "c/ x/ ");
	notices();
	ck_assert_int_eq(fs_timer(t.fs, now + 1), now + 10);
	ck_assert_str_eq(notices(), "");
	clock_set_us((now + 10) * 1000000);
	fs_timer(t.fs, now + 10);
	all = notices();
	ck_assert(tree_told(all, "pages", dir.node, NULL));
	ck_assert_str_eq(tree_ls(&t, "k/t/p"), "c/ ");
	clock_set_us(INT64_MIN);
}
END_TEST

START_TEST(the_rights_of_the_caller)
{
	struct fs_entry entry;
	int err;

	ck_assert_int_eq(tree_walk(&t, "k/t", &entry), 0);
	t.call.uid = 1234;
	t.call.gid = 1234;
	tree_cql(&t, ".cql.json", "SELECT v FROM k.t;", &err);
	ck_assert_int_eq(err, 0);
	ck_assert_ptr_nonnull(strstr((char *)t.text.ptr, "[[\"old\"]]"));
	tree_cql(&t, ".cql.json", "INSERT INTO k.t (p, c) VALUES ('a', 'b');",
		 &err);
	ck_assert_int_eq(err, -EACCES);
	ck_assert_ptr_nonnull(strstr((char *)t.text.ptr, "Unauthorized"));
	tree_cql(&t, ".cql.json", "DROP TABLE k.t;", &err);
	ck_assert_int_eq(err, -EACCES);
	/* Each user sees its own refusals. */
	ck_assert_ptr_nonnull(tree_cat(&t, ".widefs/errors", &err));
	ck_assert_uint_gt(t.text.len, 0);
	t.call.uid = 4321;
	ck_assert_ptr_nonnull(tree_cat(&t, ".widefs/errors", &err));
	ck_assert_uint_eq(t.text.len, 0);
	t.call.uid = 0;
	t.call.gid = 0;
}
END_TEST

struct partial {
	int room, seen;
	uint64_t cookie;
	char last[64];
};

static int fill_some(void *context, const char *name, size_t len,
		     const struct fs_entry *entry, uint64_t cookie)
{
	struct partial *p = context;

	(void)entry;
	if (!p->room)
		return 1;
	p->room--;
	p->seen++;
	p->cookie = cookie;
	snprintf(p->last, sizeof(p->last), "%.*s", (int)len, name);
	return 0;
}

START_TEST(a_listing_goes_on_where_it_stopped)
{
	struct fs_open_reply reply;
	struct partial p = { .seen = 0 };
	struct fs_entry dir;
	uint64_t cookie;
	char text[128], last[64];
	int i, before;

	for (i = 0; i < 300; i++) {
		snprintf(text, sizeof(text),
			 "INSERT INTO k.t (p, c) VALUES ('q', 'r%03d');", i);
		cql(text);
	}
	ck_assert_int_eq(tree_walk(&t, "k/t/q", &dir), 0);
	ck_assert_int_eq(fs_opendir(t.fs, &t.call, dir.node, &reply), 0);
	do {
		before = p.seen;
		p.room = 7;
		ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node,
					    reply.handle, p.cookie, false,
					    fill_some, &p), 0);
		/* The listing is of one moment: a later row is not seen. */
		cql("INSERT INTO k.t (p, c) VALUES ('q', 'z');");
	} while (p.seen > before);
	ck_assert_int_eq(p.seen, 302);
	ck_assert_str_eq(p.last, "r299");
	/* seekdir: back, and the same entry again. */
	memset(&p, 0, sizeof(p));
	p.room = 100;
	ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node, reply.handle, 0,
				    false, fill_some, &p), 0);
	cookie = p.cookie;
	p.room = 1;
	ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node, reply.handle,
				    cookie, false, fill_some, &p), 0);
	snprintf(last, sizeof(last), "%s", p.last);
	p.room = 50;
	ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node, reply.handle,
				    p.cookie, false, fill_some, &p), 0);
	p.room = 1;
	ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir.node, reply.handle,
				    cookie, false, fill_some, &p), 0);
	ck_assert_str_eq(p.last, last);
	fs_releasedir(t.fs, &t.call, dir.node, reply.handle);
}
END_TEST

/* Read entries of an open directory. */
static void read_some(uint64_t dir, uint64_t handle, struct partial *p)
{
	p->room = 100;
	ck_assert_int_eq(fs_readdir(t.fs, &t.call, dir, handle, p->cookie, true,
				    fill_some, p), 0);
}

/* The kernel may get entries after the notice of a change that they do not show.
 * _i: 1 if it takes them for the rest of another listing. */
START_TEST(the_end_of_a_listing_waits_for_what_it_does_not_show)
{
	struct fs_open_reply first, other;
	struct partial p = { .seen = 0 }, q = { .seen = 0 };
	struct fs_entry dir;
	char pages[64];

	ck_assert_int_eq(tree_walk(&t, "k/t/p", &dir), 0);
	snprintf(pages, sizeof(pages), "pages:%llu ",
		 (unsigned long long)dir.node);
	ck_assert_int_eq(fs_opendir(t.fs, &t.call, dir.node, &first), 0);
	read_some(dir.node, first.handle, &p);
	read_some(dir.node, first.handle, &p);
	ck_assert_uint_eq(t.call.wait_for, 0);
	p.cookie = 0;
	read_some(dir.node, first.handle, &p);
	cql("INSERT INTO k.t (p, c) VALUES ('p', 'new');");
	ck_assert(strstr(notices(), pages));
	if (_i) {
		ck_assert_int_eq(fs_opendir(t.fs, &t.call, dir.node, &other), 0);
		read_some(dir.node, other.handle, &q);
		ck_assert_uint_eq(t.call.wait_for, 0);
		read_some(dir.node, other.handle, &q);
	} else {
		read_some(dir.node, first.handle, &p);
	}
	ck_assert_uint_gt(t.call.wait_for, 0);
	ck_assert_str_eq(notices(), pages);
	if (_i)
		fs_releasedir(t.fs, &t.call, dir.node, other.handle);
	fs_releasedir(t.fs, &t.call, dir.node, first.handle);
	fs_forget(t.fs, dir.node, 1);
}
END_TEST

struct dropped {
	uint64_t last;
	int count;
};

static void drop(void *context, uint64_t node)
{
	struct dropped *d = context;

	d->last = node;
	d->count++;
}

START_TEST(attributes_of_a_new_file_are_cached_until_its_first_write)
{
	struct dropped d = { .count = 0 };
	struct fs_open_reply reply;
	struct fs_entry row, made, again;
	char expected[64];
	const char *all;
	int i;

	cql("INSERT INTO k.t (p, c) VALUES ('p', 'd');");
	ck_assert_int_eq(tree_walk(&t, "k/t/p/d", &row), 0);
	ck_assert_int_eq(fs_create(t.fs, &t.call, row.node, "v", 0644,
				   O_WRONLY, &made, &reply), 0);
	/* The kernel looks at rights once more before it lets the maker write. */
	ck_assert(made.attr_timeout_s > 0 && made.attr_timeout_s < .001);
	ck_assert(made.entry_timeout_s > 1000);
	ck_assert_int_eq(made.attr.st_size, 0);
	notices();
	t.call.drop_attributes = drop;
	t.call.context = &d;
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(fs_write(t.fs, &t.call, made.node,
					  reply.handle, 0, bytes_str("x\n")),
				 2);
		ck_assert_int_eq(d.count, 1);
		ck_assert_uint_eq(d.last, made.node);
	}
	t.call.drop_attributes = NULL;
	/* From here to the commit nothing is cached. */
	ck_assert_int_eq(tree_walk(&t, "k/t/p/d/v", &again), 0);
	ck_assert_uint_eq(again.node, made.node);
	ck_assert(again.attr_timeout_s == 0);
	ck_assert_int_eq(again.attr.st_size, 2);
	ck_assert_int_eq(fs_flush(t.fs, &t.call, made.node, reply.handle), 0);
	ck_assert_int_eq(fs_release(t.fs, &t.call, made.node, reply.handle), 0);
	/* The walk gave the kernel both. */
	snprintf(expected, sizeof(expected), "attr:%llu attr:%llu ",
		 (unsigned long long)made.node, (unsigned long long)row.node);
	ck_assert_str_eq(notices(), expected);
	/* Mode and owner are cached: a change that may be one of them needs a
	 * notice. */
	cql("UPDATE k.t SET v = 'y' WHERE p = 'p' AND c = 'd';");
	all = notices();
	ck_assert(tree_told(all, "attr", made.node, NULL));
	ck_assert(tree_told(all, "entry", row.node, "v"));
	fs_forget(t.fs, made.node, 1);
}
END_TEST

/* Read the file, so that pages are armed; then write and commit it. Returns the
 * notices. */
static const char *written_with(bool a_reader_stays)
{
	struct open_file r, w;
	struct fs_entry cell;
	const char *all;
	bool told_pages;

	ck_assert_int_eq(tree_walk(&t, "k/t/p/c/v", &cell), 0);
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", O_RDONLY, &r), 0);
	if (!a_reader_stays)
		tree_release(&t, &r);
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", O_WRONLY | O_TRUNC,
					&w), 0);
	notices();
	ck_assert_int_eq(fs_write(t.fs, &t.call, w.node, w.handle, 0,
				  bytes_str("new\n")), 4);
	ck_assert_int_eq(fs_flush(t.fs, &t.call, w.node, w.handle), 0);
	all = notices();
	told_pages = tree_told(all, "pages", cell.node, NULL);
	tree_release(&t, &w);
	if (a_reader_stays)
		tree_release(&t, &r);
	return told_pages ? "pages" : all[0] ? "other" : "";
}

START_TEST(pages_that_an_open_drops_need_no_notice)
{
	ck_assert_str_eq(written_with(false), "");
	/* The writer has another node than the reader: no pages either. */
	ck_assert_str_eq(written_with(true), "");
	ck_assert_str_eq(written_with(false), "");
}
END_TEST

/*
 * After a call by path the kernel marks the attributes of the directory as
 * stale. A reply on its way to another thread would undo that.
 */
START_TEST(attributes_that_another_thread_got_are_dropped)
{
	struct dropped d = { .count = 0 };
	struct fs_entry dir, to;

	t.call.drop_attributes = drop;
	t.call.context = &d;
	ck_assert_int_eq(tree_mkdir(&t, "k/t/q"), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/p", &dir), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/t/p/own"), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/t/p/own again"), 0);
	ck_assert_int_eq(d.count, 0);
	t.call.pid = OTHER;
	ck_assert_int_eq(tree_walk(&t, "k/t/p", &dir), 0);
	ck_assert_int_eq(tree_rmdir(&t, "k/t/p/own"), 0);
	ck_assert_int_eq(d.count, 0);	/* its own */
	ck_assert_int_eq(tree_walk(&t, "k/t/p", &dir), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/q", &to), 0);
	t.call.pid = ONE;
	ck_assert_int_eq(fs_rename(t.fs, &t.call, dir.node, "own again",
				   to.node, "moved", 0), 0);
	ck_assert_int_eq(d.count, 2);
	/* If two threads got them, each is another for the other. */
	t.call.pid = OTHER;
	ck_assert_int_eq(tree_walk(&t, "k/t/p", &dir), 0);
	t.call.pid = ONE;
	ck_assert_int_eq(tree_walk(&t, "k/t/p", &dir), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/t/p/new"), 0);
	ck_assert_int_eq(d.count, 3);
	ck_assert_uint_eq(d.last, dir.node);
	ck_assert_int_eq(tree_mkdir(&t, "k/t/p/newer"), 0);
	ck_assert_int_eq(d.count, 3);
	/* Above tables too. */
	ck_assert_int_eq(tree_walk(&t, "k", &dir), 0);
	t.call.pid = OTHER;
	ck_assert_int_eq(tree_mkdir(&t, "k/plain"), 0);
	ck_assert_int_eq(d.count, 4);
	ck_assert_uint_eq(d.last, dir.node);
	/* A call that fails drops nothing: nothing changed. */
	ck_assert_int_eq(tree_walk(&t, "k", &dir), 0);
	t.call.pid = ONE;
	ck_assert_int_eq(tree_mkdir(&t, "k/plain"), -EEXIST);
	ck_assert_int_eq(d.count, 4);
	t.call.drop_attributes = NULL;
}
END_TEST

/* Time and listing of the directory change then, not when it is opened. */
START_TEST(a_close_that_makes_a_file_is_notified)
{
	static const char *const dirs[] = { "k/plain/p", "k/t/p/d" };
	struct dropped d = { .count = 0 };
	struct fs_open_reply reply;
	struct fs_entry dir, made;
	size_t i;

	ck_assert_int_eq(tree_mkdir(&t, "k/plain"), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/plain/p"), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/t/p/d"), 0);
	t.call.drop_attributes = drop;
	t.call.context = &d;
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		ck_assert_int_eq(tree_walk(&t, dirs[i], &dir), 0);
		d.count = 0;
		ck_assert_int_eq(fs_create(t.fs, &t.call, dir.node, "v", 0644,
					   O_WRONLY, &made, &reply), 0);
		ck_assert_int_eq(d.count, 0);
		ck_assert_str_eq(tree_ls(&t, dirs[i]), "");
		notices();
		ck_assert_int_eq(fs_write(t.fs, &t.call, made.node,
					  reply.handle, 0, bytes_str("x")), 1);
		ck_assert_uint_eq(d.last, made.node);
		d.count = 0;
		ck_assert_int_eq(fs_flush(t.fs, &t.call, made.node,
					  reply.handle), 0);
		ck_assert_int_eq(d.count, 1);
		ck_assert_uint_eq(d.last, dir.node);
		ck_assert_uint_gt(t.call.wait_for, 0);
		ck_assert(tree_told(notices(), "pages", dir.node, NULL));
		ck_assert_str_eq(tree_ls(&t, dirs[i]), "v ");
		ck_assert_int_eq(fs_release(t.fs, &t.call, made.node,
					    reply.handle), 0);
		fs_forget(t.fs, made.node, 1);
	}
	t.call.drop_attributes = NULL;
}
END_TEST

/* A file that was just written has no pages in the kernel: its rename drops the
 * attributes itself, and its answer waits for no notice of the file. */
START_TEST(a_rename_of_a_written_file_drops_its_attributes_at_once)
{
	struct dropped d = { .count = 0 };
	struct fs_entry dir, file;
	const char *all;

	ck_assert_int_eq(tree_mkdir(&t, "k/plain"), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/plain/p"), 0);
	ck_assert_int_eq(tree_walk(&t, "k/plain/p", &dir), 0);
	ck_assert_int_eq(tree_echo(&t, "k/plain/p/new",
				   O_WRONLY | O_CREAT | O_TRUNC, "x\n"), 0);
	ck_assert_int_eq(tree_walk(&t, "k/plain/p/new", &file), 0);
	notices();
	t.call.drop_attributes = drop;
	t.call.context = &d;
	ck_assert_int_eq(fs_rename(t.fs, &t.call, dir.node, "new", dir.node,
				   "v", 0), 0);
	t.call.drop_attributes = NULL;
	all = notices();
	ck_assert(!tree_told(all, "pages", file.node, NULL));
	ck_assert(!tree_told(all, "attr", file.node, NULL));
	ck_assert_int_ge(d.count, 1);
	ck_assert_uint_eq(d.last, file.node);
}
END_TEST

/* Setting the time of a document changes nothing of the row's directory, and
 * the kernel keeps no attributes of the document. */
START_TEST(a_time_set_on_a_document_is_its_own)
{
	struct fs_entry row, document;
	struct stat before, st;

	ck_assert_int_eq(tree_stat(&t, "k/t/p/c", &before), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/p/c", &row), 0);
	notices();
	ck_assert_int_eq(tree_utimens(&t, "k/t/p/c.json", 1000000000), 0);
	ck_assert(!tree_told(notices(), "attr", row.node, NULL));
	ck_assert_int_eq(tree_stat(&t, "k/t/p/c", &st), 0);
	ck_assert_int_eq(st.st_mtime, before.st_mtime);
	ck_assert_int_eq(tree_stat(&t, "k/t/p/c.json", &st), 0);
	ck_assert_int_eq(st.st_mtime, 1000000000);
	ck_assert_int_eq(tree_walk(&t, "k/t/p/c.json", &document), 0);
	ck_assert(document.attr_timeout_s <= 0);
	fs_forget(t.fs, document.node, 1);
	fs_forget(t.fs, row.node, 1);
}
END_TEST

/*
 * The kernel ignores the attributes of an answer that a notice overtakes, and
 * goes on with the size that it had: a writer that seeks the end would find an
 * older one. It keeps no attributes of a node that is written, so none are
 * dropped, not by a look that gives the name another node, nor by a write
 * through that one.
 */
START_TEST(a_notice_overtakes_no_size_of_a_writer)
{
	struct dropped d = { .count = 0 };
	struct open_file first, second, reader;
	struct stat st;
	double timeout_s;

	ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", O_RDWR, &first), 0);
	ck_assert_int_eq(fs_write(t.fs, &t.call, first.node, first.handle, 0,
				  bytes_str("text")), 4);
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, first.node, first.handle,
				    &st, &timeout_s), 0);
	ck_assert(timeout_s <= 0);
	notices();
	t.call.drop_attributes = drop;
	t.call.context = &d;
	t.call.pid = OTHER;
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", O_RDONLY, &reader), 0);
	ck_assert_uint_ne(reader.node, first.node);
	ck_assert(!tree_told(notices(), "attr", first.node, NULL));
	ck_assert_int_eq(tree_release(&t, &reader), 0);
	t.call.pid = ONE;
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", O_RDWR, &second), 0);
	ck_assert_uint_ne(second.node, first.node);
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, first.node, first.handle,
				    &st, &timeout_s), 0);
	notices();
	d.count = 0;
	ck_assert_int_eq(fs_write(t.fs, &t.call, second.node, second.handle, 4,
				  bytes_str("more")), 4);
	ck_assert_int_eq(d.count, 0);
	ck_assert(!tree_told(notices(), "attr", first.node, NULL));
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, first.node, first.handle,
				    &st, &timeout_s), 0);
	ck_assert_int_eq(st.st_size, 8);
	ck_assert(timeout_s <= 0);
	t.call.drop_attributes = NULL;
	ck_assert_int_eq(tree_release(&t, &second), 0);
	ck_assert_int_eq(tree_release(&t, &first), 0);
}
END_TEST

/*
 * The kernel sets the size of a file when its writers are answered; and when it
 * gets attributes, it sets the time for which they are fresh before their size.
 * So no answer may be cached while there are writers, nor the first one after
 * them.
 */
START_TEST(the_size_that_a_writer_left_is_never_fresh)
{
	static const int how[] = { O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND,
				   O_RDWR };
	struct dropped d = { .count = 0 };
	struct fs_entry file;
	struct open_file f;
	struct stat st;
	int64_t now_us = clock_now_us();
	double timeout_s;
	size_t i;
	int step;

	clock_set_us(now_us);
	for (i = 0; i < ARRAY_SIZE(how); i++) {
		ck_assert_int_eq(tree_walk(&t, "k/t/p/c/v", &file), 0);
		ck_assert_int_eq(fs_getattr(t.fs, &t.call, file.node, 0, &st,
					    &timeout_s), 0);
		ck_assert_msg(timeout_s > 1000, "%zu", i);
		t.call.drop_attributes = drop;
		t.call.context = &d;
		d.count = 0;
		ck_assert_int_eq(tree_open_file(&t, "k/t/p/c/v", how[i], &f),
				 0);
		ck_assert_uint_eq(f.node, file.node);
		ck_assert_msg(d.count == 1, "%zu: %d", i, d.count);
		ck_assert_uint_eq(d.last, file.node);
		t.call.drop_attributes = NULL;
		ck_assert_int_eq(fs_getattr(t.fs, &t.call, file.node, 0, &st,
					    &timeout_s), 0);
		ck_assert_msg(timeout_s <= 0, "%zu", i);
		ck_assert_int_eq(fs_write(t.fs, &t.call, f.node, f.handle, 0,
					  bytes_str("text")), 4);
		ck_assert_int_eq(tree_release(&t, &f), 0);
		/* Another's answer may come to the kernel before this one. */
		for (step = 0; step < 4; step++) {
			clock_set_us(now_us + step * 300000);
			ck_assert_int_eq(fs_getattr(t.fs, &t.call, file.node, 0,
						    &st, &timeout_s), 0);
			ck_assert_msg(timeout_s <= 0, "%zu: %d", i, step);
		}
		now_us += 2000000;
		clock_set_us(now_us);
		ck_assert_int_eq(fs_getattr(t.fs, &t.call, file.node, 0, &st,
					    &timeout_s), 0);
		ck_assert_msg(timeout_s > 1000, "%zu", i);
		fs_forget(t.fs, file.node, 1);
	}
	clock_set_us(INT64_MIN);
}
END_TEST

/* The kernel still has a keyspace by the number from before its rename: the name
 * of what is removed in that one is told without a lock, the attributes at once. */
START_TEST(a_table_removed_by_the_former_number_is_stale_by_the_new_one)
{
	struct fs_entry before, after, added;
	const char *all;

	ck_assert_int_eq(tree_walk(&t, "k", &before), 0);
	ck_assert_int_eq(fs_rename(t.fs, &t.call, FS_ROOT, "k", FS_ROOT, "moved",
				   0), 0);
	ck_assert_int_eq(tree_walk(&t, "moved", &after), 0);
	ck_assert_uint_ne(before.node, after.node);
	ck_assert_int_eq(tree_mkdir(&t, "moved/added"), 0);
	ck_assert_int_eq(tree_walk(&t, "moved/added", &added), 0);
	notices();
	ck_assert_int_eq(fs_rmdir(t.fs, &t.call, before.node, "added"), 0);
	all = notices();
	ck_assert_msg(tree_told(all, "pages", added.node, NULL) ||
		      tree_told(all, "attr", added.node, NULL), "%s", all);
	ck_assert(tree_told(all, "entry", after.node, "added"));
}
END_TEST

SUITE(fs_notices)
{
	TCase *tc = tcase_create("notices");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_change_by_cql_is_notified_before_the_reply);
	tcase_add_test(tc, a_new_row_drops_the_listing);
	tcase_add_test(tc, own_changes_by_path_are_known);
	tcase_add_test(tc, dropped_tables_are_stale);
	tcase_add_test(tc, expired_data_are_dropped_in_their_second);
	tcase_add_test(tc, the_rights_of_the_caller);
	tcase_add_test(tc, a_listing_goes_on_where_it_stopped);
	tcase_add_loop_test(tc,
			    the_end_of_a_listing_waits_for_what_it_does_not_show,
			    0, 2);
	tcase_add_test(tc, attributes_of_a_new_file_are_cached_until_its_first_write);
	tcase_add_test(tc, pages_that_an_open_drops_need_no_notice);
	tcase_add_test(tc, attributes_that_another_thread_got_are_dropped);
	tcase_add_test(tc, a_close_that_makes_a_file_is_notified);
	tcase_add_test(tc,
		       a_rename_of_a_written_file_drops_its_attributes_at_once);
	tcase_add_test(tc, a_time_set_on_a_document_is_its_own);
	tcase_add_test(tc, a_notice_overtakes_no_size_of_a_writer);
	tcase_add_test(tc, the_size_that_a_writer_left_is_never_fresh);
	tcase_add_test(tc,
		       a_table_removed_by_the_former_number_is_stale_by_the_new_one);
	suite_add_tcase(suite, tc);
}
