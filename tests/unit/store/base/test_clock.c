/* Times as text. */
#include "store/base/bytes.h"
#include "store/base/clock.h"
#include "tests/unit/suite.h"

static const struct {
	int64_t us;
	const char *to_ms, *to_s;
} times[] = {
	{ 0, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00Z" },
	{ 1795961360486999, "2026-11-29T14:09:20.486Z", "2026-11-29T14:09:20Z" },
	{ -1, "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59Z" },
	{ -1000000, "1969-12-31T23:59:59.000Z", "1969-12-31T23:59:59Z" },
	{ 253402300800000000, "10000-01-01T00:00:00.000Z", "10000-01-01T00:00:00Z" },
};

START_TEST(a_time_is_printed_as_iso_8601)
{
	char text[CLOCK_TEXT];

	clock_print(text, times[_i].us, true);
	ck_assert_str_eq(text, times[_i].to_ms);
	clock_print(text, times[_i].us, false);
	ck_assert_str_eq(text, times[_i].to_s);
}
END_TEST

SUITE(clock)
{
	TCase *tc = tcase_create("clock");

	tcase_add_loop_test(tc, a_time_is_printed_as_iso_8601, 0,
			    ARRAY_SIZE(times));
	suite_add_tcase(suite, tc);
}
