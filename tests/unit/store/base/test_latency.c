/* Durations in buckets: each is in the first whose end is above it. */
#include "store/base/latency.h"

#include <string.h>

#include "tests/lib/random.h"
#include "tests/unit/suite.h"

static unsigned bucket_of(uint64_t ns)
{
	static struct latency l;
	struct latency_sum sum;
	unsigned i;

	memset(&l, 0, sizeof(l));
	memset(&sum, 0, sizeof(sum));
	latency_add(&l, ns);
	latency_sum(&sum, &l);
	ck_assert_uint_eq(sum.count, 1);
	ck_assert_uint_eq(sum.sum_ns, ns);
	for (i = 0; !sum.counts[i]; i++)
		;
	return i;
}

static void check(uint64_t ns)
{
	unsigned i = bucket_of(ns);

	ck_assert_uint_lt(ns, latency_end_ns(i));
	if (i)
		ck_assert_uint_ge(ns, latency_end_ns(i - 1));
}

START_TEST(ends_grow_by_a_quarter_at_most)
{
	unsigned i;

	for (i = 1; i < LATENCY_BUCKETS - 1; i++) {
		uint64_t before = latency_end_ns(i - 1), end = latency_end_ns(i);

		ck_assert_uint_gt(end, before);
		ck_assert_uint_le(end - before, before / 4);
		check(end - 1);
		if (i < LATENCY_BUCKETS - 2)
			check(end);
	}
	ck_assert_uint_eq(latency_end_ns(LATENCY_BUCKETS - 1), UINT64_MAX);
}
END_TEST

START_TEST(each_time_is_in_its_bucket)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	int i;

	for (i = 0; i < 1000; i++)
		check(random_next(&rng) >> random_below(&rng, 64));
	check(0);
	ck_assert_uint_eq(bucket_of(UINT64_MAX), LATENCY_BUCKETS - 1);
}
END_TEST

SUITE(latency)
{
	TCase *tc = tcase_create("latency");

	tcase_add_test(tc, ends_grow_by_a_quarter_at_most);
	tcase_add_loop_test(tc, each_time_is_in_its_bucket, 0, 10);
	suite_add_tcase(suite, tc);
}
