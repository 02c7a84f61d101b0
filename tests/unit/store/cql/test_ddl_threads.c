/* Statements of several sessions at once change one schema after the other. */
#include <pthread.h>
#include <stdio.h>

#include "store/cql/cql.h"
#include "store/table/present.h"
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

/* What a change has of its table while the table gets its next version. */
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

SUITE_THREADS(ddl_threads)
{
	TCase *tc = tcase_create("ddl");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, no_change_is_lost);
	suite_add_tcase(suite, tc);
}
