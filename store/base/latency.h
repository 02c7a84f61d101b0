/*
 * Counts of durations in buckets that grow by a quarter of a power of two, from a
 * microsecond to a minute: a percentile is off by an eighth at most. Any thread
 * adds, without a lock; a reader sees each count, but no one moment of all.
 */
#ifndef STORE_BASE_LATENCY_H
#define STORE_BASE_LATENCY_H
#include <stdatomic.h>
#include <stdint.h>

#define LATENCY_STEPS 4		/* buckets of each power of two */
#define LATENCY_LOWEST 10	/* 2^10 ns: all that is shorter is in the first */
#define LATENCY_POWERS 27	/* the last bucket has what is longer than 2^36 ns */
#define LATENCY_BUCKETS (LATENCY_POWERS * LATENCY_STEPS)

struct latency {
	_Atomic uint64_t counts[LATENCY_BUCKETS], sum_ns;
};
/* The same, read. */
struct latency_sum {
	uint64_t counts[LATENCY_BUCKETS], count, sum_ns;
};

/* Count one call that took ns nanoseconds. Any thread. */
void latency_add(struct latency *l, uint64_t ns);
/* Add what l has to the sum. */
void latency_sum(struct latency_sum *sum, const struct latency *l);
/* Return the end of a bucket (ns): all durations in it are shorter. UINT64_MAX:
 * of the last. */
uint64_t latency_end_ns(unsigned bucket);
#endif
