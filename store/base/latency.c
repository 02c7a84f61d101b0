#include "store/base/latency.h"

void latency_add(struct latency *l, uint64_t ns)
{
	unsigned power, bucket = 0;

	if (ns >= (uint64_t)1 << LATENCY_LOWEST) {
		power = 63 - (unsigned)__builtin_clzll(ns);
		bucket = (power - LATENCY_LOWEST) * LATENCY_STEPS +
			 (unsigned)(ns >> (power - 2) & (LATENCY_STEPS - 1)) + 1;
	}
	if (bucket >= LATENCY_BUCKETS)
		bucket = LATENCY_BUCKETS - 1;
	atomic_fetch_add_explicit(&l->counts[bucket], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&l->sum_ns, ns, memory_order_relaxed);
}

void latency_sum(struct latency_sum *sum, const struct latency *l)
{
	unsigned i;

	for (i = 0; i < LATENCY_BUCKETS; i++) {
		uint64_t n = atomic_load_explicit(&l->counts[i],
						  memory_order_relaxed);

		sum->counts[i] += n;
		sum->count += n;
	}
	sum->sum_ns += atomic_load_explicit(&l->sum_ns, memory_order_relaxed);
}

uint64_t latency_end_ns(unsigned bucket)
{
	unsigned power = LATENCY_LOWEST + bucket / LATENCY_STEPS;

	if (bucket >= LATENCY_BUCKETS - 1)
		return UINT64_MAX;
	return ((uint64_t)LATENCY_STEPS + bucket % LATENCY_STEPS)
	       << (power - 2);
}
