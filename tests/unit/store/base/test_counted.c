/* Counts for people. */
#include "store/base/counted.h"

#include "tests/unit/suite.h"

START_TEST(a_count_has_its_noun)
{
	ck_assert_str_eq(counted(0, "row").text, "0 rows");
	ck_assert_str_eq(counted(1, "row").text, "1 row");
	ck_assert_str_eq(counted(UINT64_MAX, "problem").text,
			 "18446744073709551615 problems");
}
END_TEST

SUITE(counted)
{
	TCase *tc = tcase_create("counted");

	tcase_add_test(tc, a_count_has_its_noun);
	suite_add_tcase(suite, tc);
}
