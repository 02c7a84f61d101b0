/* Casts; floor and the functions that turn one kind of time into another. */
#include <errno.h>

#include "store/type/convert.h"
#include "store/type/date_step.h"
#include "store/type/duration.h"
#include "store/type/native.h"
#include "store/type/time.h"
#include "tests/lib/native.h"
#include "tests/unit/suite.h"

/* Casts as Cassandra answered: bytes and text. */
static const struct {
	enum type_kind from;
	const char *hex;
	enum type_kind to;
	const char *answer;
} casts[] = {
	{ TYPE_SMALLINT, "012c", TYPE_TINYINT, "44" },
	{ TYPE_INT, "00011170", TYPE_TINYINT, "112" },
	{ TYPE_BIGINT, "000000012a05f200", TYPE_TINYINT, "0" },
	{ TYPE_VARINT, "fe7116f0093c8c1f11b1c0f52e", TYPE_TINYINT, "46" },
	{ TYPE_FLOAT, "3fcccccd", TYPE_TINYINT, "1" },
	{ TYPE_DOUBLE, "c2174876e8000000", TYPE_TINYINT, "0" },
	{ TYPE_DECIMAL, "0000000300bc614e", TYPE_TINYINT, "57" },
	{ TYPE_TINYINT, "fb", TYPE_SMALLINT, "-5" },
	{ TYPE_INT, "00011170", TYPE_SMALLINT, "4464" },
	{ TYPE_BIGINT, "000000012a05f200", TYPE_SMALLINT, "-3584" },
	{ TYPE_VARINT, "fe7116f0093c8c1f11b1c0f52e", TYPE_SMALLINT, "-2770" },
	{ TYPE_FLOAT, "3fcccccd", TYPE_SMALLINT, "1" },
	{ TYPE_DOUBLE, "c2174876e8000000", TYPE_SMALLINT, "0" },
	{ TYPE_DECIMAL, "0000000300bc614e", TYPE_SMALLINT, "12345" },
	{ TYPE_TINYINT, "fb", TYPE_INT, "-5" },
	{ TYPE_SMALLINT, "012c", TYPE_INT, "300" },
	{ TYPE_BIGINT, "000000012a05f200", TYPE_INT, "705032704" },
	{ TYPE_VARINT, "fe7116f0093c8c1f11b1c0f52e", TYPE_INT, "-1312754386" },
	{ TYPE_FLOAT, "3fcccccd", TYPE_INT, "1" },
	{ TYPE_DOUBLE, "c2174876e8000000", TYPE_INT, "-2147483648" },
	{ TYPE_DECIMAL, "0000000300bc614e", TYPE_INT, "12345" },
	{ TYPE_TINYINT, "fb", TYPE_BIGINT, "-5" },
	{ TYPE_SMALLINT, "012c", TYPE_BIGINT, "300" },
	{ TYPE_INT, "00011170", TYPE_BIGINT, "70000" },
	{ TYPE_VARINT, "fe7116f0093c8c1f11b1c0f52e", TYPE_BIGINT, "4362896299872285998" },
	{ TYPE_FLOAT, "3fcccccd", TYPE_BIGINT, "1" },
	{ TYPE_DOUBLE, "c2174876e8000000", TYPE_BIGINT, "-25000000000" },
	{ TYPE_DECIMAL, "0000000300bc614e", TYPE_BIGINT, "12345" },
	{ TYPE_TINYINT, "fb", TYPE_VARINT, "-5" },
	{ TYPE_SMALLINT, "012c", TYPE_VARINT, "300" },
	{ TYPE_INT, "00011170", TYPE_VARINT, "70000" },
	{ TYPE_BIGINT, "000000012a05f200", TYPE_VARINT, "5000000000" },
	{ TYPE_FLOAT, "3fcccccd", TYPE_VARINT, "1" },
	{ TYPE_DOUBLE, "c2174876e8000000", TYPE_VARINT, "-25000000000" },
	{ TYPE_DECIMAL, "0000000300bc614e", TYPE_VARINT, "12345" },
	{ TYPE_TINYINT, "fb", TYPE_FLOAT, "-5.0" },
	{ TYPE_SMALLINT, "012c", TYPE_FLOAT, "300.0" },
	{ TYPE_INT, "00011170", TYPE_FLOAT, "70000.0" },
	{ TYPE_BIGINT, "000000012a05f200", TYPE_FLOAT, "5.0E9" },
	{ TYPE_VARINT, "fe7116f0093c8c1f11b1c0f52e", TYPE_FLOAT, "-1.2345679E29" },
	{ TYPE_DECIMAL, "0000000300bc614e", TYPE_FLOAT, "12345.678" },
	{ TYPE_TINYINT, "fb", TYPE_DOUBLE, "-5.0" },
	{ TYPE_SMALLINT, "012c", TYPE_DOUBLE, "300.0" },
	{ TYPE_INT, "00011170", TYPE_DOUBLE, "70000.0" },
	{ TYPE_BIGINT, "000000012a05f200", TYPE_DOUBLE, "5.0E9" },
	{ TYPE_VARINT, "fe7116f0093c8c1f11b1c0f52e", TYPE_DOUBLE, "-1.2345678901234568E29" },
	{ TYPE_FLOAT, "3fcccccd", TYPE_DOUBLE, "1.600000023841858" },
	{ TYPE_DECIMAL, "0000000300bc614e", TYPE_DOUBLE, "12345.678" },
	{ TYPE_TINYINT, "fb", TYPE_DECIMAL, "-5" },
	{ TYPE_SMALLINT, "012c", TYPE_DECIMAL, "300" },
	{ TYPE_INT, "00011170", TYPE_DECIMAL, "70000" },
	{ TYPE_BIGINT, "000000012a05f200", TYPE_DECIMAL, "5000000000" },
	{ TYPE_VARINT, "fe7116f0093c8c1f11b1c0f52e", TYPE_DECIMAL, "-123456789012345678901234567890" },
	{ TYPE_FLOAT, "3fcccccd", TYPE_DECIMAL, "1.6" },
	{ TYPE_DOUBLE, "c2174876e8000000", TYPE_DECIMAL, "-2.5E+10" },
	{ TYPE_TINYINT, "fb", TYPE_TEXT, "-5" },
	{ TYPE_SMALLINT, "012c", TYPE_TEXT, "300" },
	{ TYPE_INT, "00011170", TYPE_TEXT, "70000" },
	{ TYPE_BIGINT, "000000012a05f200", TYPE_TEXT, "5000000000" },
	{ TYPE_VARINT, "fe7116f0093c8c1f11b1c0f52e", TYPE_TEXT, "-123456789012345678901234567890" },
	{ TYPE_FLOAT, "3fcccccd", TYPE_TEXT, "1.6" },
	{ TYPE_DOUBLE, "c2174876e8000000", TYPE_TEXT, "-2.5E10" },
	{ TYPE_DECIMAL, "0000000300bc614e", TYPE_TEXT, "12345.678" },
	{ TYPE_FLOAT, "7fc00000", TYPE_TINYINT, "0" },
	{ TYPE_DOUBLE, "7ff0000000000000", TYPE_TINYINT, "-1" },
	{ TYPE_DECIMAL, "ffffffe201", TYPE_TINYINT, "0" },
	{ TYPE_FLOAT, "7fc00000", TYPE_SMALLINT, "0" },
	{ TYPE_DOUBLE, "7ff0000000000000", TYPE_SMALLINT, "-1" },
	{ TYPE_DECIMAL, "ffffffe201", TYPE_SMALLINT, "0" },
	{ TYPE_FLOAT, "7fc00000", TYPE_INT, "0" },
	{ TYPE_DOUBLE, "7ff0000000000000", TYPE_INT, "2147483647" },
	{ TYPE_DECIMAL, "ffffffe201", TYPE_INT, "1073741824" },
	{ TYPE_FLOAT, "7fc00000", TYPE_BIGINT, "0" },
	{ TYPE_DOUBLE, "7ff0000000000000", TYPE_BIGINT, "9223372036854775807" },
	{ TYPE_DECIMAL, "ffffffe201", TYPE_BIGINT, "5076944270305263616" },
	{ TYPE_FLOAT, "7fc00000", TYPE_VARINT, "0" },
	{ TYPE_DOUBLE, "7ff0000000000000", TYPE_VARINT, "9223372036854775807" },
	{ TYPE_DECIMAL, "ffffffe201", TYPE_VARINT, "5076944270305263616" },
	{ TYPE_DOUBLE, "7ff0000000000000", TYPE_FLOAT, "Infinity" },
	{ TYPE_DECIMAL, "ffffffe201", TYPE_FLOAT, "1.0E30" },
	{ TYPE_FLOAT, "7fc00000", TYPE_DOUBLE, "NaN" },
	{ TYPE_DECIMAL, "ffffffe201", TYPE_DOUBLE, "1.0E30" },
	{ TYPE_FLOAT, "7fc00000", TYPE_TEXT, "NaN" },
	{ TYPE_DOUBLE, "7ff0000000000000", TYPE_TEXT, "Infinity" },
	{ TYPE_DECIMAL, "ffffffe201", TYPE_TEXT, "1E+30" },
	{ TYPE_BIGINT, "0020000000000001", TYPE_FLOAT, "9.007199E15" },
	{ TYPE_BIGINT, "7fffffffffffffff", TYPE_DOUBLE, "9.223372036854776E18" },
	{ TYPE_DOUBLE, "c3e0000000000000", TYPE_BIGINT, "-9223372036854775808" },
	{ TYPE_DECIMAL, "7fffffff01", TYPE_INT, "0" },
	{ TYPE_DECIMAL, "8000000001", TYPE_BIGINT, "0" },
	{ TYPE_DECIMAL, "00000001f1", TYPE_INT, "-1" },
	{ TYPE_DOUBLE, "7e37e43c8800759c", TYPE_DECIMAL, "1.0E+300" },
	{ TYPE_TIMESTAMP, "0000000000000005", TYPE_VARINT, "5" },
	{ TYPE_TIMESTAMP, "ffffc76e394a7400", TYPE_TEXT,
	  "0002-01-01T00:00:00.000Z" },
	{ TYPE_BOOLEAN, "01", TYPE_TEXT, "true" },
	{ TYPE_ASCII, "61", TYPE_TEXT, "a" },
	{ TYPE_INET, "00000000000000000000000000000001", TYPE_ASCII, "::1" },
};

START_TEST(a_value_is_cast)
{
	struct buf value = BUF_INIT, out = BUF_INIT, text = BUF_INIT;
	struct type_error error = { .text = "" };
	bool is_null;

	native_unhex(&value, casts[_i].hex);
	ck_assert(convert_is_target(casts[_i].to));
	ck_assert(convert_is_defined(casts[_i].from, casts[_i].to));
	ck_assert_int_eq(convert_value(&out, &is_null, casts[_i].from,
				       buf_bytes(&value), casts[_i].to, &error),
			 0);
	ck_assert(!is_null);
	native_print_text(&text, casts[_i].to, buf_bytes(&out));
	ck_assert_str_eq(buf_cstr(&text), casts[_i].answer);
	ck_assert_int_eq(native_validate(casts[_i].to, buf_bytes(&out), NULL),
			 0);
	buf_release(&value);
	buf_release(&out);
	buf_release(&text);
}
END_TEST

START_TEST(casts_that_are_refused)
{
	struct buf out = BUF_INIT, nan = BUF_INIT;
	struct type_error error = { .text = "" };
	bool is_null;

	ck_assert(!convert_is_target(TYPE_BLOB));
	ck_assert(!convert_is_target(TYPE_BOOLEAN));
	ck_assert(!convert_is_target(TYPE_COUNTER));
	ck_assert(!convert_is_target(TYPE_TIME));
	ck_assert(convert_is_defined(TYPE_TIME, TYPE_TIME));
	ck_assert(!convert_is_defined(TYPE_TEXT, TYPE_ASCII));
	ck_assert(!convert_is_defined(TYPE_DURATION, TYPE_TEXT));
	ck_assert(!convert_is_defined(TYPE_DATE, TYPE_BIGINT));
	ck_assert(!convert_is_defined(TYPE_BIGINT, TYPE_TIMESTAMP));
	native_unhex(&nan, "7fc00000");
	ck_assert_int_eq(convert_value(&out, &is_null, TYPE_FLOAT,
				       buf_bytes(&nan), TYPE_DECIMAL, &error),
			 -EINVAL);
	ck_assert_int_eq(convert_value(&out, &is_null, TYPE_INT, BYTES_EMPTY,
				       TYPE_TEXT, &error), 0);
	ck_assert(is_null);
	ck_assert_int_eq(convert_value(&out, &is_null, TYPE_ASCII, BYTES_EMPTY,
				       TYPE_TEXT, &error), 0);
	ck_assert(!is_null && !out.len);
	buf_release(&nan);
	buf_release(&out);
}
END_TEST

/* floor() as Cassandra answered. start NULL: none; error: what begins it. */
static const struct {
	enum type_kind kind;
	const char *value, *duration, *start, *answer;
} floors[] = {
	{ TYPE_TIMESTAMP, NULL, "1h", NULL, "2016-10-04T12:00:00.000Z" },
	{ TYPE_TIMESTAMP, NULL, "1d", NULL, "2016-10-04T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, NULL, "7m", NULL, "2016-10-04T12:32:00.000Z" },
	{ TYPE_TIMESTAMP, NULL, "1mo", NULL, "2016-10-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, NULL, "1y", NULL, "2016-01-01T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, NULL, "1w", NULL, "2016-09-29T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, NULL, "1h", "2016-10-04T12:30:00Z",
	  "2016-10-04T12:30:00.000Z" },
	{ TYPE_TIMESTAMP, NULL, "1mo", "2016-09-15",
	  "2016-10-15T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, NULL, "1mo1d", NULL, "2016-09-25T00:00:00.000Z" },
	{ TYPE_TIMESTAMP, NULL, "0d", NULL, "2016-10-04T12:34:56.789Z" },
	{ TYPE_TIMESTAMP, NULL, "1ms", NULL, "2016-10-04T12:34:56.789Z" },
	{ TYPE_TIMESTAMP, NULL, "1h", "2017-01-01",
	  "The floor function starting time is greater than the provided "
	  "time" },
	{ TYPE_TIMESTAMP, NULL, "-1h", NULL,
	  "Negative durations are not supported by the floor function" },
	{ TYPE_TIMESTAMP, NULL, "1ns", NULL,
	  "The floor cannot be computed for the 1ns duration as precision is "
	  "below 1 millisecond" },
	{ TYPE_DATE, "2016-10-04", "2d", NULL, "2016-10-04" },
	{ TYPE_DATE, "2016-10-04", "1mo", NULL, "2016-10-01" },
	{ TYPE_DATE, "2016-10-04", "1w", "2016-10-03", "2016-10-03" },
	{ TYPE_DATE, "2016-10-04", "1h", NULL,
	  "The floor on date values cannot be computed for the 1h duration as "
	  "precision is below 1 day" },
	{ TYPE_TIME, "08:12:54.123", "7m", NULL, "08:10:00.000000000" },
	{ TYPE_TIME, "08:12:54.123", "100ms", NULL, "08:12:54.100000000" },
	{ TYPE_TIME, "08:12:54.123", "25h", NULL,
	  "For time values, the floor can only be computed for durations "
	  "smaller that a day" },
	{ TYPE_TIME, "08:12:54.123", "1d", NULL,
	  "For time values, the floor can only be computed for durations "
	  "smaller that a day" },
	{ TYPE_TIMEUUID, "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "1h", NULL,
	  "1998-02-04T22:00:00.000Z" },
	{ TYPE_TIMEUUID, "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "1y", NULL,
	  "1998-01-01T00:00:00.000Z" },
};

static void read_into(struct buf *out, enum type_kind kind, const char *text)
{
	struct type_error error;

	ck_assert_int_eq(native_read_text(out, kind, bytes_str(text), &error),
			 0);
}

START_TEST(a_floor_is_found)
{
	struct buf value = BUF_INIT, duration = BUF_INIT, start = BUF_INIT;
	struct buf out = BUF_INIT, text = BUF_INIT;
	enum type_kind kind = floors[_i].kind, result = kind;
	struct type_error error = { .text = "" };
	bool is_null;

	if (kind == TYPE_TIMEUUID)
		result = TYPE_TIMESTAMP;
	read_into(&value, kind, floors[_i].value ? floors[_i].value :
						   "2016-10-04T12:34:56.789Z");
	read_into(&duration, TYPE_DURATION, floors[_i].duration);
	if (floors[_i].start)
		read_into(&start, result, floors[_i].start);
	if (convert_floor(&out, &is_null, kind, buf_bytes(&value),
			  buf_bytes(&duration), floors[_i].start ?
			  buf_bytes(&start) : BYTES_NULL, &error)) {
		ck_assert_str_eq(error.text, floors[_i].answer);
	} else {
		ck_assert(!is_null);
		native_print_text(&text, result, buf_bytes(&out));
		ck_assert_str_eq(buf_cstr(&text), floors[_i].answer);
	}
	buf_release(&value);
	buf_release(&duration);
	buf_release(&start);
	buf_release(&out);
	buf_release(&text);
}
END_TEST

/* A floor is a step of the duration, and the last one that is not after. */
START_TEST(a_random_floor_is_right)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct duration d = {
		.months = (int32_t)(1 + random_below(&rng, 30)),
		.days = (int32_t)random_below(&rng, 60),
		.ns = 1000000LL * (1 + random_below(&rng, 100000)),
	};
	struct type_error error;
	int64_t start = random_below(&rng, 1000000), step = start, floor;
	int64_t ms = start + (int64_t)random_below(&rng, 1u << 31) * 1000;
	int64_t n;

	ck_assert_int_eq(date_step_floor(&floor, ms, &d, start, &error), 0);
	for (n = 0;; n++) {
		struct duration all = { (int32_t)n * d.months,
					(int32_t)n * d.days, n * d.ns };
		int64_t next = date_step_timestamp(start, &all, false);

		if (next > ms)
			break;
		step = next;
	}
	ck_assert_int_eq(floor, step);
}
END_TEST

/* to_date, to_timestamp, to_unix_timestamp as Cassandra answered. */
static const struct {
	enum type_kind from;
	const char *value;
	enum type_kind to;
	const char *answer;
} conversions[] = {
	{ TYPE_TIMESTAMP, "2016-10-04T12:34:56.789Z", TYPE_DATE, "2016-10-04" },
	{ TYPE_TIMESTAMP, "1969-12-31T23:59:59.999Z", TYPE_DATE, "1970-01-01" },
	{ TYPE_TIMESTAMP, "9223372036854775807", TYPE_DATE, "-1701532-04-06" },
	{ TYPE_TIMESTAMP, "-9223372036854775808", TYPE_DATE,
	  "+1705471-09-27" },
	{ TYPE_TIMESTAMP, "1969-12-31T23:59:59.999Z", TYPE_BIGINT, "-1" },
	{ TYPE_DATE, "1969-12-31", TYPE_TIMESTAMP,
	  "1969-12-31T00:00:00.000Z" },
	{ TYPE_DATE, "0", TYPE_BIGINT, "-185542587187200000" },
	{ TYPE_DATE, "4294967295", TYPE_BIGINT, "185542587100800000" },
	{ TYPE_TIMEUUID, "6ba7b810-9dad-11d1-80b4-00c04fd430c8", TYPE_DATE,
	  "1998-02-04" },
	{ TYPE_TIMEUUID, "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
	  TYPE_TIMESTAMP, "1998-02-04T22:13:53.151Z" },
	{ TYPE_BIGINT, "1475584440000", TYPE_DATE, "2016-10-04" },
};

START_TEST(a_time_is_converted)
{
	struct buf value = BUF_INIT, out = BUF_INIT, text = BUF_INIT;
	bool is_null;

	read_into(&value, conversions[_i].from, conversions[_i].value);
	convert_time(&out, &is_null, conversions[_i].from, buf_bytes(&value),
		     conversions[_i].to);
	ck_assert(!is_null);
	native_print_text(&text, conversions[_i].to, buf_bytes(&out));
	ck_assert_str_eq(buf_cstr(&text), conversions[_i].answer);
	convert_time(&out, &is_null, conversions[_i].from, BYTES_EMPTY,
		     conversions[_i].to);
	ck_assert(is_null);
	buf_release(&value);
	buf_release(&out);
	buf_release(&text);
}
END_TEST

START_TEST(now_has_a_form_of_each_kind)
{
	static const enum type_kind kinds[] = { TYPE_TIMEUUID, TYPE_TIMESTAMP,
						TYPE_DATE, TYPE_TIME };
	struct buf out = BUF_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		buf_clear(&out);
		convert_now(&out, kinds[i]);
		ck_assert_int_eq(native_validate(kinds[i], buf_bytes(&out),
						 NULL), 0);
		ck_assert_uint_gt(out.len, 0);
	}
	ck_assert_int_lt((int64_t)get_be64(out.ptr), NS_PER_DAY);
	buf_release(&out);
}
END_TEST

SUITE(convert)
{
	TCase *tc = tcase_create("convert");

	tcase_add_loop_test(tc, a_value_is_cast, 0, (int)ARRAY_SIZE(casts));
	tcase_add_test(tc, casts_that_are_refused);
	tcase_add_loop_test(tc, a_floor_is_found, 0, (int)ARRAY_SIZE(floors));
	tcase_add_loop_test(tc, a_random_floor_is_right, 0, 100);
	tcase_add_loop_test(tc, a_time_is_converted, 0,
			    (int)ARRAY_SIZE(conversions));
	tcase_add_test(tc, now_has_a_form_of_each_kind);
	suite_add_tcase(suite, tc);
}
