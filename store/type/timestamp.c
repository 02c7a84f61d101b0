/* Timestamps: milliseconds since 1970, written as a date, a time and a zone. */
#include "store/type/native.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

#include "store/base/clock.h"
#include "store/type/zone.h"

#define MAX_OFFSET (18 * 3600)

struct moment {
	int64_t year;
	unsigned month, day;
	int64_t hour, minute, second, ms;
};

static bool read_char(struct reader *r, char c)
{
	if (r->ptr < r->end && *r->ptr == c) {
		r->ptr++;
		return true;
	}
	return false;
}

/* 1 or 2 digits; exactly 2 where asked. */
static bool read_small(struct reader *r, int64_t *n, bool two)
{
	const uint8_t *start = r->ptr;

	*n = time_read_digits(r, 2);
	return *n >= 0 && (!two || r->ptr - start == 2);
}

/* [sign] year-month-day; *plain: as it must be where no time follows. */
static bool read_day(struct reader *r, struct moment *m, bool *plain)
{
	bool plus = read_char(r, '+'), minus = !plus && read_char(r, '-');
	const uint8_t *start = r->ptr, *month_start;
	int64_t month, day;

	m->year = time_read_digits(r, 10);
	*plain = r->ptr - start == 4 && !plus;
	if (r->ptr - start < 4 || (plus && r->ptr - start == 4) ||
	    !read_char(r, '-'))
		return false;
	month_start = r->ptr;
	if (!read_small(r, &month, false) || !read_char(r, '-') ||
	    !read_small(r, &day, false))
		return false;
	*plain = *plain && r->ptr - month_start == 5;
	if (month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	if (minus)
		m->year = -m->year;
	m->month = (unsigned)month;
	m->day = (unsigned)day;
	/* The 30th of February is its last day. */
	if (m->day > time_month_length(m->year, m->month))
		m->day = time_month_length(m->year, m->month);
	return true;
}

/* H:m[:s[.fraction]] */
static bool read_clock(struct reader *r, struct moment *m)
{
	const uint8_t *start;
	int64_t fraction;
	long len;

	if (!read_small(r, &m->hour, false) || !read_char(r, ':') ||
	    !read_small(r, &m->minute, false))
		return false;
	if (read_char(r, ':')) {
		if (!read_small(r, &m->second, false))
			return false;
		if (read_char(r, '.')) {
			start = r->ptr;
			fraction = time_read_digits(r, 9);
			if (fraction < 0)
				return false;
			for (len = r->ptr - start; len < 3; len++)
				fraction *= 10;
			for (; len > 3; len--)
				fraction /= 10;
			m->ms = fraction;
		}
	}
	if (m->hour == 24)	/* midnight at the end of the day */
		return !m->minute && !m->second && !m->ms;
	return m->hour < 24 && m->minute < 60 && m->second < 60;
}

/* +01, +0130, +01:30; with colon_only +01:30 alone. */
static bool read_offset(struct reader *r, int64_t *seconds)
{
	bool minus = reader_left(r) && *r->ptr == '-';
	int64_t hours, minutes = 0;

	if (!read_char(r, '+') && !read_char(r, '-'))
		return false;
	if (!read_small(r, &hours, true))
		return false;
	if (reader_left(r)) {
		read_char(r, ':');
		if (!read_small(r, &minutes, true) || minutes > 59)
			return false;
	}
	*seconds = hours * 3600 + minutes * 60;
	if (*seconds > MAX_OFFSET)
		return false;
	if (minus)
		*seconds = -*seconds;
	return true;
}

/* All that is left: nothing, [blank] Z or offset, blank and a name. */
static bool read_zone(struct reader *r, int64_t *seconds, int64_t local_time)
{
	bool blank;
	struct bytes name;

	*seconds = 0;
	if (!reader_left(r))
		return true;
	blank = read_char(r, ' ');
	if (!reader_left(r))
		return false;
	if (*r->ptr == '+' || *r->ptr == '-')
		return read_offset(r, seconds) && !reader_left(r);
	name = bytes_of(r->ptr, reader_left(r));
	if (name.len == 1 && *name.ptr == 'Z')
		return true;
	return blank && zone_offset(seconds, name, local_time);
}

static bool read_moment(int64_t *ms, struct bytes text)
{
	struct reader r = reader_of(text);
	struct moment m = { 0 };
	int64_t local, offset;
	__int128 total;
	bool plain;

	if (!read_day(&r, &m, &plain))
		return false;
	if (read_char(&r, 'T') ||
	    (reader_left(&r) > 1 && isdigit(r.ptr[1]) && read_char(&r, ' '))) {
		if (!read_clock(&r, &m))
			return false;
	} else if (!plain) {
		return false;
	}
	local = time_days(m.year, m.month, m.day) * 86400 + m.hour * 3600 +
		m.minute * 60 + m.second;
	if (!read_zone(&r, &offset, local))
		return false;
	total = (__int128)(local - offset) * 1000 + m.ms;
	*ms = (int64_t)total;
	return *ms == total;
}

static bool is_raw_number(struct bytes text)
{
	size_t i = text.len && text.ptr[0] == '-';

	if (i == text.len)
		return false;
	for (; i < text.len; i++)
		if (!isdigit(text.ptr[i]))
			return false;
	return true;
}

static int64_t now_ms(void)
{
	return clock_now_us() / 1000;
}

int time_read_timestamp(struct buf *out, struct bytes text,
			struct type_error *error)
{
	int64_t ms;

	if (!text.len)
		return 0;
	if (text.len == 3 && !strncasecmp((const char *)text.ptr, "now", 3)) {
		ms = now_ms();
	} else if (is_raw_number(text)) {
		if (!number_read_int64(&ms, text))
			return type_fail(error, "Unable to make long (for "
					 "date) from: '%.*s'",
					 type_fail_length(text), text.ptr);
	} else if (!read_moment(&ms, text)) {
		return type_fail(error,
				 "Unable to parse a date/time from '%.*s'",
				 type_fail_length(text), text.ptr);
	}
	buf_add_be64(out, (uint64_t)ms);
	return 0;
}

bool time_timestamp_may_begin(struct bytes text)
{
	bool in_time = false;
	size_t i;

	if (text.len <= 3 && !strncasecmp((const char *)text.ptr, "now",
					  text.len))
		return true;
	for (i = 0; i < text.len; i++) {
		uint8_t c = text.ptr[i];

		if (c == 'T' || c == ' ')
			in_time = true;
		else if (!isdigit(c) && c != '-' && c != '+' && c != ':' &&
			 c != 'Z' && !(in_time && (isalpha(c) || c == '.' ||
						   c == '/' || c == '_')))
			return false;
		/* A date is before all the rest, a digit before the date. */
		if (i < 4 && !isdigit(c) && (i || (c != '-' && c != '+')))
			return false;
	}
	return true;
}

static size_t print(char text[64], int64_t ms, enum timestamp_style style)
{
	int64_t days = time_floor_div(ms, MS_PER_DAY), year;
	int64_t of_day = time_floor_mod(ms, MS_PER_DAY);
	bool blank = style == TIMESTAMP_JSON || style == TIMESTAMP_EXACT_JSON;
	bool era_lost = style == TIMESTAMP_JSON || style == TIMESTAMP_CAST;
	const char *sign = "";
	unsigned month, day;

	time_civil(days, &year, &month, &day);
	if (era_lost && year <= 0)
		year = 1 - year;	/* the year of its era */
	if (year < 0)
		sign = "-";
	else if (year > 9999)
		sign = "+";
	return (size_t)snprintf(text, 64,
				"%s%04lld-%02u-%02u%c%02d:%02d:%02d.%03dZ",
				sign, (long long)(year < 0 ? -year : year),
				month, day, blank ? ' ' : 'T',
				(int)(of_day / 3600000),
				(int)(of_day / 60000 % 60),
				(int)(of_day / 1000 % 60),
				(int)(of_day % 1000));
}

void time_print_timestamp(struct buf *out, int64_t ms,
			  enum timestamp_style style)
{
	char text[64];

	buf_add(out, text, print(text, ms, style));
}

size_t time_timestamp_length(int64_t ms, enum timestamp_style style)
{
	char text[64];

	return print(text, ms, style);
}
