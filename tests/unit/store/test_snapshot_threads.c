/*
 * Snapshots beside writers: each is one moment of all tables. Two tables get
 * the same rows in batches, so that in every moment they have as many.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/cql/cql.h"
#include "store/snapshot.h"
#include "tests/lib/answers.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

#define WRITERS 3
#define ROUNDS 12

static struct test_store t;
static atomic_bool stop;
static atomic_int failures;

static void run(struct cql_session *session, const char *statement)
{
	struct buf out = BUF_INIT;

	if (answer_to(session, statement, &out)) {
		fprintf(stderr, "%s: %s\n", statement, buf_cstr(&out));
		atomic_fetch_add(&failures, 1);
	}
	buf_release(&out);
}

static void *write_rows(void *context)
{
	int writer = (int)(intptr_t)context, i;
	struct cql_session *session;
	char text[300];

	if (cql_session_new(&session, t.store))
		return NULL;
	for (i = 0; !atomic_load(&stop); i++) {
		snprintf(text, sizeof(text), "BEGIN BATCH INSERT INTO k.a (p, c) "
			 "VALUES (%d, %d); INSERT INTO k.b (p, c) VALUES (%d, "
			 "%d); APPLY BATCH", writer, i, i, writer);
		run(session, text);
	}
	cql_session_free(session);
	return NULL;
}

static void count(struct store *s, const char *table, struct buf *out)
{
	struct cql_session *session;
	char text[100];

	snprintf(text, sizeof(text), "SELECT COUNT(*) FROM k.%s", table);
	buf_clear(out);
	ck_assert_int_eq(cql_session_new(&session, s), 0);
	ck_assert_int_eq(answer_to(session, text, out), 0);
	cql_session_free(session);
}

/* Two threads read the same snapshots, and one drops them. */
static void *look(void *context)
{
	struct buf a = BUF_INIT, b = BUF_INIT;

	(void)context;
	while (!atomic_load(&stop)) {
		struct manifest_snapshot *list;
		struct store *view;
		size_t n, i;

		if (snapshot_list(t.store, &list, &n))
			break;
		for (i = 0; i < n; i++) {
			if (snapshot_acquire(&view, t.store, list[i].number))
				continue;	/* it was dropped */
			count(view, "a", &a);
			count(view, "b", &b);
			if (!bytes_equal(buf_bytes(&a), buf_bytes(&b)))
				atomic_fetch_add(&failures, 1);
			snapshot_release(t.store, view);
		}
		mem_free(list);
	}
	buf_release(&a);
	buf_release(&b);
	return NULL;
}

START_TEST(each_snapshot_is_of_one_moment)
{
	pthread_t threads[WRITERS + 2];
	struct store_options options;
	struct cql_session *session;
	char name[20];
	int i, rounds = test_scale(ROUNDS) + 3;

	store_options_init(&options);
	options.memtable_bytes = 1 << 18;	/* flushes come meanwhile */
	test_store_open_with(&t, &options);
	ck_assert_int_eq(cql_session_new(&session, t.store), 0);
	run(session, TEST_KEYSPACE);
	run(session, "CREATE TABLE k.a (p int, c int, PRIMARY KEY (p, c))");
	run(session, "CREATE TABLE k.b (p int, c int, PRIMARY KEY (p, c))");
	for (i = 0; i < WRITERS; i++)
		ck_assert(!pthread_create(&threads[i], NULL, write_rows,
					  (void *)(intptr_t)i));
	for (; i < WRITERS + 2; i++)
		ck_assert(!pthread_create(&threads[i], NULL, look, NULL));
	for (i = 0; i < rounds; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		ck_assert_int_eq(snapshot_create(t.store, name, 0), 0);
		if (i % 3 == 1)
			ck_assert_int_eq(store_compact(t.store, NULL), 0);
		snprintf(name, sizeof(name), "s%d", i - 2);
		if (i >= 2)
			ck_assert_int_eq(snapshot_drop(t.store, name), 0);
	}
	atomic_store(&stop, true);
	for (i = 0; i < WRITERS + 2; i++)
		pthread_join(threads[i], NULL);
	cql_session_free(session);
	ck_assert_int_eq(store_verify(t.store, NULL, NULL), 0);
	test_store_close(&t);
	ck_assert_int_eq(atomic_load(&failures), 0);
}
END_TEST

SUITE_THREADS(snapshot_threads)
{
	TCase *tc = tcase_create("threads");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, each_snapshot_is_of_one_moment);
	suite_add_tcase(suite, tc);
}
