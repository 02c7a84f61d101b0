#include "mount/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mount/notify.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"

#define PROBE "/.widefs/stats"	/* its size is known when the engine was asked */
#define PER_LIMIT 3		/* so often within the manager's time */
#define LIMIT_MAX_US UINT64_C(1000000000000)	/* beyond it is never looked */

struct watchdog {
	const char *mountpoint;
	bool is_alone;
	uint64_t every_ns;
	_Atomic uint64_t told_ns;	/* when the manager was told last */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stopping;			/* under lock */
};

/* The manager's limit in microseconds; 0: there is none for this process. */
static uint64_t limit_us(void)
{
	const char *limit = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	uint64_t us;
	char end;

	if (pid && strtol(pid, NULL, 10) != getpid())
		return 0;
	if (!limit || sscanf(limit, "%" SCNu64 "%c", &us, &end) != 1)
		return 0;
	return us > LIMIT_MAX_US ? 0 : us;
}

static void tell_manager(struct watchdog *w)
{
	atomic_store(&w->told_ns, clock_monotonic_ns());
	notify_manager("WATCHDOG=1\n");
}

/*
 * Ask, however long the answer takes: one call, during which the mount is busy. That
 * nothing of ours is there says nothing of the daemon: files that are open are served
 * after a lazy unmount.
 */
static void ask(const struct watchdog *w)
{
	char path[PATH_MAX + sizeof(PROBE)];
	struct statx st;

	snprintf(path, sizeof(path), "%s" PROBE, w->mountpoint);
	(void)statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC, STATX_SIZE, &st);
}

/* Wait for the next time to ask. False: it is to end. */
static bool pause_between(struct watchdog *w)
{
	uint64_t until_ns = clock_monotonic_ns() + w->every_ns;
	struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000),
				  .tv_nsec = (long)(until_ns % 1000000000) };
	int err = 0;
	bool stopping;

	pthread_mutex_lock(&w->lock);
	while (!w->stopping && err != ETIMEDOUT)
		err = pthread_cond_timedwait(&w->wake, &w->lock, &until);
	stopping = w->stopping;
	pthread_mutex_unlock(&w->lock);
	return !stopping;
}

static void *watch(void *argument)
{
	struct watchdog *w = argument;

	do {
		ask(w);
		tell_manager(w);
	} while (pause_between(w));
	return NULL;
}

void watchdog_pat(struct watchdog *w)
{
	if (w && w->is_alone && clock_monotonic_ns() -
	    atomic_load(&w->told_ns) >= w->every_ns)
		tell_manager(w);
}

static void release(struct watchdog *w)
{
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->wake);
	mem_free(w);
}

int watchdog_start(struct watchdog **out, const char *mountpoint, bool is_alone)
{
	uint64_t limit = limit_us();
	pthread_condattr_t monotonic;
	struct watchdog *w;
	int err;

	*out = NULL;
	if (!limit)
		return 0;
	w = mem_zalloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->mountpoint = mountpoint;
	w->is_alone = is_alone;
	w->every_ns = limit * 1000 / PER_LIMIT;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	err = pthread_create(&w->thread, NULL, watch, w);
	if (err)
		release(w);
	else
		*out = w;
	return -err;
}

void watchdog_stop(struct watchdog *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stopping = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void watchdog_free(struct watchdog *w)
{
	if (!w)
		return;
	pthread_join(w->thread, NULL);
	release(w);
}
