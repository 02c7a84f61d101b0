/* UUIDs: text, version 1 in order and never twice, bounds of a millisecond. */
#include <pthread.h>
#include <stdlib.h>

#include "store/type/native.h"
#include "store/type/uuid.h"
#include "tests/unit/suite.h"

static struct bytes text_of(struct buf *out, const uint8_t uuid[16])
{
	buf_clear(out);
	native_print_text(out, TYPE_UUID, bytes_of(uuid, 16));
	return buf_bytes(out);
}

static const struct {
	int64_t ms;
	const char *min, *max;
} bounds[] = {
	{ 1475584496789, "f52d3c50-8a2e-11e6-8080-808080808080",
	  "f52d635f-8a2e-11e6-7f7f-7f7f7f7f7f7f" },
	{ 1475584440000, "d353ec00-8a2e-11e6-8080-808080808080",
	  "d354130f-8a2e-11e6-7f7f-7f7f7f7f7f7f" },
	{ -1, "138118f0-1dd2-11b2-8080-808080808080",
	  "13813fff-1dd2-11b2-7f7f-7f7f7f7f7f7f" },
	{ INT64_MIN, "13814000-1dd2-11b2-8080-808080808080",
	  "1381670f-1dd2-11b2-7f7f-7f7f7f7f7f7f" },
	{ INT64_MAX, "138118f0-1dd2-11b2-8080-808080808080",
	  "13813fff-1dd2-11b2-7f7f-7f7f7f7f7f7f" },
};

START_TEST(a_millisecond_has_bounds)
{
	struct buf text = BUF_INIT;
	uint8_t uuid[16];

	uuid_min_at(uuid, bounds[_i].ms);
	ck_assert(bytes_equal(text_of(&text, uuid),
			      bytes_str(bounds[_i].min)));
	if (_i < 3)
		ck_assert_int_eq(uuid_time_ms(uuid), bounds[_i].ms);
	uuid_max_at(uuid, bounds[_i].ms);
	ck_assert(bytes_equal(text_of(&text, uuid),
			      bytes_str(bounds[_i].max)));
	if (_i < 3)
		ck_assert_int_eq(uuid_time_ms(uuid), bounds[_i].ms);
	buf_release(&text);
}
END_TEST

static int order_of(const uint8_t *a, const uint8_t *b)
{
	uint64_t ticks[2];
	int i;

	for (i = 0; i < 2; i++) {
		uint64_t high = get_be64(i ? b : a);

		ticks[i] = (high & 0xfff) << 48 | (high >> 16 & 0xffff) << 32 |
			   high >> 32;
	}
	return (ticks[0] > ticks[1]) - (ticks[0] < ticks[1]);
}

START_TEST(new_uuids_only_grow)
{
	uint8_t last[16], next[16];
	int i;

	uuid_new_time(last);
	for (i = 0; i < 10000; i++) {
		uuid_new_time(next);
		ck_assert(uuid_is_time(next));
		ck_assert_uint_eq(next[8] >> 6, 2);
		ck_assert(order_of(last, next) < 0);
		ck_assert(!memcmp(last + 8, next + 8, 8));
		memcpy(last, next, 16);
	}
	ck_assert(uuid_time_ms(last) > 1600000000000);
}
END_TEST

#define PER_THREAD 2000
static void *fill(void *at)
{
	uint8_t (*uuids)[16] = at;
	int i;

	for (i = 0; i < PER_THREAD; i++)
		uuid_new_time(uuids[i]);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

START_TEST(threads_never_share_one)
{
	static uint8_t uuids[4][PER_THREAD][16];
	uint8_t (*all)[16] = (uint8_t (*)[16])uuids;
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, fill,
						uuids[i]), 0);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	qsort(uuids, 4 * PER_THREAD, 16, compare);
	for (i = 1; i < 4 * PER_THREAD; i++)
		ck_assert(memcmp(all[i - 1], all[i], 16));
}
END_TEST

START_TEST(random_ones_are_version_4)
{
	uint8_t a[16], b[16];

	uuid_new_random(a);
	uuid_new_random(b);
	ck_assert_uint_eq(a[6] >> 4, 4);
	ck_assert_uint_eq(a[8] >> 6, 2);
	ck_assert(!uuid_is_time(a));
	ck_assert(memcmp(a, b, 16));
}
END_TEST

SUITE(uuid)
{
	TCase *tc = tcase_create("uuid");

	tcase_add_loop_test(tc, a_millisecond_has_bounds, 0,
			    (int)ARRAY_SIZE(bounds));
	tcase_add_test(tc, new_uuids_only_grow);
	tcase_add_test(tc, threads_never_share_one);
	tcase_add_test(tc, random_ones_are_version_4);
	suite_add_tcase(suite, tc);
}
