/* One open file in the hands of several threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "tests/lib/tree.h"
#include "tests/unit/suite.h"

static struct tree t;

static void setup(void)
{
	int err;

	tree_open(&t);
	tree_cql(&t, ".cql",
		 "CREATE KEYSPACE k WITH replication = {'class': "
		 "'SimpleStrategy', 'replication_factor': 1};"
		 "CREATE TABLE k.t (p int PRIMARY KEY, v blob);"
		 "INSERT INTO k.t (p, v) VALUES (1, 0x3030303030303030);",
		 &err);
	ck_assert_msg(!err, "%d: %s", err, (char *)t.text.ptr);
}

static void teardown(void)
{
	tree_close(&t);
}

struct closer {
	struct open_file *file;
	struct fs_call call;
	atomic_bool stop;
	atomic_int err;
};

/* Copies of the descriptor that are closed. */
static void *close_copies(void *context)
{
	struct closer *c = context;

	while (!atomic_load(&c->stop) && !atomic_load(&c->err))
		atomic_store(&c->err, fs_flush(t.fs, &c->call, c->file->node,
					       c->file->handle));
	return NULL;
}

START_TEST(what_is_written_beside_a_commit_is_committed)
{
	struct open_file f, reader;
	struct closer c = { .file = &f, .call = t.call };
	struct buf got = BUF_INIT;
	pthread_t thread;
	char text[16];
	int i, rounds = test_scale(20000);

	ck_assert_int_eq(tree_open_file(&t, "k/t/1/v", O_RDWR, &f), 0);
	ck_assert_int_eq(tree_open_file(&t, "k/t/1/v", O_RDONLY, &reader), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, close_copies, &c), 0);
	for (i = 0; i < rounds && !atomic_load(&c.err); i++) {
		snprintf(text, sizeof(text), "%08d", i);
		ck_assert_int_eq(fs_write(t.fs, &t.call, f.node, f.handle, 0,
					  bytes_str(text)), 8);
		ck_assert_int_eq(fs_flush(t.fs, &t.call, f.node, f.handle), 0);
		buf_clear(&got);
		ck_assert_int_eq(fs_read(t.fs, &t.call, reader.node,
					 reader.handle, 0, 100, &got), 0);
		ck_assert_str_eq(buf_cstr(&got), text);
	}
	atomic_store(&c.stop, true);
	pthread_join(thread, NULL);
	ck_assert_int_eq(atomic_load(&c.err), 0);
	ck_assert_int_eq(tree_release(&t, &reader), 0);
	ck_assert_int_eq(tree_release(&t, &f), 0);
	buf_release(&got);
}
END_TEST

SUITE_THREADS(fs_threads)
{
	TCase *tc = tcase_create("fs_threads");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, what_is_written_beside_a_commit_is_committed);
	suite_add_tcase(suite, tc);
}
