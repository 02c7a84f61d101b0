#include "store/type/shift.h"

#include <errno.h>

static int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_mul(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* Calendar months, days, then milliseconds. */
static int64_t shift(int64_t ms, int64_t months, int64_t days, int64_t more_ms)
{
	int64_t day_number, of_day, year, month;
	unsigned civil_month, day;

	if (months) {
		day_number = time_floor_div(ms, MS_PER_DAY);
		of_day = time_floor_mod(ms, MS_PER_DAY);
		time_civil(day_number, &year, &civil_month, &day);
		month = year * 12 + civil_month - 1 + months;
		year = time_floor_div(month, 12);
		civil_month = (unsigned)(month - year * 12) + 1;
		if (day > time_month_length(year, civil_month))
			day = time_month_length(year, civil_month);
		ms = wrap_add(wrap_mul(time_days(year, civil_month, day),
				       MS_PER_DAY), of_day);
	}
	return wrap_add(ms, wrap_add(wrap_mul(days, MS_PER_DAY), more_ms));
}

int64_t shift_timestamp(int64_t ms, const struct duration *d, bool back)
{
	int sign = back ? -1 : 1;

	return shift(ms, sign * (int64_t)d->months, sign * (int64_t)d->days,
		     sign * (d->ns / 1000000));
}

int64_t shift_ms_of(uint32_t date)
{
	return ((int64_t)date - DATE_EPOCH) * MS_PER_DAY;
}

uint32_t shift_date_of(int64_t ms)
{
	return (uint32_t)(time_floor_div(ms, 1000) / 86400) + DATE_EPOCH;
}

uint32_t shift_date(uint32_t date, const struct duration *d, bool back)
{
	return shift_date_of(shift_timestamp(shift_ms_of(date), d, back));
}

static int64_t month_number(int64_t ms)
{
	unsigned month, day;
	int64_t year;

	time_civil(time_floor_div(ms, MS_PER_DAY), &year, &month, &day);
	return year * 12 + month - 1;
}

/* start and n steps of d; INT64_MAX where that is beyond all times. */
static int64_t steps_from(int64_t start, const struct duration *d, int64_t n)
{
	int64_t rest, moved = shift(start, n * d->months, 0, 0);

	if (__builtin_mul_overflow(d->days * MS_PER_DAY + d->ns / 1000000, n,
				   &rest) ||
	    __builtin_add_overflow(moved, rest, &moved))
		return INT64_MAX;
	return moved;
}

/*
 * Of months alone, as many steps as the count of months has: the last may pass
 * ms within its month, as in Cassandra. With more than months, the largest
 * number of steps that does not pass it.
 */
static int64_t floor_months(int64_t ms, const struct duration *d, int64_t start)
{
	int64_t low = 0, floor;
	int64_t high = (month_number(ms) - month_number(start)) / d->months;

	if (!d->days && !d->ns)
		return steps_from(start, d, high);
	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;

		if (steps_from(start, d, middle) > ms)
			high = middle - 1;
		else
			low = middle;
	}
	floor = steps_from(start, d, low);
	return floor < start ? start : floor;
}

int shift_floor(int64_t *out, int64_t ms, const struct duration *d,
		int64_t start, struct type_error *error)
{
	int64_t step;

	if (start > ms)
		return type_fail(error, "The floor function starting time is "
				 "greater than the provided time");
	if (d->months < 0 || d->days < 0 || d->ns < 0)
		return type_fail(error, "Negative durations are not supported "
				 "by the floor function");
	if (d->months) {
		*out = floor_months(ms, d, start);
		return 0;
	}
	step = d->days * MS_PER_DAY + d->ns / 1000000;
	/* The distance may be beyond 63 bits, but not beyond 64. */
	*out = !step ? ms : (int64_t)((uint64_t)ms -
			((uint64_t)ms - (uint64_t)start) % (uint64_t)step);
	return 0;
}
