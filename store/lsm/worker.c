/*
 * One lock for all; works are few and long. Each thread sleeps until the first
 * work of its queue is due. Queues are lists in the order of adding; a delayed
 * work lies in the same list and is passed over until its time.
 */
#include "store/lsm/worker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "store/base/alloc.h"
#include "store/base/clock.h"

struct queue {			/* all under the worker's lock */
	struct worker *worker;
	pthread_t thread;
	bool started;
	struct work *first, *last;
	struct work *running;
	unsigned paused;
	pthread_cond_t wake;	/* something was added, or the end */
};

struct worker {
	pthread_mutex_t lock;
	pthread_cond_t idle;	/* a work ended, or something changed */
	bool no_threads;
	atomic_bool ending;
	struct queue queues[WORKER_QUEUES];
};

/* ----------------------------------------------------------------- queue */
/* Return the first work that is due, or NULL; *wait_ns: until the next is due
 * (UINT64_MAX: none). */
static struct work *first_due(const struct queue *q, uint64_t *wait_ns)
{
	uint64_t now = clock_monotonic_ns();
	struct work *work;

	*wait_ns = UINT64_MAX;
	if (q->paused)
		return NULL;
	for (work = q->first; work; work = work->next) {
		if (work->due_ns <= now)
			return work;
		if (work->due_ns - now < *wait_ns)
			*wait_ns = work->due_ns - now;
	}
	return NULL;
}

static void take_out(struct queue *q, struct work *work)
{
	struct work **at = &q->first, *before = NULL;

	while (*at != work) {
		before = *at;
		at = &before->next;
	}
	*at = work->next;
	if (q->last == work)
		q->last = before;
	work->next = NULL;
	work->waiting = false;
}

/* Run one work of the queue; the lock is released meanwhile. */
static void run_one(struct worker *w, struct queue *q, struct work *work)
{
	take_out(q, work);
	q->running = work;
	pthread_mutex_unlock(&w->lock);
	work->run(work);		/* may be gone afterwards */
	pthread_mutex_lock(&w->lock);
	q->running = NULL;
	pthread_cond_broadcast(&w->idle);
}

/* --------------------------------------------------------------- threads */
/* Lower the priority: users' requests come first. If the system refuses, it
 * stays. */
static void step_back(enum worker_queue queue)
{
	struct sched_param none = { 0 };
	enum { WHO_PROCESS = 1, CLASS_IDLE = 3, CLASS_SHIFT = 13 };

	if (queue == WORKER_LOG || queue == WORKER_SWEEP)
		return;
	pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
	if (queue == WORKER_COMPACTION)
		syscall(SYS_ioprio_set, WHO_PROCESS, 0,
			CLASS_IDLE << CLASS_SHIFT);
}

static void sleep_until_due(struct worker *w, struct queue *q, uint64_t wait_ns)
{
	struct timespec at;

	if (wait_ns == UINT64_MAX) {
		pthread_cond_wait(&q->wake, &w->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += (time_t)(wait_ns / 1000000000);
	at.tv_nsec += (long)(wait_ns % 1000000000);
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	pthread_cond_timedwait(&q->wake, &w->lock, &at);
}

static void *thread_run(void *data)
{
	struct queue *q = data;
	struct worker *w = q->worker;
	struct work *work;
	uint64_t wait_ns;

	step_back((enum worker_queue)(q - w->queues));
	pthread_mutex_lock(&w->lock);
	while (!atomic_load(&w->ending)) {
		work = first_due(q, &wait_ns);
		if (work)
			run_one(w, q, work);
		else
			sleep_until_due(w, q, wait_ns);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int worker_new(struct worker **out, bool no_threads)
{
	struct worker *w = mem_zalloc(1, sizeof(*w));
	pthread_condattr_t monotonic;
	int i, err = 0;

	if (!w)
		return -ENOMEM;
	w->no_threads = no_threads;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->idle, NULL);
	for (i = 0; i < WORKER_QUEUES; i++) {
		w->queues[i].worker = w;
		pthread_cond_init(&w->queues[i].wake, &monotonic);
	}
	pthread_condattr_destroy(&monotonic);
	for (i = 0; i < WORKER_QUEUES && !no_threads && !err; i++) {
		struct queue *q = &w->queues[i];

		err = -pthread_create(&q->thread, NULL, thread_run, q);
		q->started = !err;
	}
	if (err) {
		worker_free(w);
		return err;
	}
	*out = w;
	return 0;
}

void worker_free(struct worker *w)
{
	int i;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	atomic_store(&w->ending, true);
	for (i = 0; i < WORKER_QUEUES; i++)
		pthread_cond_broadcast(&w->queues[i].wake);
	pthread_mutex_unlock(&w->lock);
	for (i = 0; i < WORKER_QUEUES; i++) {
		if (w->queues[i].started)
			pthread_join(w->queues[i].thread, NULL);
	}
	for (i = 0; i < WORKER_QUEUES; i++) {
		while (w->queues[i].first)
			take_out(&w->queues[i], w->queues[i].first);
		pthread_cond_destroy(&w->queues[i].wake);
	}
	pthread_cond_destroy(&w->idle);
	pthread_mutex_destroy(&w->lock);
	mem_free(w);
}

bool worker_ending(const struct worker *w)
{
	return atomic_load(&w->ending);
}

/* ----------------------------------------------------------------- works */
static bool add(struct worker *w, enum worker_queue queue, struct work *work,
		uint64_t due_ns)
{
	struct queue *q = &w->queues[queue];
	bool added = false;

	pthread_mutex_lock(&w->lock);
	if (work->waiting) {
		if (due_ns < work->due_ns)
			work->due_ns = due_ns;
	} else if (!atomic_load(&w->ending)) {
		work->queue = queue;
		work->due_ns = due_ns;
		work->next = NULL;
		work->waiting = true;
		if (q->last)
			q->last->next = work;
		else
			q->first = work;
		q->last = work;
		added = true;
	}
	pthread_cond_signal(&w->queues[work->queue].wake);
	pthread_mutex_unlock(&w->lock);
	return added;
}

bool worker_add(struct worker *w, enum worker_queue queue, struct work *work)
{
	return add(w, queue, work, 0);
}

bool worker_add_after(struct worker *w, enum worker_queue queue,
		      struct work *work, uint64_t delay_ms)
{
	return add(w, queue, work,
		   clock_monotonic_ns() + delay_ms * 1000000);
}

void worker_remove(struct worker *w, struct work *work)
{
	int i;

	pthread_mutex_lock(&w->lock);
	for (i = 0; i < WORKER_QUEUES; i++) {
		while (w->queues[i].running == work)
			pthread_cond_wait(&w->idle, &w->lock);
	}
	/* The work may have added itself while it ran. */
	if (work->waiting)
		take_out(&w->queues[work->queue], work);
	pthread_cond_broadcast(&w->idle);
	pthread_mutex_unlock(&w->lock);
}

void worker_pause(struct worker *w, enum worker_queue queue)
{
	struct queue *q = &w->queues[queue];

	pthread_mutex_lock(&w->lock);
	q->paused++;
	while (q->running)
		pthread_cond_wait(&w->idle, &w->lock);
	/* A drain does not wait for a paused queue. */
	pthread_cond_broadcast(&w->idle);
	pthread_mutex_unlock(&w->lock);
}

void worker_resume(struct worker *w, enum worker_queue queue)
{
	struct queue *q = &w->queues[queue];

	pthread_mutex_lock(&w->lock);
	q->paused--;
	pthread_cond_broadcast(&q->wake);
	pthread_mutex_unlock(&w->lock);
}

/* True if the queue has something that a drain waits for. */
static bool busy(const struct queue *q)
{
	uint64_t wait_ns;

	return q->running || first_due(q, &wait_ns);
}

/* Without threads: run the works that are due, one after the other, flushes
 * first. */
static void drain_here(struct worker *w)
{
	struct work *work;
	uint64_t wait_ns;
	int i;

	for (i = 0; i < WORKER_QUEUES; i++) {
		work = first_due(&w->queues[i], &wait_ns);
		if (!work)
			continue;
		run_one(w, &w->queues[i], work);
		i = -1;
	}
}

void worker_drain(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	if (w->no_threads)
		drain_here(w);
	else
		while (!atomic_load(&w->ending) &&
		       (busy(&w->queues[WORKER_FLUSH]) ||
			busy(&w->queues[WORKER_COMPACTION]) ||
			busy(&w->queues[WORKER_SWEEP])))
			pthread_cond_wait(&w->idle, &w->lock);
	pthread_mutex_unlock(&w->lock);
}
