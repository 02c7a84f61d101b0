/* Timestamps: milliseconds since 1970, written as a date, a time and a zone. */
#include "store/type/timestamp.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

#include "store/base/clock.h"
#include "store/type/number.h"
#include "store/type/time.h"
#include "store/type/zone.h"

#define MAX_OFFSET (18 * 3600)
#define MAX_YEAR 999999999
#define REST_LENGTH 20	/* of a text, after the year */

struct moment {
	int64_t year;
	unsigned month, day;
	int64_t hour, minute, second, ms;
};

static bool read_pair(struct reader *r, int64_t *n)
{
	const uint8_t *start = r->ptr;

	*n = time_read_digits(r, 2);
	return r->ptr - start == 2;
}

/* Read 1 to 19 digits, zeros before them included; a huge number is just
 * huge. */
static bool read_padded(struct reader *r, int64_t *n)
{
	const uint8_t *start = r->ptr;

	*n = 0;
	for (; reader_left(r) && isdigit(*r->ptr); r->ptr++)
		if (*n <= INT32_MAX)
			*n = *n * 10 + (*r->ptr - '0');
	return r->ptr > start && r->ptr - start <= 19;
}

static bool set_day(struct moment *m, int64_t year, int64_t month, int64_t day)
{
	if (year > MAX_YEAR || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	m->year = year;
	m->month = (unsigned)month;
	m->day = (unsigned)day;
	/* The 30th of February is its last day. */
	if (m->day > time_month_length(year, m->month))
		m->day = time_month_length(year, m->month);
	return true;
}

/*
 * year-month-day before a time, of any width. A literal's year is of the common
 * era and has no sign; what we print ourselves may have one.
 */
static bool read_day(struct reader *r, struct moment *m, bool literal)
{
	bool plus = !literal && read_char(r, '+');
	bool minus = !literal && !plus && read_char(r, '-');
	int64_t year, month, day;

	return read_padded(r, &year) && read_char(r, '-') &&
	       read_padded(r, &month) && read_char(r, '-') &&
	       read_padded(r, &day) && (year || !literal) &&
	       set_day(m, minus ? -year : year, month, day);
}

/*
 * A day without a time: yyyy-mm-dd, a sign where the year has more digits or
 * is before the year 0. *iso: its year has at most the digits ISO 8601 gives.
 */
static bool read_day_alone(struct reader *r, struct moment *m, bool *iso)
{
	bool plus = read_char(r, '+'), minus = !plus && read_char(r, '-');
	const uint8_t *start = r->ptr;
	int64_t year, month, day;
	long len;

	if (!read_padded(r, &year))
		return false;
	len = r->ptr - start;
	*iso = len <= 10;
	if (len < 4 || (plus && len == 4) || (!plus && !minus && len > 4) ||
	    (minus && !year))
		return false;
	return read_char(r, '-') && read_pair(r, &month) &&
	       read_char(r, '-') && read_pair(r, &day) &&
	       set_day(m, minus ? -year : year, month, day);
}

/* H:m[:s[.fraction]] */
static bool read_clock(struct reader *r, struct moment *m)
{
	const uint8_t *start;
	long len;

	if (!read_padded(r, &m->hour) || !read_char(r, ':') ||
	    !read_padded(r, &m->minute))
		return false;
	if (read_char(r, ':')) {
		if (!read_padded(r, &m->second))
			return false;
		if (read_char(r, '.')) {
			start = r->ptr;
			m->ms = time_read_digits(r, 9);
			if (m->ms < 0)		/* a point alone */
				m->ms = 0;
			for (len = r->ptr - start; len < 3; len++)
				m->ms *= 10;
			for (; len > 3; len--)
				m->ms /= 10;
		}
	}
	if (m->hour == 24)	/* midnight at the end of the day */
		return !m->minute && !m->second && !m->ms;
	return m->hour < 24 && m->minute < 60 && m->second < 60;
}

enum offset_form {
	OFFSET_SHORT,		/* +01, +0130, +01:30 */
	OFFSET_ANY,		/* these, and +01:30:15 */
	OFFSET_COLONS,		/* +01:30, +01:30:15 */
};

/* All that is left is an offset. */
static bool read_offset(struct reader *r, int64_t *seconds,
			enum offset_form form)
{
	bool minus = reader_left(r) && *r->ptr == '-', colon;
	int64_t hours, minutes = 0, rest = 0;

	if (!read_char(r, '+') && !read_char(r, '-'))
		return false;
	if (!read_pair(r, &hours))
		return false;
	if (reader_left(r) || form == OFFSET_COLONS) {
		colon = read_char(r, ':');
		if (!read_pair(r, &minutes) ||
		    (form == OFFSET_COLONS && !colon))
			return false;
		if (colon && form != OFFSET_SHORT && read_char(r, ':') &&
		    !read_pair(r, &rest))
			return false;
	}
	*seconds = hours * 3600 + minutes * 60 + rest;
	if (minutes > 59 || rest > 59 || *seconds > MAX_OFFSET)
		return false;
	if (minus)
		*seconds = -*seconds;
	return !reader_left(r);
}

/* UTC+01:30 and its like: *is_one false, when it is a name of another kind. */
static bool read_named_offset(struct reader r, int64_t *seconds, bool *is_one)
{
	static const char *const names[] = { "GMT", "UTC", "UT" };

	*is_one = true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct bytes name = bytes_str(names[i]);

		if (reader_left(&r) <= name.len ||
		    memcmp(r.ptr, name.ptr, name.len) ||
		    (r.ptr[name.len] != '+' && r.ptr[name.len] != '-'))
			continue;
		r.ptr += name.len;
		return read_offset(&r, seconds, OFFSET_COLONS);
	}
	*is_one = false;
	return false;
}

/* All that is left: nothing, [blank] Z or offset, blank and a name. */
static bool read_zone(struct reader *r, int64_t *seconds, int64_t local_time)
{
	bool blank, named, offset;
	struct bytes name;

	*seconds = 0;
	if (!reader_left(r))
		return true;
	blank = read_char(r, ' ');
	if (!reader_left(r))
		return false;
	if (*r->ptr == '+' || *r->ptr == '-')
		return read_offset(r, seconds,
				   blank ? OFFSET_ANY : OFFSET_SHORT);
	name = bytes_of(r->ptr, reader_left(r));
	if (name.len == 1 && *name.ptr == 'Z')
		return true;
	if (!blank)
		return false;
	offset = read_named_offset(*r, seconds, &named);
	return named ? offset : zone_offset(seconds, name, local_time);
}

/* As ISO 8601 has it: nothing, Z or +01:30[:15]. */
static bool read_iso_zone(struct reader *r, int64_t *seconds)
{
	*seconds = 0;
	if (!reader_left(r))
		return true;
	if (reader_left(r) == 1 && (*r->ptr == 'Z' || *r->ptr == 'z'))
		return true;
	return read_offset(r, seconds, OFFSET_COLONS);
}

static int64_t local_time(const struct moment *m)
{
	return time_days(m->year, m->month, m->day) * 86400 + m->hour * 3600 +
	       m->minute * 60 + m->second;
}

static bool read_with_time(struct reader r, struct moment *m, int64_t *offset,
			   bool literal)
{
	return read_day(&r, m, literal) &&
	       (read_char(&r, 'T') || read_char(&r, ' ')) && read_clock(&r, m) &&
	       read_zone(&r, offset, local_time(m));
}

static bool read_without_time(struct reader r, struct moment *m,
			      int64_t *offset)
{
	struct reader rest;
	bool iso;

	if (!read_day_alone(&r, m, &iso))
		return false;
	rest = r;
	return (iso && read_iso_zone(&r, offset)) ||
	       (m->year > 0 && reader_left(&rest) &&
		read_zone(&rest, offset, local_time(m)));
}

static bool read_moment(int64_t *ms, struct bytes text, bool literal)
{
	struct moment m = { 0 }, day = { 0 };
	int64_t offset;
	__int128 total;

	if (!read_with_time(reader_of(text), &m, &offset, literal)) {
		if (!read_without_time(reader_of(text), &day, &offset))
			return false;
		m = day;
	}
	total = (__int128)(local_time(&m) - offset) * 1000 + m.ms;
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

static int read_timestamp(struct buf *out, struct bytes text, bool literal,
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
	} else if (!read_moment(&ms, text, literal)) {
		return type_fail(error,
				 "Unable to parse a date/time from '%.*s'",
				 type_fail_length(text), text.ptr);
	}
	buf_add_be64(out, (uint64_t)ms);
	return 0;
}

static int read_text(struct buf *out, struct bytes text,
		     struct type_error *error)
{
	return read_timestamp(out, text, false, error);
}

static int read_literal(struct buf *out, struct bytes text,
			struct type_error *error)
{
	return read_timestamp(out, text, true, error);
}

static bool may_begin(struct bytes text)
{
	bool in_time = false;
	size_t i, year;

	if (text.len <= 3 && !strncasecmp((const char *)text.ptr, "now",
					  text.len))
		return true;
	year = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+');
	for (i = year; i < text.len && isdigit(text.ptr[i]); i++)
		;
	if (i < text.len && (i == year || text.ptr[i] != '-'))
		return false;
	for (; i < text.len; i++) {
		uint8_t c = text.ptr[i];

		if (c == 'T' || c == ' ')
			in_time = true;
		else if (!isdigit(c) && c != '-' && c != '+' && c != ':' &&
			 c != 'Z' && c != 'z' &&
			 !(in_time && (isalpha(c) || c == '.' || c == '/' ||
				       c == '_')))
			return false;
	}
	return true;
}

/* Print the part after the year. Returns its length. */
static size_t print_rest(char *text, unsigned month, unsigned day,
			 int64_t of_day_ms, bool blank)
{
	uint32_t ms = (uint32_t)of_day_ms;

	memcpy(text, "-mm-ddTHH:MM:SS.mmmZ", REST_LENGTH);
	if (blank)
		text[6] = ' ';
	put_digits(text + 1, month, 2);
	put_digits(text + 4, day, 2);
	put_digits(text + 7, ms / 3600000, 2);
	put_digits(text + 10, ms / 60000 % 60, 2);
	put_digits(text + 13, ms / 1000 % 60, 2);
	put_digits(text + 16, ms % 1000, 3);
	return REST_LENGTH;
}

static size_t format(char text[64], int64_t ms, enum timestamp_style style)
{
	int64_t days = time_floor_div(ms, MS_PER_DAY), year;
	int64_t of_day = time_floor_mod(ms, MS_PER_DAY);
	bool blank = style == TIMESTAMP_JSON || style == TIMESTAMP_EXACT_JSON;
	bool era_lost = style == TIMESTAMP_JSON || style == TIMESTAMP_CAST;
	const char *sign = "";
	unsigned month, day;
	size_t len = 4;

	time_civil(days, &year, &month, &day);
	if (era_lost && year <= 0)
		year = 1 - year;	/* the year of its era */
	if (year < 0)
		sign = "-";
	else if (year > 9999)
		sign = "+";
	if (*sign)
		len = (size_t)snprintf(text, 64, "%s%04lld", sign,
				       (long long)(year < 0 ? -year : year));
	else
		put_digits(text, (uint32_t)year, 4);
	return len + print_rest(text + len, month, day, of_day, blank);
}

void timestamp_print(struct buf *out, int64_t ms,
		     enum timestamp_style style)
{
	char text[64];

	buf_add(out, text, format(text, ms, style));
}

size_t timestamp_length(int64_t ms, enum timestamp_style style)
{
	char text[64];

	return format(text, ms, style);
}

static void print_text(struct buf *out, struct bytes value)
{
	timestamp_print(out, (int64_t)get_be64(value.ptr), TIMESTAMP_TEXT);
}

static size_t text_length(struct bytes value)
{
	return timestamp_length((int64_t)get_be64(value.ptr), TIMESTAMP_TEXT);
}

static bool has_literal(struct bytes value)
{
	(void)value;
	return true;
}

/* CQL reads the years 1 to 9999 as printed; others are written as milliseconds. */
static void print_literal(struct buf *out, struct bytes value)
{
	int64_t ms = value.len == 8 ? (int64_t)get_be64(value.ptr) : 0;

	if (ms < -62135596800000 || ms >= 253402300800000) {
		buf_add_decimal(out, ms);
		return;
	}
	buf_add_byte(out, '\'');
	if (value.len == 8)
		print_text(out, value);
	buf_add_byte(out, '\'');
}

const struct native_type native_timestamp = {
	.type = { .kind = TYPE_TIMESTAMP, .depth = 1 },
	.name = "timestamp",
	.class = "TimestampType",
	.length = 8,
	.wrong_length = "Expected 8 or 0 byte long for date",
	.is_flat = true,
	.read = read_text,
	.may_begin = may_begin,
	.print = print_text,
	.text_length = text_length,
	.constants = 1 << LITERAL_STRING | 1 << LITERAL_INTEGER,
	.casts_to_text = true,
	.is_quoted = true,
	.read_literal = read_literal,
	.has_literal = has_literal,
	.print_literal = print_literal,
	.json_expected = "a long or a datestring representation of a timestamp "
			 "value",
	.json_number = JSON_LONG,
	.compare = number_compare,
	.order = number_flip_sign,
	.order_back = number_flip_sign,
};
