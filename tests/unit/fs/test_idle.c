/* The nodes that the kernel is asked to drop: those that only it holds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs/node/idle.h"
#include "fs/node/kind.h"
#include "fs/node/timer.h"
#include "tests/unit/suite.h"

static const struct node_ops directory = { .kind = "dir", .directory = true };
static const struct node_ops file = { .kind = "file" };

static struct node_table t;

static void begin(void)
{
	ck_assert_int_eq(node_table_init(&t, NULL, 77), 0);
}

static void end(void)
{
	node_table_release(&t);
}

/* Make a node that the kernel looked up. */
static struct node *make(struct node *parent, const struct node_ops *ops,
			 int number)
{
	char name[16];
	int len = snprintf(name, sizeof(name), "%d", number);
	struct node_key key = { .parent = parent, .ops = ops,
				.name = bytes_of(name, (size_t)len),
				.value = BYTES_EMPTY };
	struct node *n = node_make(&t, &key);

	ck_assert_ptr_nonnull(n);
	node_count(n);
	node_put(&t, n);
	return n;
}

static void make_many(struct node **out, int count)
{
	int i;

	for (i = 0; i < count; i++)
		out[i] = make(t.root, &file, i);
}

START_TEST(the_oldest_come_first)
{
	struct node *n[1000];
	uint64_t ids[FS_IDLE_NODES];
	size_t i, round, first = 0;

	make_many(n, 1000);
	t.max = 800;
	for (round = 0; round < 2; round++) {
		size_t count = idle_choose(&t, false, ids, 60);

		ck_assert_uint_eq(count, 60);
		for (i = 0; i < count; i++)
			ck_assert_uint_eq(ids[i], n[first + i]->id);
		first += count;
	}
	/* No more are chosen than are above the bound. */
	for (i = 0; i < first; i++)
		node_forget(&t, n[i]->id, 1);
	ck_assert_uint_eq(idle_choose(&t, false, ids, FS_IDLE_NODES), 80);
	ck_assert_uint_eq(ids[0], n[first]->id);
}
END_TEST

START_TEST(below_the_bound_none_is_asked_for)
{
	struct node *n[200];
	uint64_t ids[FS_IDLE_NODES];

	make_many(n, 200);
	t.max = 200;
	ck_assert(!idle_are_many(&t));
	ck_assert(!idle_is_due(&t));
	ck_assert_uint_eq(idle_choose(&t, false, ids, FS_IDLE_NODES), 0);
	t.max = 0;
	ck_assert(!idle_is_due(&t));
}
END_TEST

START_TEST(the_kernel_is_not_asked_again_without_new_nodes)
{
	int i, asked = 0;

	t.max = 100;
	for (i = 0; i < 1000; i++) {
		make(t.root, &file, i);
		asked += idle_is_due(&t);
	}
	ck_assert_int_ge(asked, 900 / FS_IDLE_NODES);
	ck_assert_int_le(asked, 900 / (FS_IDLE_NODES / 2) + 1);
	for (i = 0; i < FS_IDLE_NODES / 2; i++)
		make(t.root, &file, 1000 + i);
	ck_assert(idle_is_due(&t));
	ck_assert(!idle_is_due(&t));
}
END_TEST

/* True if n is chosen within two rounds of the search. */
static bool is_chosen(const struct node *n)
{
	uint64_t ids[FS_IDLE_NODES];
	bool chosen = false;
	size_t i, round, count;

	for (round = 0; round < 4096; round++) {
		count = idle_choose(&t, false, ids, 1);
		for (i = 0; i < count; i++)
			chosen |= ids[i] == n->id;
	}
	return chosen;
}

START_TEST(nodes_that_others_hold_are_left)
{
	struct node *n[10], *above, *below, *counted;
	uint64_t ids[FS_IDLE_NODES] = { 0 };
	size_t i;

	make_many(n, 10);
	above = make(t.root, &directory, 10);
	below = make(above, &file, 0);
	counted = make(t.root, &file, 11);
	node_count(counted);
	t.max = 7;
	node_get(n[1]);				/* an open file */
	node_keep(n[2]);			/* in memory alone */
	atomic_store(&n[3]->mtime_ns, 1);	/* times to come */
	atomic_fetch_or(&n[4]->flags, NODE_HIDDEN);
	atomic_fetch_or(&n[5]->flags, NODE_NO_KEY_FILE);
	ck_assert(is_chosen(n[0]));
	ck_assert(!is_chosen(n[1]));
	ck_assert(!is_chosen(n[2]));
	ck_assert(!is_chosen(n[3]));
	ck_assert(!is_chosen(n[4]));
	ck_assert(!is_chosen(n[5]));
	ck_assert(!is_chosen(above));
	ck_assert(is_chosen(below));
	node_forget(&t, below->id, 1);
	ck_assert(is_chosen(counted));
	node_put(&t, n[1]);
	node_unkeep(&t, n[2]);
	ck_assert(is_chosen(n[1]));
	ck_assert(is_chosen(n[2]));
	ck_assert(is_chosen(above));
	ck_assert_uint_gt(idle_choose(&t, true, ids, FS_IDLE_NODES), 0);
	for (i = 0; i < FS_IDLE_NODES; i++)
		ck_assert_uint_ne(ids[i], above->id);
}
END_TEST

START_TEST(a_directory_waits_for_its_maker)
{
	struct node *n[20], *dir = make(t.root, &directory, 20);
	struct node *in = make(dir, &file, 0);
	pid_t maker = fork();

	ck_assert_int_ge(maker, 0);
	if (!maker) {
		pause();
		_exit(0);
	}
	atomic_store(&dir->maker_pid, maker);
	make_many(n, 20);
	t.max = 15;
	ck_assert(!is_chosen(in));
	node_forget(&t, in->id, 1);
	ck_assert(!is_chosen(dir));
	t.max = 10;	/* twice the bound is too much */
	ck_assert(is_chosen(dir));
	t.max = 15;
	kill(maker, SIGKILL);
	waitpid(maker, NULL, 0);
	ck_assert(is_chosen(dir));
	atomic_store(&n[0]->maker_pid, getpid());
	ck_assert(is_chosen(n[0]));
}
END_TEST

/* Walk through cells that end in a day, again and again: only entries of nodes
 * that were freed are dropped. */
START_TEST(the_timer_forgets_nodes_that_were_dropped)
{
	struct timers timers = { .count = 0 };
	struct node *stays = make(t.root, &file, -1), *due;
	int64_t next_s;
	int i;

	timers_init(&timers);
	timer_add(&timers, &t, stays, 50000);
	for (i = 0; i < 10000; i++) {
		struct node *n = make(t.root, &file, i);

		timer_add(&timers, &t, n, 100000 - i);
		node_forget(&t, n->id, 1);
	}
	ck_assert_uint_le(timers.cap, 64);
	due = timer_due(&timers, &t, 100000, &next_s);
	ck_assert_ptr_eq(due, stays);
	node_put(&t, due);
	ck_assert_ptr_null(timer_due(&timers, &t, 100000, &next_s));
	/* The others come in their order. */
	for (i = 0; i < 1000; i++)
		timer_add(&timers, &t, make(t.root, &file, i),
			  1 + i * 7919 % 1000);
	for (i = 1; i <= 1000; i++) {
		due = timer_due(&timers, &t, i, &next_s);
		ck_assert_ptr_nonnull(due);
		node_put(&t, due);
		ck_assert_ptr_null(timer_due(&timers, &t, i, &next_s));
	}
	timers_release(&timers);
}
END_TEST

static _Atomic bool stop;

static void *choose_always(void *context)
{
	uint64_t ids[FS_IDLE_NODES];
	size_t i, count;

	(void)context;
	while (!atomic_load(&stop)) {
		count = idle_choose(&t, false, ids, FS_IDLE_NODES);
		for (i = 0; i < count; i++)
			node_forget(&t, ids[i], 1);
	}
	return NULL;
}

static void *make_always(void *context)
{
	unsigned seed = *(unsigned *)context;
	int i;

	for (i = 0; i < test_scale(20000); i++)
		make(t.root, &directory, (int)(rand_r(&seed) % 5000));
	return NULL;
}

START_TEST(threads_make_while_one_chooses)
{
	unsigned seeds[] = { 1, 2 };
	pthread_t makers[2], chooser;
	int i;

	t.max = 500;
	atomic_store(&stop, false);
	pthread_create(&chooser, NULL, choose_always, NULL);
	for (i = 0; i < 2; i++)
		pthread_create(&makers[i], NULL, make_always, &seeds[i]);
	for (i = 0; i < 2; i++)
		pthread_join(makers[i], NULL);
	atomic_store(&stop, true);
	pthread_join(chooser, NULL);
}
END_TEST

SUITE_THREADS(idle)
{
	TCase *tc = tcase_create("idle");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, the_oldest_come_first);
	tcase_add_test(tc, below_the_bound_none_is_asked_for);
	tcase_add_test(tc, the_kernel_is_not_asked_again_without_new_nodes);
	tcase_add_test(tc, nodes_that_others_hold_are_left);
	tcase_add_test(tc, a_directory_waits_for_its_maker);
	tcase_add_test(tc, the_timer_forgets_nodes_that_were_dropped);
	tcase_add_test(tc, threads_make_while_one_chooses);
	suite_add_tcase(suite, tc);
}
