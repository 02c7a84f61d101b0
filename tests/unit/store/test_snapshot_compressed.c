/* Tables of each compression, restored from snapshots. */
#include <stdio.h>

#include "store/cql/cql.h"
#include "store/snapshot.h"
#include "tests/lib/answers.h"
#include "tests/lib/snapshots.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

static struct test_store t;

static void setup(void)
{
	snapshots_open(&t);
}

static void teardown(void)
{
	snapshots_close(&t);
}

static const char *const compressions[] = {
	"{'class': 'ZstdCompressor'}",
	"{'class': 'ZstdCompressor', 'compression_level': 19, "
	"'chunk_length_in_kb': 64}",
	"{'class': 'DeflateCompressor'}", "{'class': 'LZ4Compressor'}",
	"{'enabled': false}",
};

/* Insert rows 0 to count of k.c, which compress well, and store them. */
static void insert_compressed(int count, const char *text)
{
	char statement[400];

	for (int i = 0; i < count; i++) {
		snprintf(statement, sizeof(statement), "INSERT INTO k.c (p, c, v) "
			 "VALUES (%d, %d, '%s %0200d')", i % 7, i, text, i * i);
		snapshots_run(t.store, statement);
	}
	ck_assert_int_eq(store_flush(t.store, NULL), 0);
}

/* All of k.c, and how it is compressed. */
static void show_compressed(struct buf *out)
{
	struct cql_session *session;

	buf_clear(out);
	ck_assert_int_eq(cql_session_new(&session, t.store), 0);
	answer_to(session, "SELECT * FROM k.c", out);
	answer_to(session, "SELECT compression FROM system_schema.tables WHERE "
			   "keyspace_name = 'k' AND table_name = 'c'", out);
	cql_session_free(session);
	ck_assert(!out->failed);
}

START_TEST(a_compressed_table_is_restored)
{
	int other = (_i + 1) % (int)ARRAY_SIZE(compressions);
	struct buf then = BUF_INIT, now = BUF_INIT;
	char statement[400];
	int i;

	snapshots_run(t.store, TEST_KEYSPACE);
	snprintf(statement, sizeof(statement), "CREATE TABLE k.c (p int, c int, "
		 "v text, PRIMARY KEY (p, c)) WITH compression = %s",
		 compressions[_i]);
	snapshots_run(t.store, statement);
	insert_compressed(500, "first");
	insert_compressed(100, "second");
	snapshots_run(t.store, "DELETE FROM k.c WHERE p = 3");
	show_compressed(&then);
	ck_assert_uint_gt(then.len, 80000);
	ck_assert_int_eq(snapshot_create(t.store, "s", 0), 0);
	/* Restored over files of another compression, and after a DROP. */
	for (i = 0; i < 2; i++) {
		snprintf(statement, sizeof(statement), "ALTER TABLE k.c WITH "
			 "compression = %s", compressions[other]);
		snapshots_run(t.store, statement);
		insert_compressed(600, "later");
		ck_assert_int_eq(store_compact(t.store, NULL), 0);
		if (i)
			snapshots_run(t.store, "DROP TABLE k.c");
		snapshots_restore(t.store, "s", "k", "c", 0);
		show_compressed(&now);
		ck_assert(bytes_equal(buf_bytes(&now), buf_bytes(&then)));
		test_store_reopen(&t);
		show_compressed(&now);
		ck_assert(bytes_equal(buf_bytes(&now), buf_bytes(&then)));
	}
	/* It goes on so. */
	insert_compressed(100, "second");
	snapshots_run(t.store, "DELETE FROM k.c WHERE p = 3");
	ck_assert_int_eq(store_compact(t.store, NULL), 0);
	show_compressed(&now);
	ck_assert(bytes_equal(buf_bytes(&now), buf_bytes(&then)));
	buf_release(&then);
	buf_release(&now);
}
END_TEST

SUITE(snapshot_compressed)
{
	TCase *tc = tcase_create("snapshot_compressed");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, test_timeout());
	tcase_add_loop_test(tc, a_compressed_table_is_restored, 0,
			    ARRAY_SIZE(compressions));
	suite_add_tcase(suite, tc);
}
