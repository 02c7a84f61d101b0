/*
 * Reads TZif files (RFC 8536): a header and data with 4-byte times, which are
 * skipped, the same with 8-byte times, and a line with the rule for all times
 * after them, as the POSIX variable TZ does (EST5EDT,M3.2.0,M11.1.0).
 */
#include "store/type/zone.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "store/type/time.h"


#define FOLDER "/usr/share/zoneinfo/"
/* Twice the largest there is. */
#define FILE_MAX 8192

/* Abbreviations mean their region, whichever half of the year they name. */
static const struct {
	const char *names, *region;
} abbreviations[] = {
	{ "ACST ACDT", "Australia/Adelaide" },
	{ "AEST AEDT AET", "Australia/Sydney" },
	{ "AKST AKDT", "America/Juneau" },
	{ "ART", "America/Argentina/Buenos_Aires" },
	{ "AST ADT", "America/Halifax" },
	{ "AWST", "Australia/Perth" },
	{ "BRT BRST", "America/Sao_Paulo" },
	{ "BST", "Europe/London" },
	{ "CAT", "Africa/Maputo" },
	{ "CET CEST MET MEST", "Europe/Paris" },
	{ "CST CDT CT", "America/Chicago" },
	{ "EAT", "Africa/Nairobi" },
	{ "ECT", "America/Guayaquil" },
	{ "EET EEST", "Europe/Bucharest" },
	{ "EST EDT ET", "America/New_York" },
	{ "HKT", "Asia/Hong_Kong" },
	{ "HST", "Pacific/Honolulu" },
	{ "ICT", "Asia/Bangkok" },
	{ "IDT", "Asia/Jerusalem" },
	{ "IRST", "Asia/Tehran" },
	{ "IST", "Asia/Kolkata" },
	{ "JST", "Asia/Tokyo" },
	{ "KST", "Asia/Seoul" },
	{ "MSK MSD", "Europe/Moscow" },
	{ "MST MDT", "America/Denver" },
	{ "NST NDT", "America/St_Johns" },
	{ "NZST NZDT", "Pacific/Auckland" },
	{ "PKT", "Asia/Karachi" },
	{ "PST PDT PT", "America/Los_Angeles" },
	{ "SAST", "Africa/Johannesburg" },
	{ "SGT", "Asia/Singapore" },
	{ "SST", "Pacific/Pago_Pago" },
	{ "TRT", "Europe/Istanbul" },
	{ "WAT", "Africa/Lagos" },
	{ "WET WEST", "Atlantic/Canary" },
	{ "WIB", "Asia/Jakarta" },
};

static const char *region_of(struct bytes name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(abbreviations); i++) {
		const char *p = abbreviations[i].names;

		while (*p) {
			size_t len = strcspn(p, " ");

			if (bytes_equal(name, bytes_of(p, len)))
				return abbreviations[i].region;
			p += len + (p[len] == ' ');
		}
	}
	return NULL;
}

/* Region names only: nothing that leaves the folder. */
static bool is_region_name(struct bytes name)
{
	size_t i;

	if (!name.len || name.len > 60 || !isupper(name.ptr[0]))
		return false;
	if (name.len > 7 && bytes_begin_with(name, bytes_str("Etc/GMT")))
		return false;	/* offsets, whose signs mislead */
	for (i = 0; i < name.len; i++)
		if (!isalnum(name.ptr[i]) && !strchr("/_+-", name.ptr[i]))
			return false;
	return true;
}

/* Read the file of a zone. Returns its length, or -errno. */
static ssize_t read_file(uint8_t file[FILE_MAX], struct bytes name)
{
	char path[128];
	size_t len = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), FOLDER "%.*s", (int)name.len, name.ptr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		n = read(fd, file + len, FILE_MAX - len);
		if (n > 0)
			len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(fd);
	return n < 0 ? -EIO : (ssize_t)len;
}

struct counts {
	uint32_t utc, standard, leaps, times, types, letters;
};

static bool read_header(struct reader *r, struct counts *c)
{
	struct bytes magic = read_bytes(r, 4);
	uint8_t version = read_byte(r);

	read_bytes(r, 15);
	c->utc = read_be32(r);
	c->standard = read_be32(r);
	c->leaps = read_be32(r);
	c->times = read_be32(r);
	c->types = read_be32(r);
	c->letters = read_be32(r);
	return !r->failed && !memcmp(magic.ptr, "TZif", 4) && version >= '2' &&
	       c->times < FILE_MAX && c->types && c->types < 256 &&
	       c->leaps < FILE_MAX && c->letters < FILE_MAX;
}

/*
 * A change from one offset to another at a time (UTC). A local time lies after
 * it once neither offset puts it before.
 */
static bool is_after(int64_t local_time, int64_t time, int64_t before,
		     int64_t after)
{
	return local_time >= time + (before > after ? before : after);
}

/* Find the offset in the table; *last: no later change is known. */
static bool by_table(struct reader *r, const struct counts *c,
		     int64_t local_time, int64_t *offset, bool *last)
{
	struct bytes times = read_bytes(r, (size_t)c->times * 8);
	struct bytes kinds = read_bytes(r, c->times);
	struct bytes types = read_bytes(r, (size_t)c->types * 6);
	uint32_t i;

	read_bytes(r, (size_t)c->letters + (size_t)c->leaps * 12 + c->standard +
			      c->utc);
	if (r->failed)
		return false;
	*offset = (int32_t)get_be32(types.ptr);
	for (i = 0; i < c->times; i++) {
		int64_t time = (int64_t)get_be64(times.ptr + 8 * (size_t)i);
		int64_t next;

		if (kinds.ptr[i] >= c->types || time < -(INT64_MAX / 2))
			return false;
		next = (int32_t)get_be32(types.ptr + 6 * kinds.ptr[i]);
		if (!is_after(local_time, time, *offset, next))
			break;
		*offset = next;
	}
	*last = i == c->times;
	return true;
}

/* When in a year daylight saving begins or ends: Mmonth.week.day/time */
struct zone_change {
	int64_t month, week, day, time;
};

struct rule {
	int64_t standard, daylight;
	bool has_daylight;
	struct zone_change begin, end;
};

static bool skip_name(struct reader *r)
{
	const uint8_t *start = r->ptr;

	if (read_char(r, '<')) {
		while (reader_left(r) && *r->ptr != '>')
			r->ptr++;
		return read_char(r, '>');
	}
	while (reader_left(r) && isalpha(*r->ptr))
		r->ptr++;
	return r->ptr > start;
}

/* [sign] hours [:minutes [:seconds]] */
static bool read_span(struct reader *r, int64_t *seconds)
{
	bool minus = read_char(r, '-');
	int64_t part, unit = 3600;

	if (!minus)
		read_char(r, '+');
	*seconds = 0;
	do {
		part = time_read_digits(r, 3);
		if (part < 0)
			return false;
		*seconds += part * unit;
		unit /= 60;
	} while (unit && read_char(r, ':'));
	if (minus)
		*seconds = -*seconds;
	return true;
}

static bool read_change(struct reader *r, struct zone_change *c)
{
	if (!read_char(r, ',') || !read_char(r, 'M'))
		return false;
	c->month = time_read_digits(r, 2);
	if (!read_char(r, '.'))
		return false;
	c->week = time_read_digits(r, 1);
	if (!read_char(r, '.'))
		return false;
	c->day = time_read_digits(r, 1);
	c->time = 2 * 3600;
	if (read_char(r, '/') && !read_span(r, &c->time))
		return false;
	return c->month >= 1 && c->month <= 12 && c->week >= 1 &&
	       c->week <= 5 && c->day >= 0 && c->day <= 6;
}

static bool read_rule(struct reader *r, struct rule *rule)
{
	memset(rule, 0, sizeof(*rule));
	if (!read_char(r, '\n') || !skip_name(r) ||
	    !read_span(r, &rule->standard))
		return false;
	rule->standard = -rule->standard;	/* POSIX counts west */
	if (read_char(r, '\n'))
		return true;
	rule->has_daylight = true;
	rule->daylight = rule->standard + 3600;
	if (!skip_name(r))
		return false;
	if (reader_left(r) && *r->ptr != ',') {
		if (!read_span(r, &rule->daylight))
			return false;
		rule->daylight = -rule->daylight;
	}
	return read_change(r, &rule->begin) && read_change(r, &rule->end);
}

/* Return the local time of a change, in seconds. Week 5 is the last of the
 * month. */
static int64_t change_in(const struct zone_change *c, int64_t year)
{
	int64_t first = time_days(year, (unsigned)c->month, 1), day;

	/* 1970-01-01, day 0, was a Thursday: 4 */
	day = c->day - ((first + 4) % 7 + 7) % 7;
	if (day < 0)
		day += 7;
	day += (c->week - 1) * 7;
	while (day >= time_month_length(year, (unsigned)c->month))
		day -= 7;
	return (first + day) * 86400 + c->time;
}

static int64_t by_rule(const struct rule *rule, int64_t local_time)
{
	unsigned month, day;
	int64_t year, begin, end;
	bool begun, ended;

	if (!rule->has_daylight)
		return rule->standard;
	time_civil(time_floor_div(local_time, 86400), &year, &month, &day);
	begin = change_in(&rule->begin, year) - rule->standard;
	end = change_in(&rule->end, year) - rule->daylight;
	begun = is_after(local_time, begin, rule->standard, rule->daylight);
	ended = is_after(local_time, end, rule->daylight, rule->standard);
	/* In the south the year begins with daylight saving. */
	return (begin < end ? begun && !ended : begun || !ended) ?
		rule->daylight : rule->standard;
}

static bool offset_in_file(int64_t *seconds, struct bytes file,
			   int64_t local_time)
{
	struct reader r = reader_of(file);
	struct counts c;
	struct rule rule;
	bool last;

	if (!read_header(&r, &c))
		return false;
	read_bytes(&r, (size_t)c.times * 5 + (size_t)c.types * 6 + c.letters +
			       (size_t)c.leaps * 8 + c.standard + c.utc);
	if (!read_header(&r, &c) ||
	    !by_table(&r, &c, local_time, seconds, &last))
		return false;
	if (last && read_rule(&r, &rule))
		*seconds = by_rule(&rule, local_time);
	return true;
}

bool zone_offset(int64_t *seconds, struct bytes name, int64_t local_time)
{
	const char *region = region_of(name);
	uint8_t file[FILE_MAX];
	ssize_t len;

	*seconds = 0;
	if (bytes_equal(name, bytes_str("UTC")) ||
	    bytes_equal(name, bytes_str("GMT")) ||
	    bytes_equal(name, bytes_str("UT")))
		return true;
	if (region)
		name = bytes_str(region);
	if (!is_region_name(name))
		return false;
	len = read_file(file, name);
	return len > 0 && offset_in_file(seconds, bytes_of(file, (size_t)len),
					 local_time);
}
