/* Files that wait for schema.cql are in the store as they are shown, whatever
 * threads change them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

#define FILES 50

struct toucher {
	struct tree tree;		/* with a text of its own */
	_Atomic int file;		/* that is written now; -1: none is */
	int err;
};

static const char *path_of(int i)
{
	static _Thread_local char path[64];

	snprintf(path, sizeof(path), "shop/later/p/r/c%d", i);
	return path;
}

static void *touch_files(void *context)
{
	struct toucher *t = context;
	int i, at = 0;

	while ((i = atomic_load(&t->file)) >= 0 && !t->err)
		t->err = tree_utimens(&t->tree, path_of(i), ++at);
	return NULL;
}

START_TEST(a_text_that_is_written_while_times_are_set_is_stored)
{
	struct toucher t = { .err = 0 };
	int round, i;

	ok(tree_mkdir(&shop, "shop/later"));
	ok(tree_mkdir(&shop, "shop/later/p"));
	ok(tree_mkdir(&shop, "shop/later/p/r"));
	for (round = 0; round < test_scale(40); round++) {
		pthread_t thread;
		char text[32];

		for (i = 0; i < FILES; i++)
			ok(tree_echo(&shop, path_of(i), CREATE, "before\n"));
		t.tree = shop;
		t.tree.text = BUF_INIT;
		atomic_store(&t.file, 0);
		ok(pthread_create(&thread, NULL, touch_files, &t));
		for (i = 0; i < FILES; i++) {
			atomic_store(&t.file, i);
			snprintf(text, sizeof(text), "%d %d\n", round, i);
			ok(tree_echo(&shop, path_of(i), CREATE, text));
		}
		atomic_store(&t.file, -1);
		pthread_join(thread, NULL);
		buf_release(&t.tree.text);
		ok(t.err);
		tree_reopen(&shop);
		for (i = 0; i < FILES; i++) {
			snprintf(text, sizeof(text), "%d %d\n", round, i);
			cat_is(path_of(i), text);
		}
	}
}
END_TEST

SUITE_THREADS(fs_waiting)
{
	TCase *tc = tcase_create("fs_waiting");

	tcase_set_timeout(tc, test_timeout());
	shop_fixture(tc);
	tcase_add_test(tc, a_text_that_is_written_while_times_are_set_is_stored);
	suite_add_tcase(suite, tc);
}
