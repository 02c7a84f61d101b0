/* Calls that look at something and then change it, beside others that change it
 * meanwhile: neither is lost. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "fs/op/op.h"
#include "store/lsm/lsm.h"
#include "tests/lib/shop.h"
#include "tests/unit/suite.h"

#define ROUNDS 200

/* Tables, and the first row of each: a file in a directory, or a directory. */
static const struct table_case {
	const char *statement;		/* NULL: mkdir */
	const char *directory, *file;
} tables[] = {
	{ NULL, "shop/t/r", "shop/t/r/f" },
	{ "CREATE TABLE shop.t (k text PRIMARY KEY, v text);", "shop/t/r",
	  NULL },
};

/* A call in a thread of its own. */
struct caller {
	struct tree tree;	/* with a text of its own */
	const struct table_case *table;
	pthread_barrier_t *begin;	/* or NULL */
	pthread_t thread;
	int err;
};

static void make_table(const struct table_case *c)
{
	if (c->statement)
		tree_run(&shop, c->statement);
	else
		ok(tree_mkdir(&shop, "shop/t"));
}

static void *give_row(void *context)
{
	struct caller *c = context;

	if (c->begin)
		pthread_barrier_wait(c->begin);
	c->err = tree_mkdir(&c->tree, c->table->directory);
	if (!c->err && c->table->file)
		c->err = tree_echo(&c->tree, c->table->file, CREATE, "text\n");
	return NULL;
}

static void *remove_table(void *context)
{
	struct caller *c = context;

	c->err = tree_rmdir(&c->tree, "shop/t");
	return NULL;
}

static void start(struct caller *c, const struct table_case *table,
		  pthread_barrier_t *begin, void *call(void *))
{
	*c = (struct caller){ .tree = shop, .table = table, .begin = begin };
	c->tree.text = BUF_INIT;
	ok(pthread_create(&c->thread, NULL, call, c));
}

static int finish(struct caller *c)
{
	pthread_join(c->thread, NULL);
	buf_release(&c->tree.text);
	return c->err;
}

static uint64_t reads_of(const struct table *t)
{
	struct lsm_table_stats stats;

	store_table_stats(shop.store.store, (struct table *)t, &stats);
	return stats.reads;
}

static void is_there(const struct table_case *c)
{
	struct stat st;

	ok(tree_stat(&shop, c->directory, &st));
	if (c->file)
		cat_is(c->file, "text\n");
}

struct between {
	const struct table_case *table;
	struct caller remover;
};

/* Change nothing, but while no other can change the schema, write a row after the
 * remover has looked for one. */
static int write_between(void *context, const struct schema *now,
			 struct schema **next)
{
	struct between *b = context;
	const struct table *t = schema_table(now, bytes_str("shop"),
					     bytes_str("t"));
	uint64_t before = reads_of(t);
	struct caller writer;

	(void)next;
	start(&b->remover, b->table, NULL, remove_table);
	while (reads_of(t) == before)
		sched_yield();
	start(&writer, b->table, NULL, give_row);
	return finish(&writer);
}

START_TEST(a_row_that_comes_before_the_drop_keeps_its_table)
{
	struct between b = { .table = &tables[_i] };

	make_table(b.table);
	ok(store_edit_schema(shop.store.store, write_between, &b, 0));
	fails(ENOTEMPTY, finish(&b.remover));
	is_there(b.table);
}
END_TEST

START_TEST(a_row_is_refused_or_keeps_its_table)
{
	const struct table_case *c = &tables[_i];
	int i, rounds = test_scale(ROUNDS), err;
	pthread_barrier_t begin;
	struct caller writer;

	ok(pthread_barrier_init(&begin, NULL, 2));
	for (i = 0; i < rounds; i++) {
		make_table(c);
		start(&writer, c, &begin, give_row);
		pthread_barrier_wait(&begin);
		err = tree_rmdir(&shop, "shop/t");
		finish(&writer);
		ck_assert_msg(!err || err == -ENOTEMPTY, "%d: %d", i, err);
		ck_assert_msg(!err != !writer.err, "%d: %d %d", i, err,
			      writer.err);
		if (!err)
			continue;
		is_there(c);
		if (c->file)
			ok(tree_unlink(&shop, c->file));
		ok(tree_rmdir(&shop, c->directory));
		ok(tree_rmdir(&shop, "shop/t"));
	}
	pthread_barrier_destroy(&begin);
}
END_TEST

static void *make_first_table(void *context)
{
	struct caller *c = context;

	pthread_barrier_wait(c->begin);
	c->err = tree_mkdir(&c->tree, "later/t");
	return NULL;
}

START_TEST(a_table_is_refused_or_keeps_its_keyspace)
{
	int i, rounds = test_scale(ROUNDS), err;
	pthread_barrier_t begin;
	struct caller maker;

	ok(pthread_barrier_init(&begin, NULL, 2));
	for (i = 0; i < rounds; i++) {
		ok(tree_mkdir(&shop, "later"));
		start(&maker, NULL, &begin, make_first_table);
		pthread_barrier_wait(&begin);
		err = tree_rmdir(&shop, "later");
		finish(&maker);
		ck_assert_msg(!err || err == -ENOTEMPTY, "%d: %d", i, err);
		ck_assert_msg(!err != !maker.err, "%d: %d %d", i, err,
			      maker.err);
		if (!err)
			continue;
		ok(tree_rmdir(&shop, "later/t"));
		ok(tree_rmdir(&shop, "later"));
	}
	pthread_barrier_destroy(&begin);
}
END_TEST

SUITE_THREADS(fs_racing)
{
	TCase *tc = tcase_create("racing");
	int count = (int)ARRAY_SIZE(tables);

	tcase_set_timeout(tc, test_timeout());
	shop_fixture(tc);
	tcase_add_loop_test(tc, a_row_that_comes_before_the_drop_keeps_its_table,
			    0, count);
	tcase_add_loop_test(tc, a_row_is_refused_or_keeps_its_table, 0, count);
	tcase_add_test(tc, a_table_is_refused_or_keeps_its_keyspace);
	suite_add_tcase(suite, tc);
}
