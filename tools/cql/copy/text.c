/*
 * Values of COPY as its options have them: words for booleans, separators in
 * numbers, the form of timestamps, rounded floats. Compound values stay literals
 * of CQL, which separators and forms would break; only floats are rounded there.
 */
#include "tools/cql/copy/text.h"

#include <stdlib.h>
#include <time.h>

#include "store/base/alloc.h"
#include "store/cql/output/format.h"
#include "store/cql/output/format_value.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"
#include "store/type/text/text.h"
#include "store/type/value.h"

#define YEAR_1_MS (-62135596800000)
#define YEAR_10000_MS 253402300800000

/* ------------------------------------------------------------------ floats */
static double rounded(double value, long precision)
{
	char text[400];

	if (value - value != 0)		/* NaN, infinities */
		return value;
	snprintf(text, sizeof(text), "%.*g",
		 cql_format_digits(value, (int)precision), value);
	return strtod(text, NULL);
}

static void round_native(struct buf *out, const struct copy *c,
			 const struct type *t, struct bytes value)
{
	uint8_t bytes[8];
	uint64_t bits8;
	uint32_t bits4;
	double wide;
	float narrow;

	if (t->kind == TYPE_DOUBLE && value.len == 8 && c->double_precision) {
		bits8 = get_be64(value.ptr);
		memcpy(&wide, &bits8, 8);
		wide = rounded(wide, c->double_precision);
		memcpy(&bits8, &wide, 8);
		put_be64(bytes, bits8);
		buf_add(out, bytes, 8);
	} else if (t->kind == TYPE_FLOAT && value.len == 4 &&
		   c->float_precision) {
		bits4 = get_be32(value.ptr);
		memcpy(&narrow, &bits4, 4);
		narrow = (float)rounded((double)narrow, c->float_precision);
		memcpy(&bits4, &narrow, 4);
		put_be32(bytes, bits4);
		buf_add(out, bytes, 4);
	} else {
		buf_add_bytes(out, value);
	}
}

/* Append the value with its floats rounded. */
static void round_value(struct buf *out, const struct copy *c,
			const struct type *t, struct bytes value)
{
	struct buf bytes = BUF_INIT, list = BUF_INIT;
	struct type_parts parts;
	struct bytes part;
	struct { size_t from, len; bool null; } at;
	struct bytes *rebuilt;
	size_t count, i;

	if (!t->part_count || type_parts_begin(&parts, t, value)) {
		round_native(out, c, t, value);
		return;
	}
	for (i = 0; type_parts_next(&parts, &part) > 0; i++) {
		at.from = bytes.len;
		at.null = bytes_is_null(part);
		if (!at.null)
			round_value(&bytes, c, type_part(t, (uint32_t)i), part);
		at.len = bytes.len - at.from;
		buf_add(&list, &at, sizeof(at));
	}
	count = list.len / sizeof(at);
	rebuilt = mem_zalloc(count + 1, sizeof(*rebuilt));
	out->failed = out->failed || bytes.failed || list.failed || !rebuilt;
	for (i = 0; !out->failed && i < count; i++) {
		memcpy(&at, list.ptr + i * sizeof(at), sizeof(at));
		rebuilt[i] = at.null ? BYTES_NULL
				     : bytes_of(buf_bytes(&bytes).ptr + at.from,
						at.len);
	}
	if (!out->failed)
		type_build(out, t, rebuilt, count);
	mem_free(rebuilt);
	buf_release(&bytes);
	buf_release(&list);
}

static bool is_rounded(const struct copy *c, const struct type *t)
{
	return (c->double_precision && type_contains_kind(t, TYPE_DOUBLE)) ||
	       (c->float_precision && type_contains_kind(t, TYPE_FLOAT));
}

/* -------------------------------------------------------------- separators */
/* Append 1234567.25 as 1.234.567,25: digits in threes before the point
 * alone. */
static void add_separators(struct buf *out, const struct copy *c,
			   struct bytes number)
{
	size_t begin = number.len && *number.ptr == '-', digits = begin, i;

	while (digits < number.len && number.ptr[digits] >= '0' &&
	       number.ptr[digits] <= '9')
		digits++;
	for (i = 0; i < number.len; i++) {
		if (i > begin && i < digits && (digits - i) % 3 == 0)
			buf_add_bytes(out, c->thousands_separator);
		if (number.ptr[i] == '.')
			buf_add_bytes(out, c->decimal_separator);
		else
			buf_add_byte(out, number.ptr[i]);
	}
}

static bool skip(struct bytes *text, struct bytes what)
{
	if (!what.len || text->len < what.len ||
	    memcmp(text->ptr, what.ptr, what.len))
		return false;
	*text = bytes_of(text->ptr + what.len, text->len - what.len);
	return true;
}

static void drop_separators(struct buf *out, const struct copy *c,
			    struct bytes text)
{
	while (text.len) {
		if (skip(&text, c->thousands_separator))
			continue;
		if (skip(&text, c->decimal_separator)) {
			buf_add_byte(out, '.');
			continue;
		}
		buf_add_byte(out, *text.ptr);
		text = bytes_of(text.ptr + 1, text.len - 1);
	}
}

/* -------------------------------------------------------------- timestamps */
/*
 * Cut the piece of a format before the next %f, or %s, which the C library
 * counts in another zone. Returns which of them it is, 0 at the end; *format
 * continues after it.
 */
static char cut_format(struct buf *piece, const char **format)
{
	const char *at = *format;
	char found;

	while (*at && !(*at == '%' && (at[1] == 'f' || at[1] == 's')))
		at += *at == '%' && at[1] ? 2 : 1;
	buf_clear(piece);
	buf_add(piece, *format, (size_t)(at - *format));
	found = *at ? at[1] : 0;
	*format = *at ? at + 2 : at;
	return found;
}

/* Milliseconds where there is no such year. */
static void print_date(struct buf *out, const struct copy *c, int64_t ms)
{
	const char *format = (const char *)c->date_format.ptr;
	int64_t fraction = (ms % 1000 + 1000) % 1000;
	struct buf piece = BUF_INIT;
	char text[1024], letter;
	time_t seconds;
	struct tm tm;

	if (ms < YEAR_1_MS || ms >= YEAR_10000_MS) {
		buf_add_format(out, "%lld", (long long)ms);
		return;
	}
	seconds = (time_t)((ms - fraction) / 1000);
	gmtime_r(&seconds, &tm);
	do {
		letter = cut_format(&piece, &format);
		if (piece.len)
			buf_add(out, text, strftime(text, sizeof(text),
						    buf_cstr(&piece), &tm));
		if (letter == 'f')
			buf_add_format(out, "%03d", (int)fraction);
		else if (letter == 's')
			buf_add_format(out, "%lld", (long long)seconds);
	} while (letter);
	out->failed = out->failed || piece.failed;
	buf_release(&piece);
}

/* Read one to six digits of a second's fraction, as milliseconds. */
static const char *read_fraction(const char *at, int64_t *ms)
{
	int digits;

	*ms = 0;
	for (digits = 0; digits < 6 && *at >= '0' && *at <= '9'; digits++, at++)
		if (digits < 3)
			*ms = *ms * 10 + (*at - '0');
	if (!digits)
		return NULL;
	for (; digits < 3; digits++)
		*ms *= 10;
	return at;
}

static const char *read_seconds(const char *at, struct tm *tm)
{
	char *end;
	time_t seconds = strtoll(at, &end, 10);

	return end != at && gmtime_r(&seconds, tm) ? end : NULL;
}

/* A time without a zone is UTC. False: it has another form, or is none. */
static bool read_date(int64_t *ms, const struct copy *c, const char *at)
{
	const char *format = (const char *)c->date_format.ptr;
	struct tm tm = { .tm_mday = 1, .tm_year = 70 }, again;
	struct buf piece = BUF_INIT;
	int64_t fraction = 0;
	time_t seconds;
	long offset;
	char letter;

	do {
		letter = cut_format(&piece, &format);
		if (piece.len)
			at = strptime(at, buf_cstr(&piece), &tm);
		if (at && letter == 'f')
			at = read_fraction(at, &fraction);
		else if (at && letter == 's')
			at = read_seconds(at, &tm);
	} while (at && letter);
	buf_release(&piece);
	if (!at || *at)
		return false;
	offset = tm.tm_gmtoff;
	again = tm;
	seconds = timegm(&again);
	if (again.tm_mday != tm.tm_mday || again.tm_mon != tm.tm_mon ||
	    seconds < YEAR_1_MS / 1000 || seconds >= YEAR_10000_MS / 1000)
		return false;
	*ms = ((int64_t)seconds - offset) * 1000 + fraction;
	return true;
}

/* ------------------------------------------------------------------- both */
/* True if the value has no bytes and the type is no text: an empty field would
 * read as null. */
static bool is_empty(const struct type *t, struct bytes value)
{
	return !value.len && !t->part_count && !kind_is_text(t->kind) &&
	       t->kind != TYPE_BLOB && t->kind != TYPE_DURATION;
}

bool copy_is_empty_value(const struct type *t, struct bytes field)
{
	struct buf literal = BUF_INIT;
	bool same;

	if (!is_empty(t, BYTES_EMPTY))
		return false;
	type_print_literal(&literal, t, BYTES_EMPTY);
	same = !literal.failed && bytes_equal(field, buf_bytes(&literal));
	buf_release(&literal);
	return same;
}

void copy_print_text(struct buf *out, const struct copy *c,
		     const struct type *t, struct bytes value)
{
	struct buf round = BUF_INIT, number = BUF_INIT;

	if (is_rounded(c, t)) {
		round_value(&round, c, t, value);
		out->failed = out->failed || round.failed;
		value = buf_bytes(&round);
	}
	if (t->kind == TYPE_BOOLEAN && value.len == 1) {
		buf_add_bytes(out, *value.ptr ? c->yes : c->no);
	} else if (t->part_count || is_empty(t, value)) {
		type_print_literal(out, t, value);
	} else if (t->kind == TYPE_TIMESTAMP && value.len == 8 &&
		   c->date_format.len) {
		print_date(out, c, (int64_t)get_be64(value.ptr));
	} else if (type_kind_is_number(t->kind)) {
		type_print_text(&number, t, value);
		add_separators(out, c, buf_bytes(&number));
		out->failed = out->failed || number.failed;
	} else {
		type_print_text(out, t, value);
	}
	buf_release(&round);
	buf_release(&number);
}

static bool same_word(struct bytes a, struct bytes b)
{
	return a.len == b.len && !strncasecmp((const char *)a.ptr,
					      (const char *)b.ptr, a.len);
}

void copy_plain_text(struct buf *out, const struct copy *c,
		     const struct type *t, struct bytes field)
{
	struct buf text = BUF_INIT;
	int64_t ms;

	if (t->kind == TYPE_BOOLEAN && same_word(field, c->yes)) {
		buf_add_str(out, "true");
	} else if (t->kind == TYPE_BOOLEAN && same_word(field, c->no)) {
		buf_add_str(out, "false");
	} else if (type_kind_is_number(t->kind)) {
		drop_separators(out, c, field);
	} else if (t->kind == TYPE_TIMESTAMP && c->date_format.len) {
		buf_add_bytes(&text, field);
		if (!text.failed && read_date(&ms, c, buf_cstr(&text)))
			buf_add_format(out, "%lld", (long long)ms);
		else
			buf_add_bytes(out, field);
		out->failed = out->failed || text.failed;
	} else {
		buf_add_bytes(out, field);
	}
	buf_release(&text);
}
