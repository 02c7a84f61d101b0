/*
 * Durations: months, days and nanoseconds apart, as none is so many of another.
 * The bytes are three vints: zigzag, then big-endian with as many leading 1
 * bits as bytes follow the first.
 */
#include "store/type/duration.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#define NS_PER_SECOND 1000000000LL

enum duration_part { MONTHS, DAYS, NANOSECONDS };

/* In the order in which a text has them. */
static const struct unit {
	const char *symbol, *name;
	enum duration_part part;
	int64_t count;
} units[] = {
	{ "y", "years", MONTHS, 12 },
	{ "mo", "months", MONTHS, 1 },
	{ "w", "weeks", DAYS, 7 },
	{ "d", "days", DAYS, 1 },
	{ "h", "hours", NANOSECONDS, 3600 * NS_PER_SECOND },
	{ "m", "minutes", NANOSECONDS, 60 * NS_PER_SECOND },
	{ "s", "seconds", NANOSECONDS, NS_PER_SECOND },
	{ "ms", "milliseconds", NANOSECONDS, 1000000 },
	{ "us", "microseconds", NANOSECONDS, 1000 },
	{ "ns", "nanoseconds", NANOSECONDS, 1 },
};
enum { YEAR, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MICROSECOND = 8 };

/* A duration while its text is read; its parts are not negative. */
struct builder {
	int64_t parts[3];
	int last_unit;		/* -1 at the beginning */
	struct type_error *error;
};

static int add_unit(struct builder *b, int unit, int64_t number)
{
	static const char *const names[] = { "months", "days", "nanoseconds" };
	const struct unit *u = &units[unit];
	int64_t limit = u->part == NANOSECONDS ? INT64_MAX : INT32_MAX;

	if (unit == b->last_unit)
		return type_fail(b->error, "Invalid duration. The %s are "
				 "specified multiple times", u->name);
	if (unit < b->last_unit)
		return type_fail(b->error,
				 "Invalid duration. The %s should be after %s",
				 units[b->last_unit].name, u->name);
	b->last_unit = unit;
	if (number > (limit - b->parts[u->part]) / u->count)
		return type_fail(b->error, "Invalid duration. The total number "
				 "of %s must be less or equal to 2147483647",
				 names[u->part]);
	b->parts[u->part] += number * u->count;
	return 0;
}

/* Read digits at the beginning of r, at most max_digits of them (0: any
 * number). */
static bool read_count(struct reader *r, int64_t *number, int max_digits)
{
	const uint8_t *start = r->ptr;

	*number = 0;
	while (r->ptr < r->end && isdigit(*r->ptr)) {
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, *r->ptr - '0', number))
			return false;
		r->ptr++;
	}
	return r->ptr > start &&
	       (!max_digits || r->ptr - start == max_digits);
}

/* Read the unit at the beginning of r; -1: there is none. */
static int read_unit(struct reader *r)
{
	size_t left = reader_left(r), len;
	int i, found = -1;

	if (left >= 3 && r->ptr[0] == 0xc2 && r->ptr[1] == 0xb5 &&
	    (r->ptr[2] | 0x20) == 's') {
		r->ptr += 3;
		return MICROSECOND;
	}
	/* The longest that fits: ms before m. */
	for (i = 0; i < (int)ARRAY_SIZE(units); i++) {
		len = strlen(units[i].symbol);
		if (len <= left && !strncasecmp((const char *)r->ptr,
						units[i].symbol, len) &&
		    (found < 0 || len > strlen(units[found].symbol)))
			found = i;
	}
	if (found >= 0)
		r->ptr += strlen(units[found].symbol);
	return found;
}

#define NOT_A_DURATION 1

static int read_standard(struct builder *b, struct reader r)
{
	int64_t number;
	int unit, err;

	do {
		if (!read_count(&r, &number, 0))
			return NOT_A_DURATION;
		unit = read_unit(&r);
		if (unit < 0)
			return NOT_A_DURATION;
		err = add_unit(b, unit, number);
		if (err)
			return err;
	} while (reader_left(&r));
	return 0;
}

/* P0001-02-03T04:05:06 */
static int read_alternative(struct builder *b, struct reader r)
{
	static const struct {
		int digits, unit;
		char end;
	} fields[] = { { 4, YEAR, '-' }, { 2, MONTH, '-' }, { 2, DAY, 'T' },
		       { 2, HOUR, ':' }, { 2, MINUTE, ':' }, { 2, SECOND, 0 } };
	int64_t number;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!read_count(&r, &number, fields[i].digits))
			return NOT_A_DURATION;
		if (fields[i].end && read_byte(&r) != fields[i].end)
			return NOT_A_DURATION;
		err = add_unit(b, fields[i].unit, number);
		if (err)
			return err;
	}
	return reader_left(&r) ? NOT_A_DURATION : 0;
}

/* Read 1Y2M3DT4H5M6S, or 5W alone; upper case only. */
static int read_designators(struct builder *b, struct reader r)
{
	static const char date[] = "YM D", time[] = "HMS";
	bool in_time = false, weeks_alone = true;
	int64_t number;

	while (reader_left(&r)) {
		const char *found;
		int unit, err;
		uint8_t c;

		if (!in_time && *r.ptr == 'T') {
			in_time = true;
			weeks_alone = false;
			r.ptr++;
			continue;
		}
		if (!read_count(&r, &number, 0))
			return NOT_A_DURATION;
		c = read_byte(&r);
		if (c == 'W' && weeks_alone && !reader_left(&r))
			return add_unit(b, WEEK, number);
		found = c && c != ' ' ? strchr(in_time ? time : date, c) : NULL;
		if (!found)
			return NOT_A_DURATION;
		unit = in_time ? HOUR + (int)(found - time) :
				 YEAR + (int)(found - date);
		if (unit <= b->last_unit)
			return NOT_A_DURATION;
		err = add_unit(b, unit, number);
		if (err)
			return err;
		weeks_alone = false;
	}
	return 0;
}

static int parse(struct duration *d, struct bytes text,
		 struct type_error *error)
{
	struct builder b = { .last_unit = -1, .error = error };
	struct reader r = reader_of(text);
	bool negative = text.len && text.ptr[0] == '-';
	int err;

	memset(d, 0, sizeof(*d));
	if (!text.len)		/* how a duration of nothing is printed */
		return 0;
	if (negative)
		r.ptr++;
	text = bytes_of(r.ptr, reader_left(&r));
	if (!reader_left(&r) || *r.ptr != 'P') {
		err = read_standard(&b, r);
	} else {
		r.ptr++;
		if (memchr(r.ptr, '-', reader_left(&r)))
			err = read_alternative(&b, r);
		else
			err = read_designators(&b, r);
	}
	if (err == NOT_A_DURATION)
		return type_fail(error, "Unable to convert '%.*s' to a "
				 "duration", type_fail_length(text), text.ptr);
	if (err)
		return err;
	d->months = (int32_t)(negative ? -b.parts[0] : b.parts[0]);
	d->days = (int32_t)(negative ? -b.parts[1] : b.parts[1]);
	d->ns = negative ? -b.parts[2] : b.parts[2];
	return 0;
}

static int read_text(struct buf *out, struct bytes text, struct type_error *error)
{
	struct duration d;
	int err = parse(&d, text, error);

	if (!err)
		duration_add(out, &d);
	return err;
}

static bool may_begin(struct bytes text)
{
	size_t i = text.len && text.ptr[0] == '-';
	bool iso = i < text.len && text.ptr[i] == 'P';

	for (; i < text.len; i++) {
		uint8_t c = text.ptr[i];

		if (isdigit(c))
			continue;
		if (iso ? !strchr("PYMDTHSW-:", c) :
			  !strchr("ymowdhsnu\xc2\xb5", isalpha(c) ? c | 0x20 :
								    c))
			return false;
		if (!c || (!iso && i == (text.ptr[0] == '-')))
			return false;
	}
	return true;
}

static void add_vint(struct buf *out, int64_t n)
{
	uint64_t v = (uint64_t)n << 1 ^ (uint64_t)(n >> 63);
	int extra = 0;
	uint8_t bytes[9];

	/* Up to 8 bytes hold 7 bits each, 9 hold all. */
	while (extra < 8 && v >> (7 * extra + 7))
		extra++;
	bytes[0] = 0;
	put_be64(bytes + 1, v);
	if (extra < 8)
		bytes[8 - extra] |= (uint8_t)(0xff00 >> extra);
	else
		bytes[0] = 0xff;
	buf_add(out, bytes + 8 - extra, (size_t)extra + 1);
}

static int64_t read_vint(struct reader *r)
{
	uint8_t first = read_byte(r);
	int extra = __builtin_clz(~((uint32_t)first << 24));
	uint64_t v = extra < 8 ? first & (0xff >> extra) : 0;

	for (; extra > 0; extra--)
		v = v << 8 | read_byte(r);
	return (int64_t)(v >> 1 ^ -(v & 1));
}

void duration_add(struct buf *out, const struct duration *d)
{
	add_vint(out, d->months);
	add_vint(out, d->days);
	add_vint(out, d->ns);
}

int duration_get(struct duration *d, struct bytes value)
{
	struct reader r = reader_of(value);
	int64_t months = read_vint(&r), days = read_vint(&r);

	memset(d, 0, sizeof(*d));
	d->ns = read_vint(&r);
	if (r.failed || months != (int32_t)months || days != (int32_t)days)
		return -EINVAL;
	d->months = (int32_t)months;
	d->days = (int32_t)days;
	return 0;
}

static int validate_value(struct bytes value, struct type_error *error)
{
	struct reader r = reader_of(value);
	int64_t months, days, ns;

	months = read_vint(&r);
	days = read_vint(&r);
	ns = read_vint(&r);
	if (r.failed)
		return type_fail(error, "Expected at least 3 bytes for a "
				 "duration (%zu)", value.len);
	if (months != (int32_t)months)
		return type_fail(error, "The duration months must be a 32 bits "
				 "integer but was: %lld", (long long)months);
	if (days != (int32_t)days)
		return type_fail(error, "The duration days must be a 32 bits "
				 "integer but was: %lld", (long long)days);
	if ((months < 0 || days < 0 || ns < 0) &&
	    (months > 0 || days > 0 || ns > 0))
		return type_fail(error, "The duration months, days and "
				 "nanoseconds must be all of the same sign "
				 "(%lld, %lld, %lld)", (long long)months,
				 (long long)days, (long long)ns);
	return 0;
}

static int64_t print_unit(struct buf *out, int64_t left, int64_t count,
			  const char *symbol)
{
	if (!left || left < count)
		return left;
	buf_add_format(out, "%lld%s", (long long)(left / count), symbol);
	return left % count;
}

void duration_print(struct buf *out, const struct duration *d)
{
	/* The smallest numbers have no positive counterpart: they print
	 * nothing after the sign, as in Cassandra. */
	int64_t months = d->months == INT32_MIN ? 0 : llabs(d->months);
	int64_t days = d->days == INT32_MIN ? 0 : llabs(d->days);
	int64_t ns = d->ns == INT64_MIN ? 0 : llabs(d->ns);
	int i;

	if (d->months < 0 || d->days < 0 || d->ns < 0)
		buf_add_byte(out, '-');
	months = print_unit(out, months, 12, "y");
	print_unit(out, months, 1, "mo");
	print_unit(out, days, 1, "d");
	for (i = HOUR; i < (int)ARRAY_SIZE(units); i++)
		ns = print_unit(out, ns, units[i].count, units[i].symbol);
}

static void print_value(struct buf *out, struct bytes value)
{
	struct duration d;

	if (!duration_get(&d, value))
		duration_print(out, &d);
}

/* The empty duration has no text of its own. */
static void print_literal(struct buf *out, struct bytes value)
{
	size_t start = out->len;

	if (!validate_value(value, NULL))
		print_value(out, value);
	if (out->len == start)
		buf_add_str(out, "0s");
}

const struct native_type native_duration = {
	.type = { .kind = TYPE_DURATION, .depth = 1 },
	.name = "duration",
	.class = "DurationType",
	.validate = validate_value,
	.read = read_text,
	.may_begin = may_begin,
	.print = print_value,
	/* An integer is refused by its value. */
	.constants = 1 << LITERAL_DURATION | 1 << LITERAL_INTEGER,
	.print_literal = print_literal,
	.json_expected = "a string representation of a duration",
	.json_empty = JSON_EMPTY_TEXT,	/* none at all is printed so */
	.masked = { (const uint8_t *)"\0\0\0", 3 },
};
