/* Files that wait for schema.cql are in the store as they are shown, whatever
 * threads change them. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "fs/kind/adopt.h"
#include "fs/kind/waiting.h"
#include "fs/op/op.h"
#include "store/base/alloc.h"
#include "store/cql/cql.h"
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

/* Make the directories of a row that waits. */
static void make_row(void)
{
	ok(tree_mkdir(&shop, "shop/later"));
	ok(tree_mkdir(&shop, "shop/later/p"));
	ok(tree_mkdir(&shop, "shop/later/p/r"));
}

START_TEST(a_text_that_is_written_while_times_are_set_is_stored)
{
	struct toucher t = { .err = 0 };
	int round, i;

	make_row();
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

/* Change the mode by the number of a file, as fchmod does. On any thread. */
static int change_mode(struct fs_entry *entry, mode_t mode)
{
	struct fs_call call = { .uid = shop.call.uid, .gid = shop.call.gid };
	struct stat st = { .st_mode = mode };
	double timeout;

	return fs_setattr(shop.fs, &call, entry->node, 0, FS_SET_MODE, &st,
			  &timeout);
}

START_TEST(a_removed_file_does_not_come_back)
{
	struct fs_entry entry;

	make_row();
	ok(tree_echo(&shop, path_of(0), CREATE, "text\n"));
	ok(tree_walk(&shop, path_of(0), &entry));
	ok(tree_unlink(&shop, path_of(0)));
	change_mode(&entry, 0600);
	fs_forget(shop.fs, entry.node, 1);
	tree_reopen(&shop);
	is_gone(path_of(0));
}
END_TEST

START_TEST(a_replaced_file_does_not_come_back)
{
	struct fs_entry entry;

	make_row();
	ok(tree_echo(&shop, path_of(0), CREATE, "before\n"));
	ok(tree_echo(&shop, "shop/later/p/r/c1", CREATE, "after\n"));
	ok(tree_walk(&shop, path_of(0), &entry));
	ok(tree_rename(&shop, "shop/later/p/r/c1", path_of(0), 0));
	change_mode(&entry, 0600);
	fs_forget(shop.fs, entry.node, 1);
	ok(tree_utimens(&shop, path_of(0), 7));
	tree_reopen(&shop);
	cat_is(path_of(0), "after\n");
	is_gone("shop/later/p/r/c1");
}
END_TEST

struct replacing {
	struct op *op;
	struct waiting_list waiting;
};

static int adopt(void *context, struct table *from, struct table *to)
{
	struct replacing *r = context;

	return adopt_empty_table(r->op, from, to, &r->waiting);
}

START_TEST(files_that_wait_follow_the_table_that_took_the_place)
{
	struct replacing r = { .op = NULL };
	struct cql_session *session;
	struct cql_result *result;

	make_row();
	ok(tree_echo(&shop, "shop/later/p/r/v", CREATE, "text\n"));
	r.op = op_begin(shop.fs, &shop.call);
	ok(cql_session_new(&session, r.op->store));
	cql_session_adopt(session, adopt, &r);
	ok(cql_execute(session, bytes_str("CREATE TABLE shop.later (k text, c text, "
					  "v text, PRIMARY KEY (k, c))"), &result));
	cql_result_free(result);
	/* The new table is there; what waits is not in it yet. */
	ok(tree_rename(&shop, "shop/later", "shop/moved", 0));
	ok(tree_mkdir(&shop, "shop/later"));
	waiting_end(r.op, &r.waiting);
	cql_session_free(session);
	op_end(r.op, 0, NULL, NULL);
	cat_is("shop/moved/p/r/v", "text\n");
	is_gone("shop/later/p");
	ok(tree_mkdir(&shop, "shop/moved/p/other"));
	tree_reopen(&shop);
	cat_is("shop/moved/p/r/v", "text\n");
	is_gone("shop/later/p");
}
END_TEST

struct changer {
	struct fs_entry entry;
	_Atomic bool done;
};

static void *change_modes(void *context)
{
	struct changer *c = context;

	while (!atomic_load(&c->done))
		change_mode(&c->entry, 0600);
	return NULL;
}

START_TEST(a_file_that_is_removed_while_its_mode_changes_stays_away)
{
	int round;

	make_row();
	for (round = 0; round < test_scale(100); round++) {
		struct changer c = { .done = false };
		pthread_t thread;

		ok(tree_echo(&shop, path_of(round), CREATE, "text\n"));
		ok(tree_walk(&shop, path_of(round), &c.entry));
		ok(pthread_create(&thread, NULL, change_modes, &c));
		ok(tree_unlink(&shop, path_of(round)));
		atomic_store(&c.done, true);
		pthread_join(thread, NULL);
		fs_forget(shop.fs, c.entry.node, 1);
	}
	tree_reopen(&shop);
	while (round--)
		is_gone(path_of(round));
}
END_TEST

/* Return how a file that waits is shown: text, mode, time and end. */
static void show(struct buf *out)
{
	struct stat st = { .st_mode = 0 };
	const char *text;
	int err;

	buf_clear(out);
	if (tree_stat(&shop, path_of(0), &st))
		return;
	buf_add_format(out, "%o %lld ", st.st_mode,
		       (long long)st.st_mtim.tv_sec);
	text = tree_cat(&shop, path_of(0), &err);
	buf_add_str(out, text ? text : "none");
	text = tree_getxattr(&shop, path_of(0), "user.expires", &err);
	buf_add_str(out, text ? text : "never");
}

static int change_time(void)
{
	return tree_utimens(&shop, path_of(0), 7);
}

static int change_end(void)
{
	return tree_setxattr(&shop, path_of(0), "user.expires",
			     "2040-01-01T00:00:00.000Z");
}

static int change_text(void)
{
	return tree_echo(&shop, path_of(0), CREATE, "a longer text\n");
}

static int remove_file(void)
{
	return tree_unlink(&shop, path_of(0));
}

static int change_name(void)
{
	return tree_rename(&shop, path_of(0), "shop/later/p/r/other", 0);
}

/* Memory and the store agree, whatever fails. */
START_TEST(a_file_that_waits_is_stored_as_it_is_shown_without_memory)
{
	static int (*const changes[])(void) = {
		change_time, change_end, change_text, remove_file, change_name,
	};
	struct buf shown = BUF_INIT, stored = BUF_INIT;
	long nth = 0, failed;
	int err;

	make_row();
	do {
		tree_mkdir(&shop, "shop/later/p");	/* without files */
		tree_mkdir(&shop, "shop/later/p/r");	/* they are gone */
		ok(tree_echo(&shop, path_of(0), CREATE, "text\n"));
		ok(tree_utimens(&shop, path_of(0), 1));
		tree_unlink(&shop, "shop/later/p/r/other");
		mem_fail_at(++nth, 0);
		err = changes[_i]();
		failed = mem_failures();
		mem_fail_at(0, 0);
		ck_assert_msg(!err || err == -ENOMEM, "%ld: %d", nth, err);
		show(&shown);
		tree_reopen(&shop);
		show(&stored);
		ck_assert_msg(bytes_equal(buf_bytes(&shown), buf_bytes(&stored)),
			      "%ld: %s, stored %s", nth, buf_cstr(&shown),
			      buf_cstr(&stored));
	} while (failed);
	ck_assert_int_gt(nth, 3);
	buf_release(&shown);
	buf_release(&stored);
}
END_TEST

SUITE_THREADS(fs_waiting)
{
	TCase *tc = tcase_create("fs_waiting");

	tcase_set_timeout(tc, test_timeout());
	shop_fixture(tc);
	tcase_add_test(tc, a_text_that_is_written_while_times_are_set_is_stored);
	tcase_add_test(tc, a_removed_file_does_not_come_back);
	tcase_add_test(tc, files_that_wait_follow_the_table_that_took_the_place);
	tcase_add_test(tc, a_replaced_file_does_not_come_back);
	tcase_add_test(tc, a_file_that_is_removed_while_its_mode_changes_stays_away);
	tcase_add_loop_test(tc, a_file_that_waits_is_stored_as_it_is_shown_without_memory,
			    0, 5);
	suite_add_tcase(suite, tc);
}
