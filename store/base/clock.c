#include "store/base/clock.h"

#include <stdatomic.h>
#include <stdio.h>
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

void clock_print(char out[CLOCK_TEXT], int64_t us, bool with_ms)
{
	int rest = (int)(us % 1000000);
	time_t seconds = (time_t)(us / 1000000) - (rest < 0);
	struct tm tm;
	size_t len;

	gmtime_r(&seconds, &tm);
	len = strftime(out, CLOCK_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
	if (with_ms)
		snprintf(out + len, CLOCK_TEXT - len, ".%03dZ",
			 (rest + (rest < 0) * 1000000) / 1000);
	else
		snprintf(out + len, CLOCK_TEXT - len, "Z");
}

void clock_set_us(int64_t us)
{
	atomic_store(&stopped_at, us);
}
