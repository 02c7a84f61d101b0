/*
 * The background threads: one to keep time for the log, one to flush, one to
 * compact, one to look ahead of readers (dead_sweep.h), each with its own queue,
 * so that a flush never waits for a compaction. Flush and compaction run in the
 * batch scheduling class, and compaction at idle I/O priority, where the system
 * allows it.
 *
 * Threads: all calls from any, work_init before the first use of a work.
 */
#ifndef STORE_LSM_WORKER_H
#define STORE_LSM_WORKER_H
#include <stdbool.h>
#include <stdint.h>

enum worker_queue { WORKER_LOG, WORKER_FLUSH, WORKER_COMPACTION,
		    WORKER_SWEEP, WORKER_QUEUES };

struct worker;

/* A piece of work. Embed it; it must live until it has run or was removed. */
struct work {
	void (*run)(struct work *work);
	/* the rest is the worker's, under its lock */
	struct work *next;
	uint64_t due_ns;
	enum worker_queue queue;
	bool waiting;
};
#define WORK_INIT(function) ((struct work){ .run = (function) })

/*
 * Start the threads; with no_threads none: works wait until worker_drain runs
 * them in its caller. 0, -ENOMEM, -EAGAIN.
 */
int worker_new(struct worker **out, bool no_threads);
/* End the threads after the works that run now; works that wait are forgotten
 * and never run. NULL is accepted. */
void worker_free(struct worker *w);

/*
 * Add the work to be run once, in the order of adding. False when it is waiting
 * already (then it will run after this call all the same), or the worker is
 * ending. A work may add itself while it runs.
 */
bool worker_add(struct worker *w, enum worker_queue queue, struct work *work);
/* Add it, to run not before delay_ms from now; sooner if it was to run later.
 * With no_threads it is run by worker_drain only when due. */
bool worker_add_after(struct worker *w, enum worker_queue queue,
		      struct work *work, uint64_t delay_ms);
/* For tests: take it out of its queue, and wait if it is running (not from
 * itself). */
void worker_remove(struct worker *w, struct work *work);

/* For tests: begin no more works of the queue, and wait for the one that runs.
 * Pauses are counted: as many resumes end it. Not from a work of the same
 * queue. */
void worker_pause(struct worker *w, enum worker_queue queue);
void worker_resume(struct worker *w, enum worker_queue queue);
/* Wait until all queues but the log's have nothing due and nothing
 * running (works may add more, which are waited for too). Paused queues are not
 * waited for. With no_threads: run them here. Not from a work. */
void worker_drain(struct worker *w);
/* True when the worker ends: long works ask this between steps and end
 * early. */
bool worker_ending(const struct worker *w);
#endif
