#include "store/type/date_step.h"

#include <errno.h>

#include "store/type/duration.h"
#include "store/type/time.h"

static int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_mul(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

/*
 * Months are those of Java's calendar: Gregorian from 1582-10-15 on, Julian
 * before that day. Dates themselves are Gregorian throughout (time.c).
 */
#define STEPS_TO_SETTLE 4800		/* months of 400 years */
#define GREGORIAN_FROM (-141427)	/* as a day number */
#define GREGORIAN_YEAR 1582
#define JULIAN_MARCH_0 719470		/* days from 0000-03-01 to 1970 */

struct civil {
	int64_t year;
	unsigned month, day;
};

static struct civil civil_of(int64_t day_number)
{
	int64_t days = day_number + JULIAN_MARCH_0, four;
	unsigned in_four, year, in_year, month;
	struct civil c;

	if (day_number >= GREGORIAN_FROM) {
		time_civil(day_number, &c.year, &c.month, &c.day);
		return c;
	}
	/* Years from March on: the leap day is the last of four. */
	four = time_floor_div(days, 1461);
	in_four = (unsigned)(days - four * 1461);
	year = (in_four - in_four / 1460) / 365;
	in_year = in_four - 365 * year;
	month = (5 * in_year + 2) / 153;
	c.day = in_year - (153 * month + 2) / 5 + 1;
	c.month = month < 10 ? month + 3 : month - 9;
	c.year = four * 4 + year + (c.month <= 2);
	return c;
}

static int64_t day_number_of(struct civil c)
{
	int64_t days = time_days(c.year, c.month, c.day), year, four;
	unsigned month;

	if (days >= GREGORIAN_FROM)
		return days;
	year = c.year - (c.month <= 2);
	four = time_floor_div(year, 4);
	month = c.month > 2 ? c.month - 3 : c.month + 9;
	return four * 1461 + (year - four * 4) * 365 + (153 * month + 2) / 5 +
	       c.day - 1 - JULIAN_MARCH_0;
}

static unsigned month_length(int64_t year, unsigned month)
{
	if (month == 2 && year <= GREGORIAN_YEAR)
		return year % 4 ? 28 : 29;
	return time_month_length(year, month);
}

static int64_t add_months(int64_t ms, int64_t months)
{
	struct civil c = civil_of(time_floor_div(ms, MS_PER_DAY));
	int64_t month = c.year * 12 + c.month - 1 + months;

	c.year = time_floor_div(month, 12);
	c.month = (unsigned)(month - c.year * 12) + 1;
	/* In that year Java continues the days into the next month. */
	if (c.year != GREGORIAN_YEAR && c.day > month_length(c.year, c.month))
		c.day = month_length(c.year, c.month);
	return wrap_add(wrap_mul(day_number_of(c), MS_PER_DAY),
			time_floor_mod(ms, MS_PER_DAY));
}

/* Calendar months, days, then milliseconds. */
static int64_t shift(int64_t ms, int64_t months, int64_t days, int64_t more_ms)
{
	if (months)
		ms = add_months(ms, months);
	return wrap_add(ms, wrap_add(wrap_mul(days, MS_PER_DAY), more_ms));
}

int64_t date_step_timestamp(int64_t ms, const struct duration *d, bool back)
{
	int sign = back ? -1 : 1;

	return shift(ms, sign * (int64_t)d->months, sign * (int64_t)d->days,
		     sign * (d->ns / 1000000));
}

int64_t date_step_ms_of(uint32_t date)
{
	return ((int64_t)date - DATE_EPOCH) * MS_PER_DAY;
}

uint32_t date_step_date_of(int64_t ms)
{
	return (uint32_t)(time_floor_div(ms, 1000) / 86400) + DATE_EPOCH;
}

uint32_t date_step_date(uint32_t date, const struct duration *d, bool back)
{
	return date_step_date_of(date_step_timestamp(date_step_ms_of(date), d,
						     back));
}

/* Years before the first are counted backwards, and all is 32 bits: Cassandra
 * forgets both. */
static int32_t months_between(int64_t from, int64_t to)
{
	struct civil a = civil_of(time_floor_div(from, MS_PER_DAY));
	struct civil b = civil_of(time_floor_div(to, MS_PER_DAY));
	int64_t years = (b.year > 0 ? b.year : 1 - b.year) -
			(a.year > 0 ? a.year : 1 - a.year);

	return (int32_t)(years * 12 + b.month - a.month);
}

/*
 * Of months alone, take as many steps as the count of months has: the last may
 * pass ms within its month, as in Cassandra. With more than months, as many as
 * do not pass it, going back one by one: a day that a short month has reduced
 * stays so. Once it is reduced for good, the rest of the way is halved.
 */
static int64_t floor_months(int64_t ms, const struct duration *d, int64_t start)
{
	int64_t n = months_between(start, ms) / d->months;
	int64_t at = add_months(start, (int32_t)(n * d->months));
	int64_t step = d->days * MS_PER_DAY + d->ns / 1000000;
	int64_t low, high, middle, floor;

	if (!d->days && !d->ns)
		return at;
	floor = wrap_add(at, wrap_mul(n, step));
	for (int i = 0; floor > ms && i < STEPS_TO_SETTLE; i++) {
		at = add_months(at, -(int64_t)d->months);
		floor = wrap_add(at, wrap_mul(--n, step));
	}
	for (low = 0, high = n; floor > ms && low < high;) {
		middle = low + (high - low) / 2;
		if (wrap_add(add_months(at, -middle * d->months),
			     wrap_mul(n - middle, step)) > ms)
			low = middle + 1;
		else
			high = middle;
	}
	if (floor > ms)
		floor = wrap_add(add_months(at, -low * d->months),
				 wrap_mul(n - low, step));
	return floor < start ? start : floor;
}

int date_step_floor(int64_t *out, int64_t ms, const struct duration *d,
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
