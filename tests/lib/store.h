/*
 * Stores for tests: each in a directory of its own below $TMPDIR (or /tmp),
 * removed when it is closed. Failures end the test.
 */
#ifndef TESTS_LIB_STORE_H
#define TESTS_LIB_STORE_H
#include "store/schema/schema_edit.h"
#include "store/store.h"
#include "store/table/table.h"

struct test_store {
	struct store *store;
	char path[128];
	struct store_options options;
};
/* The statement that makes the keyspace k. */
#define TEST_KEYSPACE                                                         \
	"CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', "   \
	"'replication_factor': 1}"

/* Make a store without threads: it flushes and compacts only when it is told
 * to. */
void test_store_open(struct test_store *t);
/* The same with options, in which create is set. */
void test_store_open_with(struct test_store *t,
			  const struct store_options *options);
/* Open the store of these files (a simulated disk's), without threads; create:
 * make it. Returns as store_open. */
int test_store_open_on(struct store **out, const struct file_ops *files,
		       bool create);
/* Copy the store in a directory of the source tree; the files' modes are new.
 * The second opens the copy too. */
void test_store_copy(struct test_store *t, const char *from);
void test_store_open_copy(struct test_store *t, const char *from);
/* Close the store and open it again: the memtables come back from the log. */
void test_store_reopen(struct test_store *t);
/* Close the store, if it is open, and remove its directory. */
void test_store_close(struct test_store *t);
/* Return a path that does not exist yet; the caller removes it by
 * remove_tree. */
void test_path(char path[128]);
void remove_tree(const char *path);

/* Commit a write as commit_write, with the locks for it. */
int test_write(struct write *w);

/* Make or replace a keyspace or table by store_edit_schema; a reference is
 * taken over. Returns a reference to the new table. */
void test_add_keyspace(struct store *s, const char *name);
struct table *test_add_table(struct store *s, struct table *table);
void test_drop_table(struct store *s, const char *keyspace, const char *name);
struct table *test_table(struct store *s, const char *keyspace,
			 const char *name);
#endif
