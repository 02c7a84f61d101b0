/* Casts, and conversions of dates, timestamps and timeuuids. */
#include "store/type/convert.h"

#include <errno.h>
#include <string.h>
#include <math.h>

#include "store/base/clock.h"
#include "store/type/big_integer.h"
#include "store/type/date_step.h"
#include "store/type/decimal.h"
#include "store/type/duration.h"
#include "store/type/float.h"
#include "store/type/native.h"
#include "store/type/number.h"
#include "store/type/time.h"
#include "store/type/timestamp.h"
#include "store/type/uuid.h"

static bool is_float(enum type_kind kind)
{
	return kind == TYPE_FLOAT || kind == TYPE_DOUBLE;
}

static bool is_big(enum type_kind kind)
{
	return kind == TYPE_VARINT || kind == TYPE_DECIMAL;
}

bool convert_is_target(enum type_kind to)
{
	return (type_kind_is_number(to) && to != TYPE_COUNTER) ||
		kind_is_text(to) || to == TYPE_DATE || to == TYPE_TIMESTAMP;
}

static bool has_text_cast(enum type_kind from)
{
	switch (from) {
	case TYPE_BOOLEAN:
	case TYPE_DATE:
	case TYPE_INET:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMEUUID:
	case TYPE_UUID:
		return true;
	default:
		return type_kind_is_number(from);
	}
}

bool convert_is_defined(enum type_kind from, enum type_kind to)
{
	if (from == to)
		return true;
	if (!convert_is_target(to))
		return false;
	switch (to) {
	case TYPE_TEXT:
		return from == TYPE_ASCII || has_text_cast(from);
	case TYPE_ASCII:
		return has_text_cast(from);
	/* The bytes of a bigint are a timestamp's, those of an int a date's:
	 * Cassandra takes one for the other in a function's argument. */
	case TYPE_DATE:
		return from == TYPE_TIMEUUID || from == TYPE_TIMESTAMP ||
		       from == TYPE_BIGINT;
	case TYPE_TIMESTAMP:
		return from == TYPE_TIMEUUID || from == TYPE_DATE ||
		       from == TYPE_INT;
	case TYPE_BIGINT:
	case TYPE_VARINT:
		return type_kind_is_number(from) || from == TYPE_TIMESTAMP;
	default:
		return type_kind_is_number(from);
	}
}

/*
 * Narrow as Java does: toward zero; NaN becomes 0, and a number that is too
 * large becomes the largest bigint or int (of which the smaller types then take
 * the low bits).
 */
static int64_t double_to_int(double x, enum type_kind to)
{
	bool wide = to == TYPE_BIGINT || to == TYPE_VARINT;
	double limit = wide ? 9223372036854775808.0 : 2147483648.0;

	if (isnan(x))
		return 0;
	if (x >= limit)
		return wide ? INT64_MAX : INT32_MAX;
	if (x <= -limit)
		return wide ? INT64_MIN : INT32_MIN;
	return (int64_t)x;
}

/* Get the whole number in a varint or decimal, rounded toward zero. */
static int whole_of(mpz_t n, enum type_kind from, struct bytes value)
{
	struct decimal d;
	mpz_t power;

	if (big_room(value.len))
		return -ENOMEM;
	if (from == TYPE_VARINT) {
		big_get(n, value);
		return 0;
	}
	decimal_init(&d);
	mpz_init(power);
	decimal_get(&d, value);
	if (d.scale >= 0 && (size_t)d.scale > big_digit_count(d.unscaled)) {
		mpz_set_ui(n, 0);
	} else if (d.scale >= 0) {
		big_power_of_ten(power, (unsigned long)d.scale);
		mpz_tdiv_q(n, d.unscaled, power);
	} else if (d.scale > -64) {
		big_power_of_ten(power, (unsigned long)-d.scale);
		mpz_mul(n, d.unscaled, power);
	} else {
		/* Only low bits are used, and they are 0: 2^64 divides
		 * 10^64. */
		mpz_set_ui(n, 0);
	}
	mpz_clear(power);
	decimal_release(&d);
	return 0;
}

/* Return the low 64 bits in two's complement. */
static int64_t low_bits(const mpz_t n)
{
	uint64_t low = mpz_get_ui(n);	/* of the absolute value */

	return (int64_t)(mpz_sgn(n) < 0 ? -low : low);
}

static int number_to_int(int64_t *n, enum type_kind from, struct bytes value,
			 enum type_kind to)
{
	mpz_t big;
	int err;

	if (is_float(from)) {
		*n = double_to_int(float_get(from, value), to);
		return 0;
	}
	if (!is_big(from)) {
		*n = number_get_int(value);
		return 0;
	}
	mpz_init(big);
	err = whole_of(big, from, value);
	*n = low_bits(big);
	mpz_clear(big);
	return err;
}

/* Convert through the text, which is exact and rounds once. */
static int big_to_float(struct buf *out, enum type_kind from,
			struct bytes value, enum type_kind to,
			struct type_error *error)
{
	struct buf text = BUF_INIT;
	int err = 0;

	native_print_text(&text, from, value);
	if (text.failed)
		out->failed = true;
	else
		err = float_read(out, to, buf_bytes(&text), error);
	buf_release(&text);
	return err;
}

static int to_decimal(struct buf *out, enum type_kind from, struct bytes value,
		      struct type_error *error)
{
	char text[FLOAT_TEXT_MAX];
	double x;

	if (is_float(from)) {
		x = float_get(from, value);
		if (!isfinite(x))
			return type_fail(error,
				"java.lang.NumberFormatException: %s",
				decimal_refusal(x));
		return decimal_read(out, bytes_of(text,
					float_print(text, from, x)), error);
	}
	buf_add_be32(out, 0);
	if (from == TYPE_VARINT) {
		buf_add_bytes(out, value);
	} else {
		mpz_t n;

		mpz_init_set_si(n, number_get_int(value));
		big_add(out, n);
		mpz_clear(n);
	}
	return 0;
}

static int cast_number(struct buf *out, enum type_kind from,
		       struct bytes value, enum type_kind to,
		       struct type_error *error)
{
	int64_t n = 0;
	mpz_t big;
	int err;

	if (to == TYPE_DECIMAL)
		return to_decimal(out, from, value, error);
	if (is_float(to)) {
		if (is_big(from))
			return big_to_float(out, from, value, to, error);
		if (is_float(from))
			float_add(out, to, float_get(from, value));
		else if (to == TYPE_FLOAT)
			float_add(out, to,
				  (double)(float)number_get_int(value));
		else
			float_add(out, to, (double)number_get_int(value));
		return 0;
	}
	err = number_to_int(&n, from, value, to);
	if (err)
		return err;
	if (to == TYPE_VARINT) {
		mpz_init_set_si(big, n);
		big_add(out, big);
		mpz_clear(big);
	} else {
		number_add_int(out, to, n);
	}
	return 0;
}

int convert_value(struct buf *out, bool *is_null, enum type_kind from,
		  struct bytes value, enum type_kind to,
		  struct type_error *error)
{
	int err = 0;

	*is_null = bytes_is_null(value) ||
		   (!value.len && from != to && !kind_is_text(from));
	if (*is_null)
		return 0;
	if (from == to || (kind_is_text(from) && kind_is_text(to))) {
		buf_add_bytes(out, value);
	} else if (kind_is_text(to)) {
		if (from == TYPE_TIMESTAMP)
			timestamp_print(out,
					     (int64_t)get_be64(value.ptr),
					     TIMESTAMP_CAST);
		else
			native_print_text(out, from, value);
	} else if (type_kind_is_number(from) && type_kind_is_number(to)) {
		err = cast_number(out, from, value, to, error);
	} else if (to == TYPE_VARINT) {
		err = cast_number(out, TYPE_BIGINT, value, to, error);
	} else {
		convert_time(out, is_null, from == TYPE_INT ? TYPE_DATE : from,
			     value, to);
	}
	if (err == -ENOMEM) {
		out->failed = true;
		err = 0;
	}
	return err;
}

/* Take the time of a timeuuid, truncated toward zero as in Cassandra, also
 * before 1970. */
static int64_t milliseconds_of(const uint8_t uuid[16])
{
	int64_t ms = uuid_time_ms(uuid);
	uint8_t whole[16];

	uuid_min_at(whole, ms);
	return ms < 0 && memcmp(whole, uuid, 8) ? ms + 1 : ms;
}

static int64_t ms_of(enum type_kind kind, struct bytes value)
{
	switch (kind) {
	case TYPE_DATE:
		return date_step_ms_of(get_be32(value.ptr));
	case TYPE_TIMEUUID:
		return milliseconds_of(value.ptr);
	default:
		return (int64_t)get_be64(value.ptr);
	}
}

void convert_time(struct buf *out, bool *is_null, enum type_kind from,
		  struct bytes value, enum type_kind to)
{
	*is_null = bytes_is_null(value) || !value.len;
	if (*is_null)
		return;
	if (to == TYPE_DATE)
		buf_add_be32(out, from == TYPE_DATE ? get_be32(value.ptr) :
				  date_step_date_of(ms_of(from, value)));
	else
		buf_add_be64(out, (uint64_t)ms_of(from, value));
}

static int floor_time(struct buf *out, struct bytes value,
		      const struct duration *d, struct type_error *error)
{
	int64_t ns = (int64_t)get_be64(value.ptr);

	if (d->months < 0 || d->days < 0 || d->ns < 0)
		return type_fail(error, "Negative durations are not supported "
				 "by the floor function");
	if (d->months || d->days || d->ns > NS_PER_DAY)
		return type_fail(error, "For time values, the floor can only "
				 "be computed for durations smaller that a day");
	buf_add_be64(out, (uint64_t)(d->ns ? ns - ns % d->ns : ns));
	return 0;
}

/* A date has no hours, a timestamp no nanoseconds. */
static int check_precision(enum type_kind kind, const struct duration *d,
			   struct type_error *error)
{
	struct buf text = BUF_INIT;

	if (kind == TYPE_DATE ? !d->ns : d->ns % 1000000 == 0)
		return 0;
	duration_print(&text, d);
	if (kind == TYPE_DATE)
		type_fail(error, "The floor on date values cannot be computed "
			  "for the %s duration as precision is below 1 day",
			  buf_cstr(&text));
	else
		type_fail(error, "The floor cannot be computed for the %s "
			  "duration as precision is below 1 millisecond",
			  buf_cstr(&text));
	buf_release(&text);
	return -EINVAL;
}

int convert_floor(struct buf *out, bool *is_null, enum type_kind kind,
		  struct bytes value, struct bytes duration,
		  struct bytes start, struct type_error *error)
{
	struct duration d;
	int64_t floor, start_ms = 0;
	int err;

	*is_null = bytes_is_null(value) || !value.len ||
		   bytes_is_null(duration) || !duration.len;
	if (*is_null)
		return 0;
	if (duration_get(&d, duration))
		return type_fail(error, "damaged duration");
	if (kind == TYPE_TIME)
		return floor_time(out, value, &d, error);
	if (!bytes_is_null(start))
		start_ms = ms_of(kind == TYPE_DATE ? TYPE_DATE :
						     TYPE_TIMESTAMP, start);
	err = check_precision(kind, &d, error);
	if (!err)
		err = date_step_floor(&floor, ms_of(kind, value), &d, start_ms,
				      error);
	if (err)
		return err;
	if (kind == TYPE_DATE)
		buf_add_be32(out, date_step_date_of(floor));
	else
		buf_add_be64(out, (uint64_t)floor);
	return 0;
}

void convert_now(struct buf *out, enum type_kind kind)
{
	int64_t us = clock_now_us(), ms = us / 1000;
	uint8_t uuid[16];

	if (kind == TYPE_TIMEUUID) {
		uuid_new_time(uuid);
		buf_add(out, uuid, sizeof(uuid));
		return;
	}
	if (kind == TYPE_DATE)
		buf_add_be32(out, date_step_date_of(ms));
	else if (kind == TYPE_TIME)
		buf_add_be64(out, (uint64_t)(us % 86400000000 * 1000));
	else
		buf_add_be64(out, (uint64_t)ms);
}
