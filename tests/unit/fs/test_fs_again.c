/*
 * Calls that are told to look again (ESTALE): the kernel looks the path up once
 * more and calls once more, and changes by others in between must not matter.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/lib/tree.h"
#include "tests/unit/suite.h"

#define ROW "WHERE p = 'p' AND c = 'r';"
#define VALUE "k/t/p/r/v"
#define OTHER 2000000001	/* a thread that does not exist */

static struct tree t;
static struct open_file others;	/* what another has open; node 0: nothing */
static pid_t caller;

static void ok(int err)
{
	ck_assert_int_eq(err, 0);
}

static void setup(void)
{
	tree_open(&t);
	caller = getpid();
	t.call.pid = OTHER;
	tree_run(&t, TEST_KEYSPACE "; USE k;"
		     "CREATE TABLE t (p text, c text, v text, w text, "
		     "PRIMARY KEY (p, c));"
		     "INSERT INTO t (p, c, v, w) VALUES ('p', 'r', 'v', 'w');");
}

static void release_others(void)
{
	if (others.node)
		ok(tree_release(&t, &others));
	others.node = 0;
}

static void teardown(void)
{
	release_others();
	clock_set_us(INT64_MIN);
	tree_close(&t);
}

/* Look it up as the caller. */
static void look(struct fs_entry *entry)
{
	t.call.pid = caller;
	ok(tree_walk(&t, VALUE, entry));
	t.call.pid = OTHER;
}

/* Look it up as the kernel does, which first asks whether a name that it has is
 * still valid. */
static void look_twice(struct fs_entry *entry)
{
	struct fs_entry dir;

	t.call.pid = caller;
	ok(tree_walk(&t, "k/t/p/r", &dir));
	ok(fs_lookup(t.fs, &t.call, dir.node, "v", entry));
	fs_forget(t.fs, entry->node, 1);
	ok(fs_lookup(t.fs, &t.call, dir.node, "v", entry));
	t.call.pid = OTHER;
	fs_forget(t.fs, dir.node, 1);
}

/* Open it as the caller: 0 if that is let in. */
static int open_once(uint64_t node, int flags, struct open_file *f)
{
	int err;

	t.call.pid = caller;
	err = fs_open_file(t.fs, &t.call, node, flags, &f->reply);
	t.call.pid = OTHER;
	f->node = node;
	f->handle = err ? 0 : f->reply.handle;
	return err;
}

static int attributes_once(uint64_t node)
{
	struct stat st;
	double timeout;
	int err;

	t.call.pid = caller;
	err = fs_getattr(t.fs, &t.call, node, 0, &st, &timeout);
	t.call.pid = OTHER;
	return err;
}

/* ------------------------------ the call that is told to look again */
static void told_by_attributes(int flags)
{
	struct fs_entry entry;

	(void)flags;
	look(&entry);
	tree_run(&t, "DELETE v FROM k.t " ROW);
	ck_assert_int_eq(attributes_once(entry.node), -ESTALE);
	tree_run(&t, "UPDATE k.t SET v = 'again' " ROW);
	fs_forget(t.fs, entry.node, 1);
}

static void told_by_the_open(int flags)
{
	bool writer = (flags & O_ACCMODE) != O_RDONLY;
	struct fs_entry entry;
	struct open_file f;

	look(&entry);
	ok(tree_open_file(&t, VALUE, writer ? O_RDONLY : O_WRONLY, &others));
	ck_assert_int_eq(open_once(entry.node, flags, &f), -ESTALE);
	release_others();
	fs_forget(t.fs, entry.node, 1);
}

static void told_by_its_directory(int flags)
{
	struct fs_entry entry;

	(void)flags;
	t.call.pid = caller;
	ok(tree_walk(&t, "k/t/p/r", &entry));
	t.call.pid = OTHER;
	ok(tree_unlink(&t, VALUE));
	ok(tree_unlink(&t, "k/t/p/r/w"));
	ok(tree_rmdir(&t, "k/t/p/r"));
	ck_assert_int_eq(attributes_once(entry.node), -ESTALE);
	ok(tree_mkdir(&t, "k/t/p/r"));
	ok(tree_echo(&t, VALUE, O_CREAT | O_WRONLY, "again\n"));
	fs_forget(t.fs, entry.node, 1);
}

/* ------------------------------ done between the look and the second try */
static void nothing(void)
{
}

static void statement(void)
{
	tree_run(&t, "UPDATE k.t SET v = 'new' " ROW);
}

static void read_by_another(void)
{
	ok(tree_open_file(&t, VALUE, O_RDONLY, &others));
}

static void read_and_changed(void)
{
	read_by_another();
	statement();
}

static void written_by_another(void)
{
	ok(tree_open_file(&t, VALUE, O_WRONLY, &others));
}

static void replaced(void)
{
	ok(tree_echo(&t, "k/t/p/r/.v.0000ab", O_CREAT | O_WRONLY, "new\n"));
	ok(tree_rename(&t, "k/t/p/r/.v.0000ab", VALUE, 0));
}

static void read_and_replaced(void)
{
	read_by_another();
	replaced();
}

static void replaced_and_read(void)
{
	replaced();
	read_by_another();
}

static void made_again(void)
{
	ok(tree_unlink(&t, VALUE));
	ok(tree_echo(&t, VALUE, O_CREAT | O_WRONLY, "new\n"));
}

static void moved(void)
{
	ok(tree_rename(&t, VALUE, "k/t/p/r/w", 0));
}

static void moved_and_read(void)
{
	moved();
	ok(tree_open_file(&t, "k/t/p/r/w", O_RDONLY, &others));
}

static void row_moved(void)
{
	ok(tree_rename(&t, "k/t/p/r", "k/t/p/x", 0));
}

/* The machine is slow. */
static void late(void)
{
	int64_t now = clock_now_s() + 30;

	clock_set_us(now * 1000000);
	fs_timer(t.fs, now);
	read_and_changed();
}

static void (*const tellers[])(int flags) = {
	told_by_attributes, told_by_the_open, told_by_its_directory,
};
static const int kinds[] = { O_RDONLY, O_WRONLY, O_RDWR | O_TRUNC };
static const struct {
	const char *what;
	void (*change)(void);
	const char *left;	/* a text that readers may see too */
} changes[] = {
	{ "nothing", nothing, "" },
	{ "statement", statement, "new\n" },
	{ "read by another", read_by_another, "" },
	{ "read and changed", read_and_changed, "new\n" },
	{ "written by another", written_by_another, "" },
	{ "replaced", replaced, "new\n" },
	{ "read and replaced", read_and_replaced, "new\n" },
	{ "replaced and read", replaced_and_read, "new\n" },
	{ "made again", made_again, "new\n" },
	{ "moved", moved, "" },
	{ "moved and read", moved_and_read, "" },
	{ "row moved", row_moved, "" },
	{ "late", late, "new\n" },
};

/* Check that it reads a whole value, of one of the moments. */
static void reads_well(const struct open_file *f, const char *what,
		       const char *left)
{
	struct buf got = BUF_INIT;
	const char *text;

	ok(fs_read(t.fs, &t.call, f->node, f->handle, 0, 100, &got));
	text = buf_cstr(&got);
	ck_assert_msg(!strcmp(text, "v\n") || !strcmp(text, "again\n") ||
		      !strcmp(text, left), "%s: '%s'", what, text);
	buf_release(&got);
}

static void writes_well(const struct open_file *f)
{
	ck_assert_int_eq(fs_write(t.fs, &t.call, f->node, f->handle, 0,
				  bytes_str("mine\n")), 5);
	ok(fs_flush(t.fs, &t.call, f->node, f->handle));
}

/* _i: which of tellers, kinds and changes. */
START_TEST(a_second_open_is_let_in)
{
	size_t i = (size_t)_i % ARRAY_SIZE(changes);
	int flags = kinds[(size_t)_i / ARRAY_SIZE(changes) % ARRAY_SIZE(kinds)];
	const char *what = changes[i].what;
	struct fs_entry entry;
	struct open_file f;

	tellers[(size_t)_i / ARRAY_SIZE(changes) / ARRAY_SIZE(kinds)](flags);
	look_twice(&entry);
	changes[i].change();
	ck_assert_msg(!attributes_once(entry.node), "%d: %s", _i, what);
	ck_assert_msg(!open_once(entry.node, flags, &f), "%d: %s", _i, what);
	if ((flags & O_ACCMODE) == O_RDONLY)
		reads_well(&f, what, changes[i].left);
	else
		writes_well(&f);
	ok(fs_release(t.fs, &t.call, f.node, f.handle));
	if (others.node && (flags & O_ACCMODE) != O_RDONLY &&
	    strcmp(what, "written by another"))
		reads_well(&others, what, changes[i].left);
	fs_forget(t.fs, entry.node, 1);
}
END_TEST

/* Make another call of the same user on that node, whose thread is unknown
 * too. */
static int meet(uint64_t node, int flags)
{
	struct open_file f;
	int err = open_once(node, flags, &f);

	if (!err)
		ok(fs_release(t.fs, &t.call, f.node, f.handle));
	return err;
}

/*
 * Callers whose threads are unknown cannot be told apart: each call is told
 * once at most, whatever others of them do in between. _i: which of kinds and
 * changes.
 */
START_TEST(unknown_callers_are_told_once)
{
	size_t i = (size_t)_i % ARRAY_SIZE(changes);
	int err, flags = kinds[(size_t)_i / ARRAY_SIZE(changes)];
	bool writer = (flags & O_ACCMODE) != O_RDONLY;
	struct fs_entry old, found;
	struct open_file f;

	caller = 0;
	look(&old);
	if (writer) {
		ok(tree_open_file(&t, VALUE, O_RDONLY, &others));
		ck_assert_int_eq(meet(old.node, flags), -ESTALE);
		ck_assert_int_eq(meet(old.node, flags), -ESTALE);
		release_others();
	} else {
		told_by_its_directory(flags);
		meet(old.node, flags);
	}
	look_twice(&found);
	ok(meet(found.node, flags));
	changes[i].change();
	meet(old.node, flags);
	ck_assert_int_ne(attributes_once(found.node), -ESTALE);
	err = open_once(found.node, flags, &f);
	ck_assert_msg(!err, "%d, %s: %d", _i, changes[i].what, err);
	if (writer)
		writes_well(&f);
	else
		reads_well(&f, changes[i].what, changes[i].left);
	ok(fs_release(t.fs, &t.call, f.node, f.handle));
	ok(meet(found.node, flags));	/* and a third */
	fs_forget(t.fs, found.node, 1);
	fs_forget(t.fs, old.node, 1);
}
END_TEST

static void made_anew(void)
{
	tree_run(&t, "DROP TABLE k.t; CREATE TABLE k.t (p text PRIMARY KEY, v text);"
		     "INSERT INTO k.t (p, v) VALUES ('p', 'v');");
}

/* A look into a table that was dropped and made again, again and again. */
START_TEST(unknown_looks_are_told_once)
{
	struct fs_entry table, entry;
	int i;

	caller = 0;
	for (i = 0; i < 2; i++) {
		t.call.pid = caller;
		ok(tree_walk(&t, "k/t", &table));
		made_anew();
		t.call.pid = caller;
		ck_assert_int_eq(fs_lookup(t.fs, &t.call, table.node, "p",
					   &entry), i ? -ENOENT : -ESTALE);
		fs_forget(t.fs, table.node, 1);
	}
}
END_TEST

/* The calls on a name in a directory. */
static int make_a_directory(uint64_t dir)
{
	struct fs_entry entry;

	return fs_mkdir(t.fs, &t.call, dir, "new", 0755, &entry);
}

static int remove_a_directory(uint64_t dir)
{
	return fs_rmdir(t.fs, &t.call, dir, "p");
}

static int rename_a_directory(uint64_t dir)
{
	return fs_rename(t.fs, &t.call, dir, "p", dir, "q", 0);
}

static int make_a_file(uint64_t dir)
{
	struct fs_open_reply reply;
	struct fs_entry entry;

	return fs_create(t.fs, &t.call, dir, "p.json", 0644,
			 O_WRONLY | O_CREAT, &entry, &reply);
}

static int (*const on_names[])(uint64_t dir) = {
	make_a_directory, remove_a_directory, rename_a_directory, make_a_file,
};

/* Its directory's table is dropped before each of its tries, the second by the
 * look that it was told to make. _i: which of on_names, and of an unknown
 * caller. */
START_TEST(calls_on_names_are_told_once)
{
	int (*call)(uint64_t dir) = on_names[(size_t)_i / 2];
	struct fs_entry table, entry;

	if (_i % 2)
		caller = 0;
	t.call.pid = caller;
	ok(tree_walk(&t, "k/t", &table));
	t.call.pid = OTHER;
	made_anew();
	t.call.pid = caller;
	ck_assert_int_eq(call(table.node), -ESTALE);
	fs_forget(t.fs, table.node, 1);
	ok(tree_walk(&t, "k/t", &table));
	t.call.pid = OTHER;
	made_anew();
	t.call.pid = caller;
	ck_assert_int_eq(call(table.node), -ENOENT);
	fs_forget(t.fs, table.node, 1);
	ok(tree_walk(&t, "k/t/p", &entry));	/* nothing is in the way */
	fs_forget(t.fs, entry.node, 1);
}
END_TEST

/* The calls on a directory or file itself. */
static int set_time_of(uint64_t node)
{
	struct stat attr = { .st_mtim.tv_sec = 1 };
	double timeout;

	return fs_setattr(t.fs, &t.call, node, 0, FS_SET_MTIME, &attr,
			  &timeout);
}

static int set_end_of(uint64_t node)
{
	return fs_setxattr(t.fs, &t.call, node, "user.expires",
			   bytes_str("never"), 0);
}

static int get_end_of(uint64_t node)
{
	char text[100];

	return (int)fs_getxattr(t.fs, &t.call, node, "user.expires", text,
				sizeof(text));
}

static int list_attributes_of(uint64_t node)
{
	char list[100];

	return (int)fs_listxattr(t.fs, &t.call, node, list, sizeof(list));
}

static int (*const on_nodes[])(uint64_t node) = {
	set_time_of, set_end_of, get_end_of, list_attributes_of,
};

/* The same, by a path of that kind. _i: which of on_nodes, of the paths, and of
 * an unknown caller. */
START_TEST(calls_on_nodes_are_told_once)
{
	static const char *const paths[] = { "k/t", "k/t/p", "k/t/p/v" };
	const char *path = paths[_i / 2 % 3];
	int (*call)(uint64_t node) = on_nodes[_i / 6];
	struct fs_entry entry;
	int i;

	if (_i % 2)
		caller = 0;
	made_anew();
	for (i = 0; i < 2; i++) {
		t.call.pid = caller;
		ok(tree_walk(&t, path, &entry));
		t.call.pid = OTHER;
		made_anew();
		t.call.pid = caller;
		ck_assert_int_eq(call(entry.node), i ? -ENOENT : -ESTALE);
		fs_forget(t.fs, entry.node, 1);
	}
}
END_TEST

/* mkdir's own look is not made again: it may not be told so where the name is
 * missing, though its table is another. A private one shows nothing. */
START_TEST(a_missing_name_is_missing)
{
	struct fs_entry table, entry;
	struct stat attr = { .st_mode = 0700 };
	double timeout;

	ok(tree_walk(&t, "k/t", &table));
	made_anew();
	ck_assert_int_eq(fs_lookup(t.fs, &t.call, table.node, "q", &entry),
			 -ENOENT);
	ck_assert_int_eq(fs_lookup(t.fs, &t.call, table.node, "p", &entry),
			 -ESTALE);
	ok(tree_walk(&t, "k/t", &entry));
	ok(fs_setattr(t.fs, &t.call, entry.node, 0, FS_SET_MODE, &attr,
		      &timeout));
	fs_forget(t.fs, entry.node, 1);
	t.call.uid = 12345;
	t.call.pid = OTHER + 1;
	ck_assert_int_eq(fs_lookup(t.fs, &t.call, table.node, "q", &entry),
			 -ESTALE);
	t.call.uid = 0;
	t.call.pid = OTHER;
	fs_forget(t.fs, table.node, 1);
	ok(tree_walk(&t, "k/t", &table));
	tree_run(&t, "DROP TABLE k.t;");
	t.call.pid = OTHER + 2;
	ck_assert_int_eq(fs_lookup(t.fs, &t.call, table.node, "p", &entry),
			 -ENOENT);
	fs_forget(t.fs, table.node, 1);
}
END_TEST

/* A retry ends if its thread goes on without a second try: its number may be
 * another's. */
START_TEST(wishes_end)
{
	static const int ages[] = { 30, 70 };
	struct fs_entry entry;
	int64_t now = clock_now_s() + ages[_i];

	caller = gettid();
	look(&entry);
	ok(tree_open_file(&t, VALUE, O_RDONLY, &others));
	ck_assert_int_eq(meet(entry.node, O_WRONLY), -ESTALE);
	clock_set_us(now * 1000000);
	fs_timer(t.fs, now);
	ck_assert_int_eq(meet(entry.node, O_WRONLY), _i ? -ESTALE : 0);
	fs_forget(t.fs, entry.node, 1);
}
END_TEST

/* The call opens nothing. */
START_TEST(second_attributes_are_given)
{
	static void (*const before[])(void) = { nothing, statement, replaced,
						made_again };
	struct fs_entry entry;

	told_by_attributes(0);
	look_twice(&entry);
	before[_i]();
	tree_run(&t, "DELETE v FROM k.t " ROW);
	ok(attributes_once(entry.node));
	/* These are of a further call. */
	ck_assert_int_ne(attributes_once(entry.node), 0);
	fs_forget(t.fs, entry.node, 1);
}
END_TEST

/* A call was told to look again and never came; the next one is for a file of
 * which each open has its own node. */
START_TEST(a_wish_that_is_left_meets_any_file)
{
	int err;

	told_by_the_open(O_RDONLY);
	t.call.pid = caller;
	ck_assert_ptr_nonnull(strstr(tree_cql(&t, ".cql.json",
					      "SELECT v FROM k.t;", &err),
				     "[\"v\"]"));
	ok(err);
	t.call.pid = OTHER;
	tree_cat_is(&t, VALUE, "v\n");
	ok(tree_echo(&t, VALUE, O_WRONLY, "new\n"));
}
END_TEST

/* A name is missing at the look, and exists when the file is made. */
START_TEST(a_file_that_others_made_first_is_opened)
{
	struct fs_open_reply reply;
	struct fs_entry entry;
	int i;

	for (i = 0; i < 2; i++) {
		read_by_another();
		t.call.pid = caller;
		ok(tree_walk(&t, "k/t/p/r", &entry));
		ok(fs_create(t.fs, &t.call, entry.node, "v", 0644,
			     (i ? O_RDWR : O_WRONLY | O_TRUNC) | O_CREAT,
			     &entry, &reply));
		t.call.pid = OTHER;
		reads_well(&others, "made first", i ? "mine\n" : "");
		ck_assert_int_eq(fs_write(t.fs, &t.call, entry.node, reply.handle,
					  0, bytes_str("mine\n")), 5);
		ok(fs_release(t.fs, &t.call, entry.node, reply.handle));
		fs_forget(t.fs, entry.node, 1);
		reads_well(&others, "made first", i ? "mine\n" : "");
		release_others();
	}
	tree_cat_is(&t, VALUE, "mine\n");
}
END_TEST

SUITE(fs_again)
{
	TCase *tc = tcase_create("again");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_second_open_is_let_in, 0,
			    (int)(ARRAY_SIZE(tellers) * ARRAY_SIZE(kinds) *
				  ARRAY_SIZE(changes)));
	tcase_add_loop_test(tc, unknown_callers_are_told_once, 0,
			    (int)(ARRAY_SIZE(kinds) * ARRAY_SIZE(changes)));
	tcase_add_test(tc, unknown_looks_are_told_once);
	tcase_add_loop_test(tc, calls_on_names_are_told_once, 0,
			    2 * (int)ARRAY_SIZE(on_names));
	tcase_add_loop_test(tc, calls_on_nodes_are_told_once, 0, 24);
	tcase_add_test(tc, a_missing_name_is_missing);
	tcase_add_loop_test(tc, wishes_end, 0, 2);
	tcase_add_loop_test(tc, second_attributes_are_given, 0, 4);
	tcase_add_test(tc, a_wish_that_is_left_meets_any_file);
	tcase_add_test(tc, a_file_that_others_made_first_is_opened);
	suite_add_tcase(suite, tc);
}
