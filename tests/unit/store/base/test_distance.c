#include "store/base/distance.h"

#include <string.h>

#include "tests/unit/suite.h"

static unsigned between(const char *a, const char *b, unsigned limit)
{
	return distance_of(bytes_str(a), bytes_str(b), limit);
}

START_TEST(distances_count_letters)
{
	ck_assert_uint_eq(between("age", "age", 3), 0);
	ck_assert_uint_eq(between("agee", "age", 3), 1);
	ck_assert_uint_eq(between("aeg", "age", 3), 1);
	ck_assert_uint_eq(between("", "age", 3), 3);
	ck_assert_uint_eq(between("x", "abcdef", 2), 3);
}
END_TEST

START_TEST(a_long_word_is_like_none)
{
	char word[DISTANCE_LONGEST + 2];

	memset(word, 'a', sizeof(word));
	word[DISTANCE_LONGEST + 1] = 0;
	ck_assert_uint_eq(between(word, word, 2), 3);
	word[DISTANCE_LONGEST] = 0;
	ck_assert_uint_eq(between(word, word, 2), 0);
}
END_TEST

SUITE(distance)
{
	TCase *tc = tcase_create("distance");

	tcase_add_test(tc, distances_count_letters);
	tcase_add_test(tc, a_long_word_is_like_none);
	suite_add_tcase(suite, tc);
}
