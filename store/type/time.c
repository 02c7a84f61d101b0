/*
 * Dates and times of day. A date is a uint32 that counts days, with 2^31 for
 * 1970-01-01; a time is an int64 of nanoseconds since midnight. The calendar is
 * the Gregorian one for all years, with a year 0.
 */
#include "store/type/time.h"

#include <ctype.h>
#include <stdio.h>

#include "store/type/number.h"

#define DAYS_PER_ERA 146097	/* 400 years */
/* From 0000-03-01, where the count of eras begins, to 1970-01-01. */
#define DAYS_TO_1970 719468

int64_t time_floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

int64_t time_floor_mod(int64_t a, int64_t b)
{
	return a % b + (a % b < 0 ? b : 0);
}

int64_t time_days(int64_t year, unsigned month, unsigned day)
{
	/* Years that begin in March have their leap day at the end. */
	int64_t y = year - (month <= 2), era = time_floor_div(y, 400);
	int64_t of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 +
			  day - 1;

	return era * DAYS_PER_ERA + of_era * 365 + of_era / 4 - of_era / 100 +
	       of_year - DAYS_TO_1970;
}

void time_civil(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
	int64_t since = days + DAYS_TO_1970;
	int64_t era = time_floor_div(since, DAYS_PER_ERA);
	int64_t of_era = since - era * DAYS_PER_ERA;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 -
		     of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * of_year + 2) / 153;

	*day = (unsigned)(of_year - (153 * m + 2) / 5 + 1);
	*month = (unsigned)(m < 10 ? m + 3 : m - 9);
	*year = era * 400 + y + (*month <= 2);
}

unsigned time_month_length(int64_t year, unsigned month)
{
	static const uint8_t lengths[] = { 31, 28, 31, 30, 31, 30,
					   31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 || year % 400 == 0);

	return lengths[month - 1] + (month == 2 && leap);
}

int64_t time_read_digits(struct reader *r, int max_len)
{
	int64_t n = 0;
	int len = 0;

	for (; len < max_len && r->ptr < r->end && isdigit(*r->ptr); len++)
		n = n * 10 + (*r->ptr++ - '0');
	return len ? n : -1;
}

/* True for an optional minus and digits: the raw number of a date or time. */
static bool is_raw_number(struct bytes text)
{
	size_t i = text.len && text.ptr[0] == '-';
	bool any = i < text.len;

	for (; i < text.len; i++)
		any = any && isdigit(text.ptr[i]);
	return any;
}

/* ISO 8601: four digits, or more and a sign. */
static bool read_iso_year(struct reader *r, int64_t *year)
{
	bool plus = read_char(r, '+'), minus = !plus && read_char(r, '-');
	const uint8_t *start = r->ptr;
	long len;

	*year = time_read_digits(r, 10);
	len = r->ptr - start;
	if (len < 4 || (plus && len == 4) || (!plus && !minus && len > 4) ||
	    (minus && !*year) || *year > 999999999)
		return false;
	if (minus)
		*year = -*year;
	return true;
}

static bool read_two_digits(struct reader *r, unsigned *n)
{
	const uint8_t *start = r->ptr;

	*n = (unsigned)time_read_digits(r, 2);
	return r->ptr - start == 2;
}

static bool read_iso_date(int64_t *days, struct bytes text)
{
	struct reader r = reader_of(text);
	unsigned month, day;
	int64_t year;

	if (!read_iso_year(&r, &year) || !read_char(&r, '-') ||
	    !read_two_digits(&r, &month) || !read_char(&r, '-') ||
	    !read_two_digits(&r, &day) || reader_left(&r) ||
	    month < 1 || month > 12 || day < 1 ||
	    day > time_month_length(year, month))
		return false;
	*days = time_days(year, month, day);
	return true;
}

static int read_date(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	int64_t n;

	if (is_raw_number(text)) {
		if (!number_read_int64(&n, text) || n < 0 || n > UINT32_MAX)
			return type_fail(error, "Unable to make unsigned int "
					 "(for date) from: '%.*s'",
					 type_fail_length(text), text.ptr);
		buf_add_be32(out, (uint32_t)n);
		return 0;
	}
	if (!read_iso_date(&n, text))
		return type_fail(error, "Unable to coerce '%.*s' to a "
				 "formatted date (long)",
				 type_fail_length(text), text.ptr);
	if (n < INT32_MIN)
		return type_fail(error, "Input date %.*s is less than min "
				 "supported date -5877641-06-23T00:00Z",
				 type_fail_length(text), text.ptr);
	if (n > INT32_MAX)
		return type_fail(error, "Input date %.*s is greater than max "
				 "supported date +5881580-07-11T00:00Z",
				 type_fail_length(text), text.ptr);
	buf_add_be32(out, (uint32_t)(n + DATE_EPOCH));
	return 0;
}

static bool date_may_begin(struct bytes text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (!isdigit(text.ptr[i]) && text.ptr[i] != '-' &&
		    (i || text.ptr[i] != '+'))
			return false;
	return true;
}

static size_t format_date(char text[32], uint32_t date)
{
	unsigned month, day;
	int64_t year;

	time_civil((int64_t)date - DATE_EPOCH, &year, &month, &day);
	return (size_t)snprintf(text, 32, "%s%04lld-%02u-%02u",
				year < 0 ? "-" : year > 9999 ? "+" : "",
				(long long)(year < 0 ? -year : year), month,
				day);
}

static void print_date(struct buf *out, struct bytes value)
{
	char text[32];

	buf_add(out, text, format_date(text, get_be32(value.ptr)));
}

static size_t date_length(struct bytes value)
{
	char text[32];

	return format_date(text, get_be32(value.ptr));
}

const struct native_type native_date = {
	.type = { .kind = TYPE_DATE, .depth = 1 },
	.name = "date",
	.class = "SimpleDateType",
	.length = 4,
	.is_never_empty = true,
	.wrong_length = "Expected 4 byte long for date",
	.read = read_date,
	.may_begin = date_may_begin,
	.print = print_date,
	.text_length = date_length,
	.constants = 1 << LITERAL_STRING | 1 << LITERAL_INTEGER,
	.casts_to_text = true,
	.is_quoted = true,
	.json_expected = "a string representation of a date value",
	.json_empty = JSON_EMPTY_TEXT,
	.masked = { (const uint8_t *)"\x80\0\0\0", 4 },	/* 1970-01-01 */
};

/* ------------------------------------------------------------- times of day */
/* Digits with an optional sign, as Java's parseInt takes them; below limit. */
static bool read_field(struct bytes text, int64_t limit, int64_t *n)
{
	return number_read_int64(n, text) && *n >= 0 && *n < limit;
}

static bool read_fraction(struct bytes text, int64_t *ns)
{
	size_t i;

	*ns = 0;
	if (!text.len || text.len > 9)
		return false;
	for (i = 0; i < 9; i++) {
		uint8_t c = i < text.len ? text.ptr[i] : '0';

		if (!isdigit(c))
			return false;
		*ns = *ns * 10 + (c - '0');
	}
	return true;
}

/* h:m:s[.f], blanks around it not minded. */
static bool read_clock(int64_t *ns, struct bytes text)
{
	int64_t hour, minute, second, fraction = 0;
	const uint8_t *first, *second_colon, *point, *end;

	while (text.len && text.ptr[text.len - 1] <= ' ')
		text.len--;
	for (; text.len && text.ptr[0] <= ' '; text.len--)
		text.ptr++;
	end = text.ptr + text.len;
	first = memchr(text.ptr, ':', text.len);
	if (!first)
		return false;
	second_colon = memchr(first + 1, ':', (size_t)(end - first - 1));
	if (!second_colon)
		return false;
	point = memchr(second_colon + 1, '.', (size_t)(end - second_colon - 1));
	if (point && !read_fraction(bytes_of(point + 1,
					     (size_t)(end - point - 1)),
				    &fraction))
		return false;
	if (!point)
		point = end;
	if (!read_field(bytes_of(text.ptr, (size_t)(first - text.ptr)), 24,
			&hour) ||
	    !read_field(bytes_of(first + 1, (size_t)(second_colon - first - 1)),
			60, &minute) ||
	    !read_field(bytes_of(second_colon + 1,
				 (size_t)(point - second_colon - 1)), 60,
			&second))
		return false;
	*ns = ((hour * 60 + minute) * 60 + second) * 1000000000 + fraction;
	return true;
}

static int read_time(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	int64_t ns;

	if (is_raw_number(text)) {
		if (!number_read_int64(&ns, text) || ns < 0 || ns >= NS_PER_DAY)
			return type_fail(error, "Unable to make long (for "
					 "time) from: '%.*s'",
					 type_fail_length(text), text.ptr);
	} else if (!read_clock(&ns, text)) {
		return type_fail(error, "(TimeType) Unable to coerce '%.*s' to "
				 "a formatted time (long)",
				 type_fail_length(text), text.ptr);
	}
	buf_add_be64(out, (uint64_t)ns);
	return 0;
}

static bool time_may_begin(struct bytes text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (!isdigit(text.ptr[i]) && text.ptr[i] != ':' &&
		    text.ptr[i] != '.' && text.ptr[i] != '+' &&
		    text.ptr[i] != '-')
			return false;
	return true;
}

/* Java pads a negative number (of bytes no text gives) as it pads 0 to 9. */
static void print_padded(struct buf *out, int64_t n, int width)
{
	if (width > 2 && n < 100)
		buf_add_byte(out, '0');
	if (n < 10)
		buf_add_byte(out, '0');
	buf_add_decimal(out, n);
}

static void print_time(struct buf *out, struct bytes value)
{
	static const struct {
		int64_t unit, count;
		int width;
		char after;
	} parts[] = {
		{ 3600000000000, 24, 2, ':' }, { 60000000000, 60, 2, ':' },
		{ 1000000000, 60, 2, '.' }, { 1000000, 1000, 3, 0 },
		{ 1000, 1000, 3, 0 }, { 1, 1000, 3, 0 },
	};
	int64_t ns = (int64_t)get_be64(value.ptr);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		print_padded(out, ns / parts[i].unit % parts[i].count,
			     parts[i].width);
		if (parts[i].after)
			buf_add_byte(out, (uint8_t)parts[i].after);
	}
}

static bool has_literal(struct bytes value)
{
	return value.len == 8 && get_be64(value.ptr) < (uint64_t)NS_PER_DAY;
}

const struct native_type native_time = {
	.type = { .kind = TYPE_TIME, .depth = 1 },
	.name = "time",
	.class = "TimeType",
	.length = 8,
	.is_never_empty = true,
	.wrong_length = "Expected 8 byte long for time",
	.read = read_time,
	.may_begin = time_may_begin,
	.print = print_time,
	.constants = 1 << LITERAL_STRING | 1 << LITERAL_INTEGER,
	.casts_to_text = true,
	.is_quoted = true,
	.has_literal = has_literal,
	.json_expected = "a string representation of a time value",
	.json_empty = JSON_EMPTY_TEXT,
};
