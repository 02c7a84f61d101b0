/* Helpers that the tests of snapshots share. Failures end the test. */
#ifndef TESTS_LIB_SNAPSHOTS_H
#define TESTS_LIB_SNAPSHOTS_H
#include "tests/lib/store.h"

/* Set the clock to a fixed time, and open a store; close it, and let the clock
 * go on. */
void snapshots_open(struct test_store *t);
void snapshots_close(struct test_store *t);
/* Run a statement, which must not fail; root's, or that user's. */
void snapshots_run(struct store *s, const char *statement);
void snapshots_run_as(struct store *s, uid_t uid, const char *statement);
/* Compare the answer of the store, which may be an error, with the wanted one. */
void snapshots_answer(struct store *s, const char *statement,
		      const char *wanted);
/* Restore by snapshot_restore, which must return `wanted` and tell why. */
void snapshots_restore(struct store *s, const char *name, const char *keyspace,
		       const char *table, int wanted);
/* Restore all of it for that user, which must not fail. */
void snapshots_restore_as(struct store *s, uid_t uid, const char *name);
#endif
