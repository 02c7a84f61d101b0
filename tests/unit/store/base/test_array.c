/* Arrays in order, beside a plain scan. */
#include "store/base/array.h"

#include <stdlib.h>
#include <string.h>

#include "store/base/alloc.h"
#include "tests/lib/random.h"
#include "tests/unit/suite.h"

static bool number_before(const void *element, const void *key)
{
	return *(const uint32_t *)element < *(const uint32_t *)key;
}

START_TEST(an_array_stays_in_order)	/* _i: the seed */
{
	uint32_t *numbers = NULL, *grown;
	size_t count = 0, i, n;
	struct random rng = random_seeded((uint64_t)_i);

	for (int step = 0; step < 300; step++) {
		uint32_t key = random_below(&rng, 100);
		size_t at = array_find(numbers, count, sizeof(key), &key,
				       number_before);

		for (i = 0; i < count && numbers[i] < key; i++)
			;
		ck_assert_uint_eq(at, i);
		if (random_below(&rng, 3)) {
			grown = array_insert(numbers, count, sizeof(key), at);
			ck_assert_ptr_nonnull(grown);
			numbers = grown;
			numbers[at] = key;
			count++;
		} else {
			n = random_below(&rng, (uint32_t)(count - at) + 1);
			n = n > 3 ? 3 : n;
			array_remove(numbers, count, sizeof(key), at, n);
			count -= n;
		}
		for (i = 1; i < count; i++)
			ck_assert_uint_le(numbers[i - 1], numbers[i]);
	}
	mem_free(numbers);
}
END_TEST

/* The bytes stay, the room is never less than the elements, and it doubles: an
 * allocation that fails leaves all three. */
START_TEST(room_for_one_more_doubles)
{
	uint32_t *numbers = NULL, *grown;
	size_t room = 0, before, i;

	for (uint32_t n = 0; n < 1000; n++) {
		before = room;
		mem_fail_at(1, 0);
		grown = array_grow(numbers, n, sizeof(n), &room);
		mem_fail_at(0, 0);
		ck_assert_uint_eq(room, before);
		ck_assert(n < room ? grown == numbers : !grown);
		grown = array_grow(numbers, n, sizeof(n), &room);
		ck_assert_ptr_nonnull(grown);
		ck_assert(n < before ? room == before :
			  before ? room == 2 * before : room > 0);
		numbers = grown;
		numbers[n] = n;
	}
	for (i = 0; i < 1000; i++)
		ck_assert_uint_eq(numbers[i], i);
	mem_free(numbers);
}
END_TEST

START_TEST(want_of_memory_leaves_the_array)
{
	uint32_t *numbers = array_insert(NULL, 0, sizeof(*numbers), 0);

	ck_assert_ptr_nonnull(numbers);
	numbers[0] = 7;
	mem_fail_at(1, 0);
	ck_assert_ptr_null(array_insert(numbers, 1, sizeof(*numbers), 0));
	mem_fail_at(0, 0);
	ck_assert_uint_eq(numbers[0], 7);
	mem_free(numbers);
}
END_TEST

SUITE(array)
{
	TCase *tc = tcase_create("array");

	tcase_add_loop_test(tc, an_array_stays_in_order, 0, 20);
	tcase_add_test(tc, room_for_one_more_doubles);
	tcase_add_test(tc, want_of_memory_leaves_the_array);
	suite_add_tcase(suite, tc);
}
