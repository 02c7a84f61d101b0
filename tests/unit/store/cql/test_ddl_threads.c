/* Statements of several sessions at once change one schema after the other. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "store/cql/cql.h"
#include "store/table/present.h"
#include "store/table/table.h"
#include "tests/lib/store.h"
#include "tests/unit/suite.h"

#define THREADS 3
#define TABLES 12
#define CHANGES 20

struct worker {
	struct store *store;
	int number, failures;
};

static int run(struct cql_session *session, const char *cql)
{
	struct cql_result *result;
	int err = cql_execute(session, bytes_str(cql), &result);

	cql_result_free(err ? NULL : result);
	return err;
}

/* Make changes of a table while it gets its next version. Returns how many
 * failed. */
static int change(struct cql_session *session)
{
	int failures = 0;

	for (int i = 0; i < CHANGES; i++) {
		failures += run(session, "UPDATE k.shared SET m = m + {1: 1, "
				"2: 2} WHERE k = 1") != 0;
		failures += run(session, "UPDATE k.shared SET m = m - {1} "
				"WHERE k = 1") != 0;
	}
	return failures;
}

/* Tables of its own, a column of the table of all, and one race that any may
 * win: exactly one index of that name. */
static void *work(void *context)
{
	struct worker *w = context;
	struct cql_session *session;
	char text[200];

	if (cql_session_new(&session, w->store)) {
		w->failures++;
		return NULL;
	}
	for (int i = 0; i < TABLES; i++) {
		snprintf(text, sizeof(text), "CREATE TABLE k.t%d_%d (k int "
			 "PRIMARY KEY, v frozen<k.u>)", w->number, i);
		w->failures += run(session, text) != 0;
		snprintf(text, sizeof(text), "ALTER TABLE k.shared ADD c%d_%d "
			 "int", w->number, i);
		w->failures += run(session, text) != 0;
		snprintf(text, sizeof(text), "ALTER TYPE k.u ADD f%d_%d int",
			 w->number, i);
		w->failures += run(session, text) != 0;
		w->failures += run(session, "CREATE INDEX IF NOT EXISTS i ON "
					    "k.shared (v)") != 0;
		w->failures += change(session);
		w->failures += run(session, "DESCRIBE KEYSPACE k") != 0;
	}
	cql_session_free(session);
	return NULL;
}

START_TEST(no_change_is_lost)
{
	pthread_t threads[THREADS];
	struct worker workers[THREADS];
	struct cql_session *session;
	struct test_store store;
	struct schema *schema;
	struct keyspace *k;
	struct table *shared;

	test_store_open(&store);
	ck_assert_int_eq(cql_session_new(&session, store.store), 0);
	ck_assert_int_eq(run(session, "CREATE KEYSPACE k WITH replication = "
				      "{'class': 'SimpleStrategy'}"), 0);
	ck_assert_int_eq(run(session, "CREATE TYPE k.u (a int)"), 0);
	ck_assert_int_eq(run(session, "CREATE TABLE k.shared (k int PRIMARY "
				      "KEY, v int, m map<int, int>)"), 0);
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ store.store, i, 0 };
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work,
						&workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_int_eq(workers[i].failures, 0);
	}
	cql_session_free(session);
	test_store_reopen(&store);
	schema = store_schema(store.store);
	k = schema_keyspace(schema, bytes_str("k"));
	ck_assert_uint_eq(k->table_count, THREADS * TABLES + 1);
	shared = keyspace_table(k, bytes_str("shared"));
	ck_assert_uint_eq(shared->column_count, THREADS * TABLES + 3);
	ck_assert_uint_eq(shared->index_count, 1);
	for (uint32_t i = 0; i < k->table_count; i++) {
		if (k->tables[i] == shared)
			continue;
		/* Whichever was made first, all have the last version. */
		ck_assert_uint_eq(k->tables[i]->columns[1].type->part_count,
				  THREADS * TABLES + 1);
	}
	schema_put(schema);
	test_store_close(&store);
}
END_TEST

struct dropper {
	struct cql_session *session;
	_Atomic bool done;
	int err;
};

static void *drop_column(void *context)
{
	struct dropper *me = context;

	me->err = run(me->session, "ALTER TABLE k.t DROP v");
	me->done = true;
	return NULL;
}

/* One cell of the row (1, v), and its place. */
struct one {
	struct table *t;
	const struct column *v;
	struct bytes key, none;
};

static void write_one(struct one *one, struct write *w, struct store *s)
{
	write_row(w, one->t, one->key, &one->none);
	write_cell(w, one->v, BYTES_NULL, bytes_str("late"), store_timestamp(s),
		   0);
}

/*
 * A column goes while it is written to, and is added again: what was written
 * before (_i 0: while the DROP waits for it), or in the face of the column's
 * end (_i 1), does not show.
 */
START_TEST(a_dropped_column_shows_no_late_writes)
{
	struct dropper dropper = { .err = 0 };
	struct arena arena = ARENA_INIT;
	struct one one = { .key = bytes_str("1"), .none = BYTES_EMPTY };
	struct partition_ref ref;
	struct test_store store;
	struct table *now;
	struct cell_view cell;
	pthread_t thread;
	struct write w;
	int ms;

	test_store_open(&store);
	ck_assert_int_eq(cql_session_new(&dropper.session, store.store), 0);
	ck_assert_int_eq(run(dropper.session, "CREATE KEYSPACE k WITH "
			     "replication = {'class': 'SimpleStrategy'}"), 0);
	ck_assert_int_eq(run(dropper.session, "CREATE TABLE k.t (k text PRIMARY "
			     "KEY, v text, w text)"), 0);
	ck_assert_int_eq(run(dropper.session, "INSERT INTO k.t (k, v, w) VALUES "
			     "('1', 'a', 'b')"), 0);
	one.t = test_table(store.store, "k", "t");
	one.v = &one.t->columns[table_column(one.t, bytes_str("v"))];
	ref = (struct partition_ref){ one.t, one.key };
	write_init(&w, store.store);
	if (_i == 0)
		write_lock(&w, &ref, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, drop_column, &dropper),
			 0);
	for (ms = _i == 0 ? 100 : 10000; ms && !dropper.done; ms--)
		usleep(1000);
	ck_assert_int_eq(dropper.done, _i == 1);
	if (_i == 1)
		write_lock(&w, &ref, 1);
	write_one(&one, &w, store.store);
	ck_assert_int_eq(commit_write(&w), _i == 0 ? 0 : -ESTALE);
	write_release(&w);
	pthread_join(thread, NULL);
	ck_assert_int_eq(dropper.err, 0);
	ck_assert_int_eq(run(dropper.session, "ALTER TABLE k.t ADD v text"), 0);
	now = test_table(store.store, "k", "t");
	ck_assert_int_eq(table_read_cell(store.store, now, one.key, &one.none,
			&now->columns[table_column(now, bytes_str("v"))],
			BYTES_NULL, 0, &arena, &cell), 0);
	/* Later changes do. */
	ck_assert_int_eq(run(dropper.session, "UPDATE k.t SET v = 'c' WHERE k "
			     "= '1'"), 0);
	ck_assert_int_eq(table_read_cell(store.store, now, one.key, &one.none,
			&now->columns[table_column(now, bytes_str("v"))],
			BYTES_NULL, 0, &arena, &cell), 1);
	ck_assert(bytes_equal(cell.value, bytes_str("c")));
	arena_release(&arena);
	table_put(now);
	table_put(one.t);
	cql_session_free(dropper.session);
	test_store_close(&store);
}
END_TEST

SUITE_THREADS(ddl_threads)
{
	TCase *tc = tcase_create("ddl");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, no_change_is_lost);
	tcase_add_loop_test(tc, a_dropped_column_shows_no_late_writes, 0, 2);
	suite_add_tcase(suite, tc);
}
