/*
 * Stores for tests: each in a directory of its own below $TMPDIR (or /tmp),
 * removed when it is closed. Failures end the test.
 */
#ifndef TESTS_LIB_STORE_H
#define TESTS_LIB_STORE_H
#include "store/schema/schema_edit.h"
#include "store/store.h"
#include "store/table/table.h"

struct sim;

struct test_store {
	struct store *store;
	char path[128];
	struct store_options options;
};
/* A new store without threads: flushes and compactions when told. */
void test_store_open(struct test_store *t);
/* With options; create is set. */
void test_store_open_with(struct test_store *t,
			  const struct store_options *options);
/* Open the store of a simulated disk, without threads; create: or make it. As
 * store_open. */
int test_store_open_on(struct store **out, struct sim *disk, bool create);
/* A copy of the store in a directory of the tree's (its files' modes are the
 * copy's own), not opened or opened. */
void test_store_copy(struct test_store *t, const char *from);
void test_store_open_copy(struct test_store *t, const char *from);
/* Close and open again: what was in memory comes from the log. */
void test_store_reopen(struct test_store *t);
/* Close (what is open) and remove the directory. */
void test_store_close(struct test_store *t);
/* A path that does not exist yet; its owner removes it with remove_tree. */
void test_path(char path[128]);
void remove_tree(const char *path);

/* commit_write for who writes alone: locks what was collected. */
int test_write(struct write *w);

/* Make or replace by store_edit_schema. Takes over the reference. The table
 * that is in force then: a reference. */
void test_add_keyspace(struct store *s, const char *name);
struct table *test_add_table(struct store *s, struct table *table);
void test_drop_table(struct store *s, const char *keyspace, const char *name);
struct table *test_table(struct store *s, const char *keyspace,
			 const char *name);
#endif
