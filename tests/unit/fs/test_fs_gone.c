/* Names that others remove: the kernel goes on with them until it gets a
 * notice, and files that it has open may make them again. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs/op/op.h"
#include "store/base/clock.h"
#include "tests/lib/tree.h"
#include "tests/unit/suite.h"

#define ROW "WHERE p = 'p' AND c = 'r';"

static struct tree t;

static void setup(void)
{
	tree_open(&t);
	t.call.pid = 2000000001;	/* a thread that does not exist */
}

static void teardown(void)
{
	clock_set_us(INT64_MIN);
	tree_close(&t);
}

/* A table of each kind, with one row. */
static void make_tables(void)
{
	tree_run(&t, "DROP KEYSPACE IF EXISTS k; " TEST_KEYSPACE "; USE k;"
		     "CREATE TABLE t (p text, c text, v text, s text STATIC, "
		     "m map<text, text>, PRIMARY KEY (p, c)); "
		     "CREATE TABLE n (p text, c text, v counter, "
		     "PRIMARY KEY (p, c)); "
		     "CREATE TABLE plain (key text, column1 text, value blob, "
		     "PRIMARY KEY (key, column1)) WITH COMPACT STORAGE;"
		     "INSERT INTO t (p, c, v, s, m) VALUES ('p', 'r', 'v', "
		     "'s', {'q': 'v'}); "
		     "INSERT INTO plain (key, column1, value) VALUES ('p', "
		     "'r', 0x01); UPDATE n SET v = v + 1 " ROW);
}

/* Remove rows by a statement, or by the removal of a document. */
static void take_away(const char *how)
{
	if (strchr(how, ' '))
		tree_run(&t, how);
	else
		ck_assert_int_eq(tree_unlink(&t, how), 0);
}

START_TEST(objects_that_others_removed_cannot_be_removed_again)
{
	static const struct {
		const char *path, *how;
	} gone[] = {
		{ "k/t/p/r", "k/t/p/r.json" },
		{ "k/t/p/r", "DELETE FROM k.t " ROW },
		{ "k/t/p", "DELETE FROM k.t WHERE p = 'p';" },
		{ "k/t/p/@static", "DELETE s FROM k.t WHERE p = 'p';" },
		{ "k/t/p/r/m", "k/t/p/r/m.json" },
		{ "k/t/p/r/m", "DELETE m FROM k.t " ROW },
		{ "k/n/p/r", "DELETE FROM k.n " ROW },
		{ "k/plain/p", "DELETE FROM k.plain WHERE key = 'p';" },
		{ "k/t", "DROP TABLE k.t;" },
		{ "k", "DROP KEYSPACE k;" },
	};
	struct fs_entry entry;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gone); i++) {
		make_tables();
		ck_assert_int_eq(tree_walk(&t, gone[i].path, &entry), 0);
		take_away(gone[i].how);
		ck_assert_msg(tree_rmdir(&t, gone[i].path) == -ENOENT,
			      "%zu: %s", i, gone[i].path);
		fs_forget(t.fs, entry.node, 1);
	}
}
END_TEST

START_TEST(a_directory_made_by_path_is_there_until_its_rmdir)
{
	make_tables();
	ck_assert_int_eq(tree_mkdir(&t, "k/t/q"), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/t/q/r"), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/t/q/r/m"), 0);
	tree_run(&t, "DELETE FROM k.t WHERE p = 'q';");
	ck_assert_int_eq(tree_rmdir(&t, "k/t/q/r"), -ENOTEMPTY);
	ck_assert_int_eq(tree_rmdir(&t, "k/t/q/r/m"), 0);
	ck_assert_int_eq(tree_rmdir(&t, "k/t/q/r"), 0);
	ck_assert_int_eq(tree_rmdir(&t, "k/t/q/r"), -ENOENT);
	ck_assert_int_eq(tree_rmdir(&t, "k/t/q"), 0);
	ck_assert_int_eq(tree_rmdir(&t, "k/t/q"), -ENOENT);
}
END_TEST

/*
 * The kernel lets nobody into a directory that a rename has replaced; also if
 * others had removed it after the kernel looked it up. So the rename must get
 * another node.
 */
START_TEST(a_rename_over_a_removed_directory_makes_another)
{
	static const char *const how[] = { "DELETE FROM k.t " ROW,
					   "k/t/p/r.json" };
	struct fs_entry before, after;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(how); i++) {
		make_tables();
		tree_run(&t, "INSERT INTO k.t (p, c, v) VALUES ('p', 'x', "
			     "'x');");
		ck_assert_int_eq(tree_walk(&t, "k/t/p/r", &before), 0);
		take_away(how[i]);
		ck_assert_int_eq(tree_rename(&t, "k/t/p/x", "k/t/p/r", 0), 0);
		ck_assert_int_eq(tree_walk(&t, "k/t/p/r", &after), 0);
		ck_assert_uint_ne(after.node, before.node);
		ck_assert_uint_eq(after.attr.st_ino, before.attr.st_ino);
		tree_cat_is(&t, "k/t/p/r/v", "x\n");
		fs_forget(t.fs, before.node, 1);
		fs_forget(t.fs, after.node, 1);
	}
}
END_TEST

/* Look up all that the kernel needs to have the file open. Returns how many
 * nodes that is. */
static size_t hold_way(const char *file, struct fs_entry *held)
{
	const char *end = file;
	size_t depth = 0;
	char path[64];

	while ((end = strchr(end, '/'))) {
		snprintf(path, sizeof(path), "%.*s", (int)(end++ - file), file);
		ck_assert_int_eq(tree_walk(&t, path, &held[depth++]), 0);
	}
	return depth;
}

struct back {
	const char *file, *text, *how;
	const char *dir, *name;	/* as it is listed */
	int64_t later_s;
};

static void bring_back(const struct back *b)
{
	struct fs_entry held[8], dir;
	struct open_file f;
	int64_t now = clock_now_s();
	size_t depth;

	make_tables();
	if (b->later_s)
		take_away(b->how);
	depth = hold_way(b->file, held);
	ck_assert_int_eq(tree_open_file(&t, b->file, O_WRONLY, &f), 0);
	if (!b->later_s)
		take_away(b->how);
	clock_set_us((now + b->later_s) * 1000000);
	fs_timer(t.fs, now + b->later_s);
	ck_assert_int_eq(tree_walk(&t, b->dir, &dir), 0);
	ck_assert_msg(!strstr(tree_ls(&t, b->dir), b->name), "%s: %s", b->how,
		      (char *)t.text.ptr);
	tree_notices(&t);
	ck_assert_int_eq(fs_write(t.fs, &t.call, f.node, f.handle, 0,
				  bytes_str(b->text)),
			 (int64_t)strlen(b->text));
	ck_assert_int_eq(tree_release(&t, &f), 0);
	ck_assert_msg(tree_told(tree_notices(&t), "pages", dir.node, NULL),
		      "%s: %s: %s", b->file, b->how, (char *)t.text.ptr);
	ck_assert_msg(strstr(tree_ls(&t, b->dir), b->name) != NULL, "%s: %s",
		      b->how, (char *)t.text.ptr);
	fs_forget(t.fs, dir.node, 1);
	while (depth)
		fs_forget(t.fs, held[--depth].node, 1);
}

static uint64_t used(enum resource r)
{
	return accounts_used(&t.fs->accounts, r);
}

static void make_in_memory(void)
{
	static const char *const directories[] = {
		"k/t/q", "k/t/q/r", "k/t/q/r/m", "k/plain/q", "k/n/q",
	};
	static const char *const files[] = {
		"k/t/q/r/.v.swp", "k/plain/.x.swp", "k/t/.x.swp",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(directories); i++)
		ck_assert_msg(!tree_mkdir(&t, directories[i]), "%s",
			      directories[i]);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		ck_assert_msg(!tree_echo(&t, files[i], O_WRONLY | O_CREAT,
					 "x\n"), "%s", files[i]);
	ck_assert_uint_ge(used(RESOURCE_NAMES), ARRAY_SIZE(directories));
	ck_assert_uint_gt(used(RESOURCE_SCRATCH), 0);
}

/* Objects that exist only in memory are charged until their table is dropped,
 * however that is done; a renamed table still has them, one that is truncated
 * temporary files and the directories of these. */
START_TEST(objects_in_memory_go_with_their_table)
{
	static const struct {
		const char *text, *stays;
		uint64_t gone;		/* directories */
	} drops[] = {
		{ "DROP TABLE k.t; DROP TABLE k.plain; DROP TABLE k.n;", NULL,
		  0 },
		{ "DROP KEYSPACE k;", NULL, 0 },
		{ "ALTER TABLE k.t ADD w int;", "k/t/q/r/m", 0 },
		{ "TRUNCATE k.t;", "k/t/q/r/.v.swp", 1 },
		{ "mv", "k/moved/q/r/m", 0 },
	};
	uint64_t names, bytes;
	struct stat st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(drops); i++) {
		make_tables();
		make_in_memory();
		names = used(RESOURCE_NAMES);
		bytes = used(RESOURCE_SCRATCH);
		if (strcmp(drops[i].text, "mv"))
			tree_run(&t, drops[i].text);
		else
			ck_assert_int_eq(tree_rename(&t, "k/t", "k/moved", 0),
					 0);
		if (drops[i].stays)
			ck_assert_int_eq(tree_stat(&t, drops[i].stays, &st), 0);
		ck_assert_uint_eq(used(RESOURCE_NAMES),
				  drops[i].stays ? names - drops[i].gone : 0);
		ck_assert_uint_eq(used(RESOURCE_SCRATCH),
				  drops[i].stays ? bytes : 0);
	}
	tree_run(&t, "DROP KEYSPACE k;");
	ck_assert_uint_eq(used(RESOURCE_NAMES), 0);
	ck_assert_uint_eq(used(RESOURCE_SCRATCH), 0);
}
END_TEST

static void drop_and_make(void)
{
	tree_run(&t, "DROP TABLE k.t; CREATE TABLE k.t (p text PRIMARY KEY, "
		     "v text); INSERT INTO k.t (p, v) VALUES ('p', 'v');");
}

/* Return a process that is stopped in mkdir(2). */
static pid_t stop_in_mkdir(void)
{
	int status, stops = 0;
	pid_t pid = fork();

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		_exit(mkdir("/", 0));
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSTOPPED(status));
	do {	/* raise() has calls of its own to end */
		struct fs_call call = { .pid = pid };

		ck_assert_int_eq(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert(WIFSTOPPED(status) && ++stops < 20);
		if (caller_makes(&call) == MAKES_DIRECTORY)
			return pid;
	} while (true);
}

/*
 * The kernel looks for the name of mkdir only once, here in a directory whose
 * table others drop and make again: mkdir of an existing name is EEXIST, of
 * another it is told to look again.
 */
START_TEST(mkdir_beside_a_drop_finds_what_is_there)
{
	struct fs_entry table, entry, now;
	pid_t pid;

	make_tables();
	pid = stop_in_mkdir();
	ck_assert_int_eq(tree_walk(&t, "k/t", &table), 0);
	drop_and_make();
	t.call.pid = pid;
	ck_assert_int_eq(fs_lookup(t.fs, &t.call, table.node, "q", &entry),
			 -ENOENT);
	ck_assert_int_eq(fs_mkdir(t.fs, &t.call, table.node, "q", 0755,
				  &entry), -ESTALE);
	drop_and_make();
	ck_assert_int_eq(fs_lookup(t.fs, &t.call, table.node, "p", &entry), 0);
	ck_assert(entry.entry_timeout_s <= 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/p", &now), 0);
	/* Of one number the kernel would have two paths. */
	ck_assert_uint_ne(entry.node, now.node);
	ck_assert_uint_eq(entry.attr.st_ino, now.attr.st_ino);
	fs_forget(t.fs, table.node, 1);
	fs_forget(t.fs, entry.node, 1);
	fs_forget(t.fs, now.node, 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
END_TEST

/* Look the name up by that number twice: as what has the path now, but by another
 * number, the same one each time, of which the kernel keeps nothing. */
static void is_beside(uint64_t dir, const char *name, const char *path)
{
	struct fs_entry one, two, now;
	struct stat attr;
	double timeout;

	ck_assert_int_eq(fs_lookup(t.fs, &t.call, dir, name, &one), 0);
	ck_assert_int_eq(fs_lookup(t.fs, &t.call, dir, name, &two), 0);
	ck_assert_int_eq(tree_walk(&t, path, &now), 0);
	ck_assert_uint_eq(one.node, two.node);
	ck_assert_uint_ne(one.node, now.node);
	ck_assert(one.entry_timeout_s <= 0 && one.attr_timeout_s <= 0);
	ck_assert_uint_eq(one.attr.st_ino, now.attr.st_ino);
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, one.node, 0, &attr,
				    &timeout), 0);
	ck_assert_uint_eq(attr.st_ino, now.attr.st_ino);
	ck_assert(timeout <= 0);
	fs_forget(t.fs, one.node, 2);
	fs_forget(t.fs, now.node, 1);
}

/* The kernel has a directory that was moved by its old number, too: those in it
 * have one for each, so that none has two paths there. */
START_TEST(a_directory_has_a_number_for_each_of_its_parents)
{
	struct fs_entry table, row, made;

	make_tables();
	drop_and_make();
	ck_assert_int_eq(tree_walk(&t, "k/t", &table), 0);
	ck_assert_int_eq(tree_walk(&t, "k/t/p", &row), 0);
	ck_assert_int_eq(tree_rename(&t, "k/t", "k/moved", 0), 0);
	is_beside(table.node, "p", "k/moved/p");
	ck_assert_int_eq(fs_mkdir(t.fs, &t.call, table.node, "q", 0755, &made),
			 0);
	is_beside(table.node, "q", "k/moved/q");
	ck_assert_int_eq(tree_rmdir(&t, "k/moved/q"), 0);
	ck_assert_int_eq(tree_mkdir(&t, "k/moved/q"), 0);
	is_beside(table.node, "q", "k/moved/q");
	ck_assert_int_eq(tree_rename(&t, "k/moved", "k/again", 0), 0);
	is_beside(table.node, "p", "k/again/p");
	is_beside(table.node, "q", "k/again/q");
	fs_forget(t.fs, made.node, 1);
	fs_forget(t.fs, row.node, 1);
	fs_forget(t.fs, table.node, 1);
}
END_TEST

/* A file that was only truncated, of a table that is dropped then: the refusal
 * is not one of its empty value. */
START_TEST(a_truncated_file_goes_with_its_table)
{
	struct open_file f;
	struct fs_entry entry;
	struct stat attr = { .st_size = 0 };
	double timeout;
	int err;

	make_tables();
	ck_assert_int_eq(tree_walk(&t, "k/t/p/r/v", &entry), 0);
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/r/v", O_WRONLY | O_TRUNC,
					&f), 0);
	drop_and_make();
	err = fs_flush(t.fs, &t.call, f.node, f.handle);
	ck_assert_msg(!err || err == -ESTALE, "flush: %d", err);
	tree_release(&t, &f);
	ck_assert_int_eq(fs_setattr(t.fs, &t.call, entry.node, 0, FS_SET_SIZE,
				    &attr, &timeout), -ESTALE);
	fs_forget(t.fs, entry.node, 1);
}
END_TEST

/*
 * A file is open while others remove its row, and its close makes the row
 * again: the kernel was told that the name is gone, and has listings without
 * it.
 */
START_TEST(a_row_that_a_close_makes_again_is_notified)
{
	static const struct back back[] = {
		{ "k/t/p/r/v", "x\n", "DELETE FROM k.t " ROW, "k/t/p", "r/",
		  0 },
		{ "k/t/p/r/v", "x\n", "DELETE FROM k.t WHERE p = 'p';", "k/t",
		  "p/", 0 },
		{ "k/t/p/r/v", "x\n", "k/t/p/r.json", "k/t/p", "r/", 0 },
		{ "k/t/p/r/v", "x\n", "TRUNCATE k.t;", "k/t", "p/", 0 },
		{ "k/t/p/r/v", "x\n", "TRUNCATE k.t; INSERT INTO k.t (p, c, v) "
		  "VALUES ('p', 'r', 'v') USING TTL 10;", "k/t", "p/", 20 },
		{ "k/t/p/@static/s", "x\n", "DELETE s FROM k.t WHERE p = 'p';",
		  "k/t/p", "@static/", 0 },
		{ "k/t/p/r/m/q", "x\n", "DELETE FROM k.t " ROW, "k/t/p", "r/",
		  0 },
		{ "k/t/p/r/m/q", "x\n", "k/t/p/r/m.json", "k/t/p/r", "m/", 0 },
		{ "k/plain/p/r", "x", "DELETE FROM k.plain WHERE key = 'p';",
		  "k/plain", "p/", 0 },
		{ "k/n/p/r/v", "+1\n", "TRUNCATE k.n;", "k/n", "p/", 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(back); i++)
		bring_back(&back[i]);
}
END_TEST

/* Assert that `size` bytes at offset are all this one; 0: that there are none. */
static void reads(const struct open_file *f, uint64_t offset, size_t size, char c)
{
	size_t i;

	buf_clear(&t.text);
	ck_assert_int_eq(fs_read(t.fs, &t.call, f->node, f->handle, offset,
				 size ? size : 1, &t.text), 0);
	ck_assert_uint_eq(t.text.len, size);
	for (i = 0; i < size; i++)
		ck_assert_int_eq(t.text.ptr[i], c);
}

/* Its reader had read all, begins again, and is in the middle when a file is made
 * under the name. */
START_TEST(a_reader_goes_on_with_the_text_of_a_removed_file)
{
	struct open_file r, w;
	char old[9001];

	make_tables();
	memset(old, 'o', 9000);
	old[9000] = 0;
	ck_assert_int_eq(tree_echo(&t, "k/plain/p/f", O_CREAT | O_WRONLY, old), 0);
	ck_assert_int_eq(tree_open_file(&t, "k/plain/p/f", O_RDONLY, &r), 0);
	reads(&r, 0, 9000, 'o');
	reads(&r, 9000, 0, 'o');
	ck_assert_int_eq(tree_unlink(&t, "k/plain/p/f"), 0);
	ck_assert_int_eq(tree_open_file(&t, "k/plain/p/f", O_CREAT | O_WRONLY, &w), 0);
	ck_assert_int_eq(fs_write(t.fs, &t.call, w.node, w.handle, 0,
				  bytes_str("new")), 3);
	reads(&r, 0, 4000, 'o');
	ck_assert_int_eq(tree_release(&t, &w), 0);
	reads(&r, 4000, 5000, 'o');
	reads(&r, 9000, 0, 'o');
	tree_cat_is(&t, "k/plain/p/f", "new");
	ck_assert_int_eq(tree_release(&t, &r), 0);
}
END_TEST

/* Its descriptor has the number of the first name. */
START_TEST(a_temporary_file_that_was_moved_and_removed_is_open)
{
	struct open_file f;
	struct stat attr;
	double timeout_s;

	make_tables();
	ck_assert_int_eq(tree_echo(&t, "k/t/p/r/.x.tmp", O_WRONLY | O_CREAT,
				   "x\n"), 0);
	ck_assert_int_eq(tree_open_file(&t, "k/t/p/r/.x.tmp", O_RDONLY, &f), 0);
	ck_assert_int_eq(tree_rename(&t, "k/t/p/r/.x.tmp", "k/t/p/r/.y.tmp", 0),
			 0);
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, f.node, 0, &attr,
				    &timeout_s), 0);
	ck_assert_uint_eq(attr.st_nlink, 1);
	ck_assert_int_eq(tree_unlink(&t, "k/t/p/r/.y.tmp"), 0);
	ck_assert_int_eq(fs_getattr(t.fs, &t.call, f.node, 0, &attr,
				    &timeout_s), 0);
	ck_assert_uint_eq(attr.st_nlink, 0);
	ck_assert_int_eq(attr.st_size, 2);
	ck_assert_int_eq(tree_release(&t, &f), 0);
}
END_TEST

SUITE(fs_gone)
{
	TCase *tc = tcase_create("gone");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, objects_that_others_removed_cannot_be_removed_again);
	tcase_add_test(tc, a_directory_made_by_path_is_there_until_its_rmdir);
	tcase_add_test(tc, a_rename_over_a_removed_directory_makes_another);
	tcase_add_test(tc, objects_in_memory_go_with_their_table);
	tcase_add_test(tc, mkdir_beside_a_drop_finds_what_is_there);
	tcase_add_test(tc, a_directory_has_a_number_for_each_of_its_parents);
	tcase_add_test(tc, a_truncated_file_goes_with_its_table);
	tcase_add_test(tc, a_row_that_a_close_makes_again_is_notified);
	tcase_add_test(tc, a_reader_goes_on_with_the_text_of_a_removed_file);
	tcase_add_test(tc,
		       a_temporary_file_that_was_moved_and_removed_is_open);
	suite_add_tcase(suite, tc);
}
