/* The background threads: order, once each, pauses and the end. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "store/lsm/worker.h"
#include "tests/unit/suite.h"

struct job {
	struct work work;
	struct worker *worker;
	enum worker_queue queue;
	char name;
	int again;		/* add itself so often */
};

static char order[100];		/* names in the order of running */
static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;

static void note(struct work *work)
{
	struct job *job = (struct job *)work;
	size_t len;

	pthread_mutex_lock(&order_lock);
	len = strlen(order);
	order[len] = job->name;
	order[len + 1] = 0;
	pthread_mutex_unlock(&order_lock);
	if (job->again-- > 0)
		worker_add(job->worker, job->queue, work);
}

static struct job job_of(struct worker *w, enum worker_queue queue, char name)
{
	order[0] = 0;
	return (struct job){ WORK_INIT(note), w, queue, name, 0 };
}

START_TEST(works_run_once_and_in_order)	/* _i: with threads or not */
{
	struct worker *w;
	struct job a, b, c;

	ck_assert_int_eq(worker_new(&w, _i), 0);
	a = job_of(w, WORKER_FLUSH, 'a');
	b = job_of(w, WORKER_FLUSH, 'b');
	c = job_of(w, WORKER_FLUSH, 'c');
	worker_pause(w, WORKER_FLUSH);
	ck_assert(worker_add(w, WORKER_FLUSH, &a.work));
	ck_assert(worker_add(w, WORKER_FLUSH, &b.work));
	ck_assert(!worker_add(w, WORKER_FLUSH, &a.work));
	ck_assert(worker_add(w, WORKER_FLUSH, &c.work));
	worker_drain(w);		/* nothing: it is paused */
	ck_assert_str_eq(order, "");
	worker_resume(w, WORKER_FLUSH);
	worker_drain(w);
	ck_assert_str_eq(order, "abc");
	ck_assert(worker_add(w, WORKER_FLUSH, &b.work));
	worker_drain(w);
	ck_assert_str_eq(order, "abcb");
	worker_free(w);
}
END_TEST

START_TEST(a_work_may_add_itself)
{
	struct worker *w;
	struct job a, b;

	ck_assert_int_eq(worker_new(&w, _i), 0);
	a = job_of(w, WORKER_COMPACTION, 'a');
	b = job_of(w, WORKER_COMPACTION, 'b');
	a.again = 2;
	worker_pause(w, WORKER_COMPACTION);
	worker_add(w, WORKER_COMPACTION, &a.work);
	worker_add(w, WORKER_COMPACTION, &b.work);
	worker_resume(w, WORKER_COMPACTION);
	worker_drain(w);
	ck_assert_str_eq(order, "abaa");
	worker_free(w);
}
END_TEST

START_TEST(a_removed_work_does_not_run)
{
	struct worker *w;
	struct job a, b;

	ck_assert_int_eq(worker_new(&w, _i), 0);
	a = job_of(w, WORKER_FLUSH, 'a');
	b = job_of(w, WORKER_FLUSH, 'b');
	worker_pause(w, WORKER_FLUSH);
	worker_add(w, WORKER_FLUSH, &a.work);
	worker_add(w, WORKER_FLUSH, &b.work);
	worker_remove(w, &b.work);
	worker_remove(w, &b.work);
	worker_resume(w, WORKER_FLUSH);
	worker_drain(w);
	ck_assert_str_eq(order, "a");
	worker_add(w, WORKER_FLUSH, &b.work);
	worker_drain(w);
	ck_assert_str_eq(order, "ab");
	worker_free(w);
}
END_TEST

START_TEST(a_delayed_work_waits)
{
	struct worker *w;
	struct job a, b;

	ck_assert_int_eq(worker_new(&w, _i), 0);
	a = job_of(w, WORKER_FLUSH, 'a');
	b = job_of(w, WORKER_FLUSH, 'b');
	ck_assert(worker_add_after(w, WORKER_FLUSH, &a.work, 3600000));
	ck_assert(worker_add(w, WORKER_FLUSH, &b.work));
	worker_drain(w);
	ck_assert_str_eq(order, "b");
	ck_assert(!worker_add(w, WORKER_FLUSH, &a.work));
	worker_drain(w);		/* sooner now */
	ck_assert_str_eq(order, "ba");
	ck_assert(worker_add_after(w, WORKER_FLUSH, &a.work, 3600000));
	worker_free(w);			/* forgets it */
	ck_assert_str_eq(order, "ba");
	ck_assert(!a.work.waiting);
}
END_TEST

static void ring(struct work *work)
{
	struct job *job = (struct job *)work;

	pthread_mutex_lock(&order_lock);
	job->again = 1;
	pthread_mutex_unlock(&order_lock);
}

START_TEST(a_delay_passes)
{
	struct worker *w;
	struct job a;
	int rang = 0;

	ck_assert_int_eq(worker_new(&w, false), 0);
	a = job_of(w, WORKER_LOG, 'a');
	a.work.run = ring;
	worker_add_after(w, WORKER_LOG, &a.work, 2);
	while (!rang) {			/* the test's time-out bounds it */
		pthread_mutex_lock(&order_lock);
		rang = a.again;
		pthread_mutex_unlock(&order_lock);
	}
	worker_free(w);
}
END_TEST

struct gate {
	struct work work;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool inside, open;
};

static void pass_gate(struct work *work)
{
	struct gate *gate = (struct gate *)work;

	pthread_mutex_lock(&gate->lock);
	gate->inside = true;
	pthread_cond_broadcast(&gate->changed);
	while (!gate->open)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

START_TEST(a_flush_does_not_wait_for_a_compaction)
{
	struct gate gate = { WORK_INIT(pass_gate), PTHREAD_MUTEX_INITIALIZER,
			     PTHREAD_COND_INITIALIZER, false, false };
	struct gate flush = gate;
	struct worker *w;

	ck_assert_int_eq(worker_new(&w, false), 0);
	flush.open = true;
	worker_add(w, WORKER_COMPACTION, &gate.work);
	pthread_mutex_lock(&gate.lock);
	while (!gate.inside)
		pthread_cond_wait(&gate.changed, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
	worker_add(w, WORKER_FLUSH, &flush.work);
	pthread_mutex_lock(&flush.lock);
	while (!flush.inside)
		pthread_cond_wait(&flush.changed, &flush.lock);
	pthread_mutex_unlock(&flush.lock);
	pthread_mutex_lock(&gate.lock);
	gate.open = true;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.lock);
	worker_drain(w);
	worker_free(w);
}
END_TEST

SUITE(worker)
{
	TCase *tc = tcase_create("worker");

	tcase_add_loop_test(tc, works_run_once_and_in_order, 0, 2);
	tcase_add_loop_test(tc, a_work_may_add_itself, 0, 2);
	tcase_add_loop_test(tc, a_removed_work_does_not_run, 0, 2);
	tcase_add_loop_test(tc, a_delayed_work_waits, 0, 2);
	tcase_add_test(tc, a_delay_passes);
	tcase_add_test(tc, a_flush_does_not_wait_for_a_compaction);
	suite_add_tcase(suite, tc);
}
