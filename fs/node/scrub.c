#include "fs/node/scrub.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "store/base/clock.h"
#include "store/base/counted.h"
#include "store/base/watch.h"

#define PROBLEMS_MAX ((size_t)256 << 10)	/* bytes that are kept */
#define REST_NS 100000000u			/* at most at a time */

void scrub_init(struct scrub *s)
{
	mutex_init(&s->lock);
	s->state = SCRUB_NONE;
}

static void note_problem(void *context, const char *text)
{
	struct scrub *s = context;

	errors_add(s->errors, 0, s->pid, s->uid, EUCLEAN,
		   bytes_str("/.widefs/ctl"), text);
	mutex_lock(&s->lock);
	s->problem_count++;
	if (s->problems.len + strlen(text) < PROBLEMS_MAX) {
		buf_add_str(&s->problems, text);
		buf_add_byte(&s->problems, '\n');
	}
	mutex_unlock(&s->lock);
}

static void note_progress(void *context, uint64_t done, uint64_t total)
{
	struct scrub *s = context;

	mutex_lock(&s->lock);
	s->done = done;
	s->total = total;
	mutex_unlock(&s->lock);
}

/* Called between blocks: rest as long as the thread has worked since its last
 * rest. True: stop the scrub. */
static bool pace(void *context)
{
	struct scrub *s = context;
	uint64_t worked = clock_monotonic_ns() - s->rested_ns;
	struct timespec rest = { 0, worked < REST_NS ? (long)worked : REST_NS };

	if (atomic_load(&s->stop))
		return true;
	nanosleep(&rest, NULL);
	s->rested_ns = clock_monotonic_ns();
	return atomic_load(&s->stop);
}

static void *run(void *argument)
{
	struct scrub *s = argument;
	struct watch watch = { .stop = pace, .context = s };
	const struct lsm_verify_told told = { note_problem, note_progress, s };
	sigset_t all;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	s->rested_ns = clock_monotonic_ns();
	watch_set(&watch);
	err = store_verify_table(s->store, s->table, &told);
	watch_set(NULL);
	table_put(s->table);
	mutex_lock(&s->lock);
	s->state = err == -EINTR ? SCRUB_STOPPED :
		   err && err != -EUCLEAN ? SCRUB_FAILED : SCRUB_FINISHED;
	mutex_unlock(&s->lock);
	return NULL;
}

int scrub_start(struct scrub *s, struct store *store, struct table *t,
		struct errors *errors, uid_t uid, pid_t pid)
{
	int err = 0;

	mutex_lock(&s->lock);
	if (s->state == SCRUB_RUNNING) {
		mutex_unlock(&s->lock);
		return -EBUSY;
	}
	/* The last thread has done its work: joining it does not wait. */
	if (s->started)
		pthread_join(s->thread, NULL);
	s->started = false;
	s->done = s->total = s->problem_count = 0;
	buf_clear(&s->problems);
	s->store = store;
	s->table = t ? table_get(t) : NULL;
	s->errors = errors;
	s->uid = uid;
	s->pid = pid;
	s->state = SCRUB_RUNNING;
	if (pthread_create(&s->thread, NULL, run, s)) {
		table_put(s->table);
		s->state = SCRUB_FAILED;
		err = -EAGAIN;
	}
	s->started = !err;
	mutex_unlock(&s->lock);
	return err;
}

void scrub_release(struct scrub *s)
{
	bool started;

	atomic_store(&s->stop, true);
	mutex_lock(&s->lock);
	started = s->started;
	s->started = false;
	mutex_unlock(&s->lock);
	if (started)
		pthread_join(s->thread, NULL);
	buf_release(&s->problems);
	mutex_release(&s->lock);
}

void scrub_print(struct scrub *s, struct buf *out, bool problems)
{
	static const char *const names[] = {
		[SCRUB_NONE] = "none", [SCRUB_RUNNING] = "running",
		[SCRUB_FINISHED] = "finished", [SCRUB_STOPPED] = "stopped",
		[SCRUB_FAILED] = "failed",
	};

	mutex_lock(&s->lock);
	buf_add_format(out, "%s: %llu of %llu bytes, %s\n",
		       names[s->state], (unsigned long long)s->done,
		       (unsigned long long)s->total,
		       counted(s->problem_count, "problem").text);
	if (problems)
		buf_add_bytes(out, buf_bytes(&s->problems));
	mutex_unlock(&s->lock);
}
