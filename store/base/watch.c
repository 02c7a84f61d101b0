#include "store/base/watch.h"

#include <errno.h>
#include <time.h>

/* Between two questions. */
#define STEPS 256
#define BYTES (256 << 10)

static _Thread_local struct watch *current;

struct watch *watch_set(struct watch *w)
{
	struct watch *before = current;

	current = w;
	return before;
}

void watch_clear(struct watch *w)
{
	w->stopped = false;
	w->tombstones = 0;
	w->file_count = 0;
}

int watch_step(void)
{
	struct watch *w = current;

	if (!w || !w->stop)
		return 0;
	if (!w->stopped && ++w->steps % STEPS == 0)
		w->stopped = w->stop(w->context);
	return w->stopped ? -EINTR : 0;
}

int watch_bytes(size_t len)
{
	struct watch *w = current;

	if (!w)
		return 0;
	w->bytes += len;
	if (w->bytes < BYTES)
		return w->stopped ? -EINTR : 0;
	w->bytes = 0;
	return watch_ask();
}

int watch_ask(void)
{
	struct watch *w = current;

	if (!w || !w->stop)
		return 0;
	if (!w->stopped)
		w->stopped = w->stop(w->context);
	return w->stopped ? -EINTR : 0;
}

#define ASK_NS 50000000		/* between two questions of who waits */

int watch_lock(struct mutex *m) UNCHECKED
{
	struct timespec until;
	int err;

	if (!current || !current->stop) {
		mutex_lock(m);
		return 0;
	}
	do {
		if (watch_ask())
			return -EINTR;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += ASK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		err = pthread_mutex_timedlock(&m->handle, &until);
	} while (err == ETIMEDOUT);
	return 0;
}

void watch_file(uint64_t number)
{
	struct watch *w = current;
	uint32_t i;

	if (!w)
		return;
	for (i = 0; i < w->file_count && i < WATCH_FILES; i++)
		if (w->files[i] == number)
			return;
	if (w->file_count < WATCH_FILES)
		w->files[w->file_count] = number;
	w->file_count++;
}

void watch_tombstones(uint64_t count)
{
	if (current)
		current->tombstones += count;
}
