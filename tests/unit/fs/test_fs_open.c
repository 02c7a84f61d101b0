/* Open files: pending values, when they are committed, and what memory is
 * held. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs/file/handle.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"
#include "tests/lib/random.h"
#include "tests/lib/shop.h"
#include "tests/lib/simfile.h"
#include "tests/unit/suite.h"

START_TEST(a_value_is_pending_until_the_close)
{
	struct open_file w, r;
	struct buf got = BUF_INIT;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, "nz\n"));
	ok(tree_open_file(&shop, "shop/users/a/country", O_RDWR | O_TRUNC, &w));
	cat_is("shop/users/a/user_name", "a\n");
	ok(tree_open_file(&shop, "shop/users/a/country", O_RDONLY, &r));
	ok(fs_read(shop.fs, &shop.call, r.node, r.handle, 0, 100, &got));
	ck_assert_str_eq(buf_cstr(&got), "nz\n");
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, w.node, w.handle, 0,
				  bytes_str("a")), 1);
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, w.node, w.handle, 1,
				  bytes_str("u\n")), 2);
	buf_clear(&got);
	ok(fs_read(shop.fs, &shop.call, w.node, w.handle, 0, 100, &got));
	ck_assert_str_eq(buf_cstr(&got), "au\n");
	buf_clear(&got);
	ok(fs_read(shop.fs, &shop.call, r.node, r.handle, 0, 100, &got));
	ck_assert_str_eq(buf_cstr(&got), "nz\n");
	ok(fs_flush(shop.fs, &shop.call, w.node, w.handle));
	buf_clear(&got);
	ok(fs_read(shop.fs, &shop.call, r.node, r.handle, 0, 100, &got));
	ck_assert_str_eq(buf_cstr(&got), "au\n");
	ok(tree_release(&shop, &w));
	ok(tree_unlink(&shop, "shop/users/a/country"));
	buf_clear(&got);
	ok(fs_read(shop.fs, &shop.call, r.node, r.handle, 0, 100, &got));
	ck_assert_str_eq(buf_cstr(&got), "au\n");
	ok(tree_release(&shop, &r));
	buf_release(&got);
}
END_TEST

static void cql(const char *text)
{
	int err;

	tree_cql(&shop, ".cql", text, &err);
	ck_assert_int_eq(err, 0);
}

/*
 * Appended text goes to the end of the value that is there when it is
 * committed. If other parts were written too, the whole text is committed.
 */
START_TEST(an_append_loses_nothing)
{
	static const struct {
		const char *path, *update, *then, *elsewhere;
	} files[] = {
		{ "shop/users/a/country", "UPDATE shop.users SET country = "
		  "'au' WHERE user_name = 'a';", "au\nadded\n",
		  "Xz\nadded\n" },
		{ "shop/users/a/country", "DELETE country FROM shop.users "
		  "WHERE user_name = 'a';", "added\n", "Xz\nadded\n" },
		{ "shop/users/a/phones/cell", "UPDATE shop.users SET "
		  "phones['cell'] = 'longer' WHERE user_name = 'a';",
		  "longer\nadded\n", "Xz\nadded\n" },
		{ "shop/notes/p/x", "UPDATE shop.notes SET value = 0x6162 WHERE "
		  "key = 'p' AND column1 = 'x';", "abadded\n",
		  "Xz\nadded\n" },
	};
	const char *path = files[_i / 2].path;
	struct open_file f, g;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_mkdir(&shop, "shop/users/a/phones"));
	ok(tree_mkdir(&shop, "shop/notes"));
	ok(tree_mkdir(&shop, "shop/notes/p"));
	ok(tree_echo(&shop, path, CREATE, "nz\n"));
	ok(tree_open_file(&shop, path, O_WRONLY | O_APPEND, &f));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("add")), 3);
	if (_i % 2) {
		ok(tree_open_file(&shop, path, O_WRONLY, &g));
		ck_assert_int_eq(fs_write(shop.fs, &shop.call, g.node, g.handle,
					  0, bytes_str("X")), 1);
	}
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("ed\n")), 3);
	cql(files[_i / 2].update);
	ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
	cat_is(path, _i % 2 ? files[_i / 2].elsewhere : files[_i / 2].then);
	if (_i % 2)
		ok(tree_release(&shop, &g));
	/* And again, by the same descriptor. */
	cql(files[_i / 2].update);
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("added\n")), 6);
	cql(files[_i / 2].update);
	ok(tree_release(&shop, &f));
	cat_is(path, files[_i / 2].then);
}
END_TEST

/* An element that was opened by its position is written wherever it is then. */
START_TEST(a_position_is_that_of_the_moment)
{
	const char *list = "shop/users/a/list.json";
	struct open_file f;

	ok(tree_mkdir(&shop, "shop/users/a"));
	cql("UPDATE shop.users SET list = [1, 2] WHERE user_name = 'a';");
	cat_is("shop/users/a/list/@0", "1\n");
	ok(tree_open_file(&shop, "shop/users/a/list/@0", O_WRONLY | O_TRUNC,
			  &f));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("5\n")), 2);
	cql("UPDATE shop.users SET list = [9] + list WHERE user_name = 'a';");
	cat_is("shop/users/a/list/@0", "9\n");
	cat_is("shop/users/a/list/@1", "1\n");
	ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
	cat_is(list, "[9, 5, 2]\n");
	cat_is("shop/users/a/list/@1", "5\n");
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("6\n")), 2);
	cql("DELETE list[1] FROM shop.users WHERE user_name = 'a';");
	fails(ESTALE, fs_flush(shop.fs, &shop.call, f.node, f.handle));
	tree_release(&shop, &f);
	cat_is(list, "[9, 2]\n");
	cat_is("shop/users/a/list/@1", "2\n");
	cql("UPDATE shop.users SET list = [7] + list WHERE user_name = 'a';");
	cat_is("shop/users/a/list/@1", "9\n");
	ok(tree_unlink(&shop, "shop/users/a/list/@1"));
	cat_is(list, "[7, 2]\n");
}
END_TEST

/* A file that is written while its table gets a schema becomes a cell of it. */
START_TEST(an_open_file_of_a_table_that_is_taken_over)
{
	struct open_file f, g, moved;

	ok(tree_mkdir(&shop, "shop/late"));
	ok(tree_mkdir(&shop, "shop/late/a"));
	ok(tree_mkdir(&shop, "shop/late/b"));
	ok(tree_mkdir(&shop, "shop/late/c"));
	ok(tree_echo(&shop, "shop/late/c/u", CREATE, "old\n"));
	ok(tree_open_file(&shop, "shop/late/c/u", O_WRONLY | O_TRUNC, &moved));
	ok(tree_rename(&shop, "shop/late/c/u", "shop/late/c/v", 0));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, moved.node, moved.handle, 0,
				  bytes_str("moved\n")), 6);
	ok(tree_echo(&shop, "shop/late/a/v", CREATE, "old\n"));
	ok(tree_open_file(&shop, "shop/late/a/v", O_WRONLY | O_TRUNC, &f));
	ok(tree_open_file(&shop, "shop/late/b/w", O_WRONLY | O_CREAT, &g));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("new\n")), 4);
	ok(tree_echo(&shop, "shop/schema.cql", O_WRONLY,
		     "CREATE TABLE late (id text PRIMARY KEY, v text, n int);"));
	cat_is("shop/late/a/v", "old\n");
	ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
	ok(tree_release(&shop, &f));
	cat_is("shop/late/a/v", "new\n");
	ok(fs_flush(shop.fs, &shop.call, moved.node, moved.handle));
	ok(tree_release(&shop, &moved));
	cat_is("shop/late/c/v", "moved\n");
	/* A file that is no column of it is refused. */
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, g.node, g.handle, 0,
				  bytes_str("x\n")), 2);
	fails(EINVAL, fs_flush(shop.fs, &shop.call, g.node, g.handle));
	tree_release(&shop, &g);
	ls_is("shop/late/b", "");
	tree_reopen(&shop);
	cat_is("shop/late/a/v", "new\n");
}
END_TEST

/* The kernel closes it after the caller, who may look at once. */
START_TEST(a_new_file_whose_close_fails_is_not_there)
{
	struct open_file f;
	struct stat st;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_open_file(&shop, "shop/users/a/age", O_WRONLY | O_CREAT, &f));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("-")), 1);
	ok(tree_stat(&shop, "shop/users/a/age", &st));
	fails(EINVAL, fs_flush(shop.fs, &shop.call, f.node, f.handle));
	is_gone("shop/users/a/age");
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 1,
				  bytes_str("7\n")), 2);
	ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
	cat_is("shop/users/a/age", "-7\n");
	ok(tree_release(&shop, &f));
	cat_is("shop/users/a/age", "-7\n");
}
END_TEST

/* A shell that redirects a command of its own closes the file twice. */
START_TEST(an_empty_file_is_stored_when_its_opener_closes_twice)
{
	const char *select = "SELECT country FROM shop.users;";
	struct open_file f;
	int err;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_open_file(&shop, "shop/users/a/country", CREATE, &f));
	ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
	ck_assert_str_eq(tree_cql(&shop, ".cql.ndjson", select, &err),
			 "{\"country\": null}\n");
	ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
	ck_assert_str_eq(tree_cql(&shop, ".cql.ndjson", select, &err),
			 "{\"country\": \"\"}\n");
	ok(tree_release(&shop, &f));
}
END_TEST

/* The kernel may close it after the maker has ended, and others look. */
START_TEST(an_empty_file_whose_maker_has_ended_is_there)
{
	struct open_file f;
	pid_t own = shop.call.pid, maker = fork();

	ck_assert_int_ge(maker, 0);
	if (!maker)
		_exit(0);
	ck_assert_int_eq(waitpid(maker, NULL, 0), maker);
	ok(tree_mkdir(&shop, "shop/users/a"));
	shop.call.pid = maker;
	ok(tree_open_file(&shop, "shop/users/a/country", CREATE, &f));
	ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
	shop.call.pid = own;
	ls_is("shop/users/a", "country ");
	ok(tree_release(&shop, &f));
	cat_is("shop/users/a/country", "");
}
END_TEST

/* The daemon gives memory back by this count. */
START_TEST(large_texts_that_were_freed_are_counted)
{
	size_t size = 1 << 20;
	char *value = mem_zalloc(1, size);
	uint64_t before;
	int err;

	ck_assert_ptr_nonnull(value);
	memset(value, 'x', size - 1);
	ok(tree_mkdir(&shop, "shop/users/a"));
	before = fs_large_freed(shop.fs);
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, "nz\n"));
	cat_is("shop/users/a/country", "nz\n");
	ck_assert_uint_eq(fs_large_freed(shop.fs), before);
	ok(tree_echo(&shop, "shop/users/a/photo", CREATE, value));
	ck_assert_uint_ge(fs_large_freed(shop.fs), before + size - 1);
	before = fs_large_freed(shop.fs);
	ck_assert_ptr_nonnull(tree_cat(&shop, "shop/users/a/photo", &err));
	ck_assert_uint_ge(fs_large_freed(shop.fs), before + size - 1);
	before = fs_large_freed(shop.fs);
	ok(tree_echo(&shop, "shop/users/a/photo~", CREATE, value));
	ok(tree_unlink(&shop, "shop/users/a/photo~"));
	ck_assert_uint_ge(fs_large_freed(shop.fs), before + size - 1);
	mem_free(value);
}
END_TEST

static size_t memory_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* Values that are open for writing have a bound; one that was loaded and then
 * found no room is not kept. */
START_TEST(a_value_without_room_is_not_kept)
{
	static const char *const paths[] = { "shop/users/a/photo",
					     "shop/users/b/photo" };
	struct stat attr = { .st_size = 64 << 20 };
	struct open_file files[2], f;
	double timeout_s;
	size_t before, i;
	char *value;

	shop.options.max_value = 64 << 20;
	tree_reopen(&shop);
	shop.call.uid = 1;
	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_mkdir(&shop, "shop/users/b"));
	ok(tree_mkdir(&shop, "shop/users/c"));
	value = mem_zalloc(1, 4 << 20);
	ck_assert_ptr_nonnull(value);
	memset(value, 'x', (4 << 20) - 1);
	ok(tree_echo(&shop, "shop/users/c/photo", CREATE, value));
	mem_free(value);
	for (i = 0; i < 2; i++) {
		ok(tree_open_file(&shop, paths[i], CREATE, &files[i]));
		ok(fs_setattr(shop.fs, &shop.call, files[i].node, files[i].handle,
			      FS_SET_SIZE, &attr, &timeout_s));
	}
	ok(tree_open_file(&shop, "shop/users/c/photo", O_RDWR, &f));
	buf_clear(&shop.text);
	before = memory_in_use();
	fails(ENOSPC, fs_read(shop.fs, &shop.call, f.node, f.handle, 0, 1, &shop.text));
	ck_assert_uint_lt(memory_in_use(), before + (1 << 20));
	ok(tree_release(&shop, &f));
	for (i = 0; i < 2; i++)
		ok(tree_release(&shop, &files[i]));
}
END_TEST

#define TWENTY "12345678901234567890"

static void refuse_lines(const char *lines)
{
	int64_t first = strchr(lines, '\n') + 1 - lines;
	struct open_file f;

	ok(tree_open_file(&shop, "shop/by_city.ndjson", O_WRONLY | O_APPEND,
			  &f));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str(lines)), first);
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle,
				  (uint64_t)first, bytes_str(lines + first)),
			 -EFBIG);
	tree_release(&shop, &f);
}

/* The bound is of each value, in whichever text it comes; a text of several has
 * another. */
START_TEST(a_document_is_longer_than_its_values)
{
	static const char row[] = "shop/by_city/c/l/f.json";
	static const char longer[] = "{\"address\": \"" TWENTY "1\"}\n";
	struct open_file f;

	shop.options.max_value = 20;
	tree_reopen(&shop);
	ok(tree_mkdir(&shop, "shop/by_city/c"));
	ok(tree_mkdir(&shop, "shop/by_city/c/l"));
	ok(tree_echo(&shop, row, CREATE, "{\"mayor\": \"" TWENTY
		     "\", \"address\": \"" TWENTY "\"}\n"));
	cat_is("shop/by_city/c/l/f/address", TWENTY "\n");
	cat_is("shop/by_city/c/@static/mayor", TWENTY "\n");
	ok(tree_open_file(&shop, row, O_WRONLY | O_TRUNC, &f));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str(longer)), -EFBIG);
	tree_release(&shop, &f);
	fails(EFBIG, tree_echo(&shop, row, CREATE, "{\"address\": \"1\",    "
			       "                                              "
			       "               \"mayor\": \"1\"}\n"));
	fails(EFBIG, tree_echo(&shop, "shop/by_city/c/l/f/address", CREATE,
			       TWENTY "1"));
	refuse_lines("{\"city\": \"b\", \"mayor\": \"1\"}\n"
		     "{\"city\": \"b\", \"mayor\": \"" TWENTY "1\"}\n");
	cat_is("shop/by_city/b/@static/mayor", "1\n");
	cat_is("shop/by_city/c/l/f/address", TWENTY "\n");
}
END_TEST

struct closer {
	struct open_file *file;
	struct fs_call call;
	atomic_bool stop;
	atomic_int err;
};

/* Close copies of the descriptor. */
static void *close_copies(void *context)
{
	struct closer *c = context;

	while (!atomic_load(&c->stop) && !atomic_load(&c->err))
		atomic_store(&c->err, fs_flush(shop.fs, &c->call, c->file->node,
					       c->file->handle));
	return NULL;
}

START_TEST(bytes_written_beside_a_commit_are_committed)
{
	struct open_file f, reader;
	struct closer c = { .file = &f };
	struct buf got = BUF_INIT;
	pthread_t thread;
	char text[16];
	int i, rounds = test_scale(20000);

	ok(tree_echo(&shop, "shop/users/a.json", CREATE, "{}\n"));
	ok(tree_echo(&shop, "shop/users/a/photo", CREATE, "00000000"));
	c.call = shop.call;
	ok(tree_open_file(&shop, "shop/users/a/photo", O_RDWR, &f));
	ok(tree_open_file(&shop, "shop/users/a/photo", O_RDONLY, &reader));
	ok(pthread_create(&thread, NULL, close_copies, &c));
	for (i = 0; i < rounds && !atomic_load(&c.err); i++) {
		snprintf(text, sizeof(text), "%08d", i);
		ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
					  bytes_str(text)), 8);
		ok(fs_flush(shop.fs, &shop.call, f.node, f.handle));
		buf_clear(&got);
		ok(fs_read(shop.fs, &shop.call, reader.node, reader.handle, 0, 100,
			   &got));
		ck_assert_str_eq(buf_cstr(&got), text);
	}
	atomic_store(&c.stop, true);
	pthread_join(thread, NULL);
	ok(atomic_load(&c.err));
	ok(tree_release(&shop, &reader));
	ok(tree_release(&shop, &f));
	buf_release(&got);
}
END_TEST

struct mover {
	struct tree tree;	/* over the same fs, with its own call and text */
	struct random random;
	const char *rows[2];
	int at;			/* number of the name that the row has */
	atomic_int moves;	/* in this round */
	atomic_bool stop;
};

/* Give the row another of its names, again and again. */
static void *move_row(void *context)
{
	struct mover *m = context;
	uint32_t i;

	while (!atomic_load(&m->stop)) {
		ok(tree_rename(&m->tree, m->rows[m->at], m->rows[!m->at], 0));
		m->at = !m->at;
		atomic_fetch_add(&m->moves, 1);
		for (i = random_below(&m->random, 200); i; i--)
			sched_yield();
	}
	return NULL;
}

/* The two names of the row, in one partition and in two. */
static const char *const moved_rows[][2] = {
	{ "shop/users/a", "shop/users/b" },
	{ "shop/moved/p/a", "shop/moved/p/b" },
	{ "shop/moved/p/a", "shop/moved/q/b" },
};

static void write_value(struct open_file *f, const char *text)
{
	size_t len = strlen(text);

	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f->node, f->handle, 0,
				  bytes_str(text)), (int64_t)len);
	ok(fs_flush(shop.fs, &shop.call, f->node, f->handle));
}

/* Return the path of the row's file, by the name that the row has or had. */
static const char *file_of(const struct mover *m, bool present,
			   const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s",
		 m->rows[present ? m->at : !m->at], name);
	return path;
}

/*
 * Every acknowledged value is where the row is now, and nothing is where it
 * was. No rename may come between the moment when a commit finds its place and
 * its write.
 */
START_TEST(a_commit_goes_where_its_row_goes)
{
	struct mover m = { .random = random_seeded((uint64_t)_i) };
	int burst, i, bursts = test_scale(60);
	struct open_file cell, element;
	char text[32];

	cql("CREATE TABLE shop.moved (p text, c text, photo blob, "
	    "m map<text, text>, PRIMARY KEY (p, c)); "
	    "ALTER TABLE shop.users ADD m map<text, text>;");
	m.rows[0] = moved_rows[_i][0];
	m.rows[1] = moved_rows[_i][1];
	tree_mkdir(&shop, "shop/moved/p");
	tree_mkdir(&shop, "shop/moved/q");
	ok(tree_mkdir(&shop, m.rows[0]));
	ok(tree_mkdir(&shop, file_of(&m, true, "m")));
	ok(tree_echo(&shop, file_of(&m, true, "photo"), CREATE, "x"));
	ok(tree_echo(&shop, file_of(&m, true, "m/k"), CREATE, "x\n"));
	ok(tree_open_file(&shop, file_of(&m, true, "photo"), O_WRONLY, &cell));
	ok(tree_open_file(&shop, file_of(&m, true, "m/k"), O_WRONLY, &element));
	for (burst = 0; burst < bursts; burst++) {
		pthread_t thread;

		m.tree = shop;
		m.tree.text = BUF_INIT;
		atomic_store(&m.stop, false);
		atomic_store(&m.moves, 0);
		ok(pthread_create(&thread, NULL, move_row, &m));
		for (i = 0; i < 20 || atomic_load(&m.moves) < 2; i++) {
			snprintf(text, sizeof(text), "%04d%06d\n", burst, i);
			write_value(&cell, text);
			write_value(&element, text);
			usleep(20);
		}
		atomic_store(&m.stop, true);
		pthread_join(thread, NULL);
		buf_release(&m.tree.text);
		cat_is(file_of(&m, true, "photo"), text);
		cat_is(file_of(&m, true, "m/k"), text);
		tree_is_gone(&shop, m.rows[!m.at]);
	}
	ok(tree_release(&shop, &cell));
	ok(tree_release(&shop, &element));
}
END_TEST

struct closing {
	pthread_barrier_t *begin;
	struct open_file file;
	struct fs_call call;
};

static void *close_last(void *context)
{
	struct closing *c = context;

	pthread_barrier_wait(c->begin);
	fs_release(shop.fs, &c->call, c->file.node, c->file.handle);
	return NULL;
}

static bool is_told_that_gone(const char *name)
{
	struct fs_notice list[8];
	size_t i, n;
	bool told = false;

	while ((n = fs_notices_take(shop.fs, FS_NOTICES_NAMES,
				    list, 8, 0)) > 0)
		for (i = 0; i < n; i++) {
			told |= list[i].name && !strcmp(list[i].name, name);
			mem_free(list[i].name);
		}
	return told;
}

/* The kernel has the name of a file that an open made. If nothing was written,
 * the last close takes it back, also if two close at once. */
START_TEST(the_name_of_a_new_file_without_a_value_goes)
{
	struct closing closing[2];
	pthread_barrier_t begin;
	pthread_t threads[2];
	int i, round;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(pthread_barrier_init(&begin, NULL, 2));
	for (round = 0; round < test_scale(2000); round++) {
		is_told_that_gone("");
		for (i = 0; i < 2; i++) {
			closing[i].begin = &begin;
			closing[i].call = shop.call;
			ok(tree_open_file(&shop, "shop/users/a/age",
					  O_CREAT | O_WRONLY,
					  &closing[i].file));
		}
		for (i = 0; i < 2; i++)
			ok(pthread_create(&threads[i], NULL, close_last,
					  &closing[i]));
		for (i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		ck_assert_msg(is_told_that_gone("age"), "round %d", round);
		for (i = 0; i < 2; i++)
			fs_forget(shop.fs, closing[i].file.node, 1);
		tree_is_gone(&shop, "shop/users/a/age");
	}
	pthread_barrier_destroy(&begin);
}
END_TEST

/* A search of the files that are open in a directory passes few of others. */
START_TEST(open_files_are_found_by_their_directory)
{
	struct open_file file[128];
	int i, most = 0, all = 0;
	char path[64];

	for (i = 0; i < 128; i++) {
		snprintf(path, sizeof(path), "shop/users/u%d", i);
		ok(tree_mkdir(&shop, path));
		snprintf(path, sizeof(path), "shop/users/u%d/country", i);
		ok(tree_open_file(&shop, path, O_CREAT | O_WRONLY, &file[i]));
	}
	for (i = 0; i < FS_HANDLES; i++) {
		const struct handle *h;
		int count = 0;

		LIST_FOREACH(h, &shop.fs->handles[i].writers, entry) {
			ck_assert_ptr_eq(handles_of(shop.fs, h->node->parent),
					 &shop.fs->handles[i]);
			count++;
		}
		most = count > most ? count : most;
		all += count;
	}
	ck_assert_int_eq(all, 128);
	ck_assert_int_le(most, 128 / 8);
	for (i = 0; i < 128; i++)
		tree_release(&shop, &file[i]);
}
END_TEST

/* Begin an open as a user, which is told to look again and never comes: each as
 * if by another process. */
static int give_up_open(uid_t uid, const struct fs_entry *entry)
{
	static pid_t pid = 2000000001;	/* of threads that do not exist */
	struct fs_call call = { .uid = uid, .gid = uid, .pid = pid++ };
	struct fs_open_reply reply;
	int err = fs_open_file(shop.fs, &call, entry->node, O_WRONLY, &reply);

	if (!err)
		fs_release(shop.fs, &call, entry->node, reply.handle);
	return err;
}

/* One user's opens leave others room for theirs. */
START_TEST(opens_that_look_again_are_paid_for)
{
	static const struct {
		uid_t uid;
		int count;
	} users[] = { { 1000, 4 }, { 2000, 2 }, { 0, 2 } };
	struct accounts *a = &shop.fs->accounts;
	struct fs_entry entry;
	struct open_file reader;
	size_t i;
	int n;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, "shop/users/a/country", CREATE, "nz\n"));
	ok(tree_walk(&shop, "shop/users/a/country", &entry));
	ok(tree_open_file(&shop, "shop/users/a/country", O_RDONLY, &reader));
	a->bounds[RESOURCE_LOOKS] = 8;
	for (i = 0; i < ARRAY_SIZE(users); i++) {
		for (n = 0; n < users[i].count; n++)
			fails(ESTALE, give_up_open(users[i].uid, &entry));
		/* Beyond the user's share an open is let in at once. */
		ok(give_up_open(users[i].uid, &entry));
	}
	ck_assert_uint_eq(accounts_used(a, RESOURCE_LOOKS), 8);
	fs_timer(shop.fs, clock_now_s() + 100);
	ck_assert_uint_eq(accounts_used(a, RESOURCE_LOOKS), 0);
	fs_forget(shop.fs, entry.node, 1);
	tree_release(&shop, &reader);
}
END_TEST

/* A writer gets the error at the open, as a shell ignores errors of a close.
 * The fsync that meets the error returns it, also if it must begin a log. */
START_TEST(after_an_error_of_the_disk_nothing_opens_for_writing)	/* _i: must it */
{
	static const char country[] = "shop/users/a/country";
	struct open_file f;
	struct faults disk;
	int err;

	ok(tree_mkdir(&shop, "shop/users/a"));
	ok(tree_echo(&shop, country, CREATE, "nz\n"));
	faults_init(&disk, &file_system);
	shop.store.options.files = &disk.ops;
	tree_reopen(&shop);
	if (!_i)
		ok(tree_echo(&shop, country, CREATE, "be\n"));
	ok(tree_open_file(&shop, country, O_WRONLY | O_TRUNC, &f));
	ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle, 0,
				  bytes_str("au\n")), 3);
	disk.only_changes = disk.for_good = true;
	disk.err = -EIO;
	disk.calls = 0;
	disk.fail_at = 1;
	ck_assert_int_eq(fs_fsync(shop.fs, &shop.call, f.node, f.handle), -EIO);
	disk.fail_at = 0;	/* it works again, but data may be lost */
	ck_assert_int_eq(fs_fsync(shop.fs, &shop.call, f.node, f.handle),
			 _i ? -EROFS : -EIO);
	tree_release(&shop, &f);
	ck_assert_int_eq(tree_echo(&shop, country, CREATE, "de\n"), -EROFS);
	ck_assert_int_eq(tree_echo(&shop, country, O_WRONLY, "de\n"), -EROFS);
	ck_assert_int_eq(tree_echo(&shop, "shop/users/.x.tmp", CREATE, "x\n"),
			 -EROFS);
	ck_assert_int_eq(tree_mkdir(&shop, "shop/users/b"), -EROFS);
	ck_assert_int_eq(tree_unlink(&shop, country), -EROFS);
	ck_assert_ptr_nonnull(tree_cat(&shop, country, &err));
	ck_assert_ptr_nonnull(strstr(tree_cat(&shop, ".widefs/errors", &err),
				     "read-only since an error of the disk"));
	fs_close(shop.fs);
	ck_assert_int_eq(store_close(shop.store.store), -EIO);
	shop.store.store = NULL;
	remove_tree(shop.store.path);
	buf_release(&shop.text);
	tree_open(&shop);
}
END_TEST

/* Write the text, and leave the file open: no RELEASE comes. */
static void leave_open(const char *path, int flags, const char *text)
{
	struct open_file f;
	struct buf got = BUF_INIT;

	ok(tree_open_file(&shop, path, flags, &f));
	if (text)
		ck_assert_int_eq(fs_write(shop.fs, &shop.call, f.node, f.handle,
					  0, bytes_str(text)), strlen(text));
	else
		ok(fs_read(shop.fs, &shop.call, f.node, f.handle, 0, 16, &got));
	buf_release(&got);
}

/* Leaks are found by the address sanitizer. */
START_TEST(open_files_are_closed_at_the_end)
{
	int err;

	cql("CREATE TABLE shop.kept (p int, v int, PRIMARY KEY (p)); "
	    "INSERT INTO shop.kept (p, v) VALUES (1, 1); "
	    "INSERT INTO shop.kept (p, v) VALUES (2, 2);");
	leave_open(".cql", O_RDWR, "SELECT * FROM shop.kept; SELECT v FROM shop.kept;");
	leave_open(".cql", O_RDWR, "UPDATE shop.kept SET v = 3 WHERE p = 1; "
		   "DELETE FROM shop.kept WHERE p = 2 ");
	leave_open("shop/.cql.json", O_RDWR, "SELECT v FROM kept");
	leave_open("shop/kept.ndjson", O_RDONLY, NULL);
	leave_open("shop/kept.csv", O_RDONLY, NULL);
	leave_open("shop/kept.ndjson", O_WRONLY | O_APPEND,
		   "{\"p\": 3, \"v\": 3}\n{\"p\": 4, ");
	leave_open("shop/schema.cql", O_WRONLY | O_APPEND,
		   "CREATE TABLE shop.late (p int PRIMARY KEY)");
	tree_reopen(&shop);
	/* Complete statements were run; the rest was not: it might have gone
	 * on. */
	ck_assert_str_eq(tree_cql(&shop, ".cql.ndjson",
				  "SELECT p, v FROM shop.kept;", &err),
			 "{\"p\": 1, \"v\": 3}\n{\"p\": 2, \"v\": 2}\n"
			 "{\"p\": 3, \"v\": 3}\n");
	tree_is_gone(&shop, "shop/late");
}
END_TEST

SUITE_THREADS(fs_open)
{
	TCase *tc = tcase_create("fs_open");

	shop_fixture(tc);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, a_position_is_that_of_the_moment);
	tcase_add_loop_test(tc, an_append_loses_nothing, 0, 8);
	tcase_add_test(tc, a_value_is_pending_until_the_close);
	tcase_add_test(tc, an_open_file_of_a_table_that_is_taken_over);
	tcase_add_test(tc, a_new_file_whose_close_fails_is_not_there);
	tcase_add_test(tc,
		       an_empty_file_is_stored_when_its_opener_closes_twice);
	tcase_add_test(tc, an_empty_file_whose_maker_has_ended_is_there);
	tcase_add_test(tc, large_texts_that_were_freed_are_counted);
	tcase_add_test(tc, a_value_without_room_is_not_kept);
	tcase_add_test(tc, a_document_is_longer_than_its_values);
	tcase_add_test(tc, bytes_written_beside_a_commit_are_committed);
	tcase_add_loop_test(tc, a_commit_goes_where_its_row_goes, 0,
			    ARRAY_SIZE(moved_rows));
	tcase_add_test(tc, the_name_of_a_new_file_without_a_value_goes);
	tcase_add_test(tc, open_files_are_found_by_their_directory);
	tcase_add_test(tc, opens_that_look_again_are_paid_for);
	tcase_add_test(tc, open_files_are_closed_at_the_end);
	tcase_add_loop_test(tc,
			    after_an_error_of_the_disk_nothing_opens_for_writing,
			    0, 2);
	suite_add_tcase(suite, tc);
}
