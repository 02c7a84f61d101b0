#include "store/base/clock.h"

#include <stdatomic.h>
#include <time.h>

static _Atomic int64_t stopped_at = INT64_MIN;

int64_t clock_now_us(void)
{
	int64_t fixed = atomic_load_explicit(&stopped_at, memory_order_relaxed);
	struct timespec now;

	if (fixed != INT64_MIN)
		return fixed;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_now_s(void)
{
	int64_t fixed = atomic_load_explicit(&stopped_at, memory_order_relaxed);
	struct timespec now;

	if (fixed != INT64_MIN)
		return fixed / 1000000 - (fixed % 1000000 < 0);
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

uint64_t clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void clock_set_us(int64_t us)
{
	atomic_store(&stopped_at, us);
}
