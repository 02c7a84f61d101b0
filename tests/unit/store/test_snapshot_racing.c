/*
 * Each acknowledged write is in an automatic snapshot, or comes after the
 * change for which that was made. Each writer counts in its partition, and
 * repeats a row that was refused (as its table or column was gone): so the
 * snapshots one after another, and in the end the table, have each row once and
 * without a gap.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "store/cql/cql.h"
#include "store/snapshot.h"
#include "tests/lib/answers.h"
#include "tests/lib/random.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

#define WRITERS 3
#define ROUNDS 240
#define TABLE "CREATE TABLE k.t (p int, c int, v int, PRIMARY KEY (p, c))"

static struct test_store t;
static atomic_bool stop;
static atomic_int acknowledged[WRITERS];	/* rows */

static int try(struct cql_session *session, const char *statement,
	       struct buf *out)
{
	buf_clear(out);
	return answer_to(session, statement, out);
}

static void *write_rows(void *context)
{
	int writer = (int)(intptr_t)context, i = 0;
	struct cql_session *session;
	struct buf out = BUF_INIT;
	char text[100];

	if (cql_session_new(&session, t.store))
		return NULL;
	while (!atomic_load(&stop)) {
		snprintf(text, sizeof(text), "INSERT INTO k.t (p, c, v) VALUES "
			 "(%d, %d, %d)", writer, i, i);
		if (!try(session, text, &out))
			atomic_store(&acknowledged[writer], ++i);
	}
	cql_session_free(session);
	buf_release(&out);
	return NULL;
}

/* Check the rows that a store has of a writer: they go on at *next. A row whose
 * column was dropped is one that was there before. */
static void go_on(struct store *s, int writer, int *next, const char *what)
{
	struct cql_session *session;
	struct buf out = BUF_INIT;
	char text[100], *line, *rest;

	snprintf(text, sizeof(text), "SELECT v FROM k.t WHERE p = %d", writer);
	ck_assert_int_eq(cql_session_new(&session, s), 0);
	ck_assert_int_eq(answer_to(session, text, &out), 0);
	cql_session_free(session);
	for (line = strtok_r((char *)buf_cstr(&out), "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (!strcmp(line, "[null]"))
			continue;
		if (atoi(line + 1) != *next)
			ck_abort_msg("%s: row %d of writer %d is not there, %s "
				     "is", what, *next, writer, line);
		++*next;
	}
	buf_release(&out);
}

/* Look at the automatic snapshot that the change made (none: nothing was
 * there), and release it. */
static void look(int next[WRITERS], const char *change)
{
	struct manifest_snapshot *list;
	struct store *view;
	size_t count, i;
	int w;

	ck_assert_int_eq(snapshot_list(t.store, &list, &count), 0);
	for (i = 0; i < count; i++) {
		if (!list[i].automatic)
			continue;
		ck_assert_int_eq(snapshot_acquire(&view, t.store,
						  list[i].number), 0);
		for (w = 0; w < WRITERS; w++)
			go_on(view, w, &next[w], change);
		snapshot_release(t.store, view);
		ck_assert_int_eq(snapshot_drop(t.store, list[i].name), 0);
	}
	mem_free(list);
}

static void change(struct cql_session *session, uint64_t choice,
		   int next[WRITERS])
{
	static const char *const changes[][2] = {
		{ "TRUNCATE k.t", NULL },
		{ "DROP TABLE k.t", TABLE },
		{ "ALTER TABLE k.t DROP v", "ALTER TABLE k.t ADD v int" },
		{ "restore", NULL },
	};
	const char *const *now = changes[choice];
	struct snapshot_part part = { .name = "s" };
	struct buf out = BUF_INIT;
	int err;

	if (choice < 3)
		err = try(session, now[0], &out);
	else
		err = snapshot_restore(t.store, &part, 0, &out);
	if (err)
		ck_abort_msg("%s: %s", now[0], buf_cstr(&out));
	look(next, now[0]);
	if (now[1] && try(session, now[1], &out))
		ck_abort_msg("%s: %s", now[1], buf_cstr(&out));
	buf_release(&out);
}

START_TEST(acknowledged_rows_are_in_the_table_or_the_snapshot)
{
	int i, rounds = test_scale(ROUNDS) + 8, next[WRITERS] = { 0 };
	struct random random = random_seeded(test_seed());
	struct store_options options;
	struct cql_session *session;
	pthread_t threads[WRITERS];
	struct buf out = BUF_INIT;

	store_options_init(&options);
	options.memtable_bytes = 1 << 18;	/* flushes come meanwhile */
	test_store_open_with(&t, &options);
	ck_assert_int_eq(cql_session_new(&session, t.store), 0);
	ck_assert_int_eq(try(session, TEST_KEYSPACE, &out), 0);
	ck_assert_int_eq(try(session, TABLE, &out), 0);
	ck_assert_int_eq(snapshot_create(t.store, "s", 0), 0);
	for (i = 0; i < WRITERS; i++)
		ck_assert(!pthread_create(&threads[i], NULL, write_rows,
					  (void *)(intptr_t)i));
	for (i = 0; i < rounds; i++)
		change(session, random_below(&random, 4), next);
	atomic_store(&stop, true);
	for (i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
		go_on(t.store, i, &next[i], "at last");
		ck_assert_int_eq(next[i], atomic_load(&acknowledged[i]));
		ck_assert_int_gt(next[i], 0);
	}
	cql_session_free(session);
	buf_release(&out);
	ck_assert_int_eq(store_verify(t.store, NULL, NULL), 0);
	test_store_close(&t);
}
END_TEST

SUITE_THREADS(snapshot_racing)
{
	TCase *tc = tcase_create("racing");

	tcase_set_timeout(tc, test_timeout());
	tcase_add_test(tc, acknowledged_rows_are_in_the_table_or_the_snapshot);
	suite_add_tcase(suite, tc);
}
