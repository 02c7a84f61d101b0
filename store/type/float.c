/*
 * float and double: the shortest digits from which the number can be read back,
 * written as Java writes them. Independent of the process's locale.
 */
#include "store/type/float.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "store/base/alloc.h"

double float_get(enum type_kind kind, struct bytes value)
{
	uint32_t bits;
	uint64_t long_bits;
	float f;
	double d;

	if (kind == TYPE_FLOAT && value.len == 4) {
		bits = get_be32(value.ptr);
		memcpy(&f, &bits, 4);
		return (double)f;
	}
	if (kind != TYPE_DOUBLE || value.len != 8)
		return 0;
	long_bits = get_be64(value.ptr);
	memcpy(&d, &long_bits, 8);
	return d;
}

void float_add(struct buf *out, enum type_kind kind, double x)
{
	float f = (float)x;
	uint32_t bits;
	uint64_t long_bits;

	if (kind == TYPE_FLOAT) {
		memcpy(&bits, &f, 4);
		buf_add_be32(out, isnan(x) ? 0x7fc00000u : bits);
	} else {
		memcpy(&long_bits, &x, 8);
		buf_add_be64(out, isnan(x) ? 0x7ff8000000000000u : long_bits);
	}
}

/* strtod in the C locale, which costs nothing to get. */
static double parse(enum type_kind kind, const char *text)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double x;

	if (kind == TYPE_FLOAT)
		x = (double)strtof_l(text, NULL, plain);
	else
		x = strtod_l(text, NULL, plain);
	freelocale(plain);
	return x;
}

/* A number's nearest digits: 0.DDD * 10^exponent. */
struct digits {
	char text[20];
	int count, exponent;
};

static void nearest(struct digits *d, double x, int count)
{
	char text[40];
	const char *p = text;
	int n = 0;

	snprintf(text, sizeof(text), "%.*e", count - 1, x);
	/* The decimal point is the locale's: any bytes but digits. */
	for (; *p != 'e'; p++)
		if (isdigit((unsigned char)*p) && n < count)
			d->text[n++] = *p;
	d->text[n] = 0;
	d->count = n;
	d->exponent = atoi(p + 1) + 1;
}

static bool gives_back(const struct digits *d, enum type_kind kind, double x)
{
	char text[48];

	snprintf(text, sizeof(text), "0.%se%d", d->text, d->exponent);
	return parse(kind, text) == x;
}

/* Add one to the last digit. */
static void step_up(struct digits *d)
{
	int i = d->count;

	while (i > 0 && d->text[i - 1] == '9')
		d->text[--i] = '0';
	if (i > 0) {
		d->text[i - 1]++;
		return;
	}
	d->text[0] = '1';
	d->exponent++;
}

/*
 * Below a power of two the next number is half as far as above: there the
 * nearest digits may miss what the next larger ones hit.
 */
static bool find_digits(struct digits *d, enum type_kind kind, double x,
			int count)
{
	int exponent;

	nearest(d, x, count);
	if (gives_back(d, kind, x))
		return true;
	if (frexp(x, &exponent) != 0.5)
		return false;
	step_up(d);
	return gives_back(d, kind, x);
}

static void set_digits(struct digits *d, uint64_t n)
{
	char text[20];
	int at = sizeof(text);

	do {
		text[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	d->count = (int)sizeof(text) - at;
	memcpy(d->text, text + at, (size_t)d->count);
	d->text[d->count] = 0;
}

/*
 * The digits of a number that is no power of two, is less than 2^53 (a float:
 * 2^24) and not below 2^-60. Whole numbers are enough then to take digit after
 * digit of the exact value, until what is left, or what is missing to the next
 * larger digit, is within half the distance to the neighbouring numbers; half
 * of it is read as the even one of two. Of both digits the nearer is taken, as
 * nearest() does. Returns false, and no digits, for other numbers.
 */
static bool find_exact(struct digits *d, enum type_kind kind, double x)
{
	int exponent, bits = kind == TYPE_FLOAT ? 24 : 53, shift;
	double fraction = frexp(x, &exponent);
	uint64_t mantissa = (uint64_t)ldexp(fraction, bits);
	/* In units of half the distance to the neighbours, times 10 a digit. */
	unsigned __int128 one, left, half = 1;
	bool down = false, up = false;

	if (exponent > bits - 1 || exponent < -60 || fraction == 0.5)
		return false;
	shift = bits + 1 - exponent;
	one = (unsigned __int128)1 << shift;
	left = (unsigned __int128)mantissa << 1;
	set_digits(d, (uint64_t)(left >> shift));
	if (d->text[0] == '0')
		d->count = 0;
	d->exponent = d->count;
	for (left &= one - 1; left && !down && !up; left &= one - 1) {
		left *= 10;
		half *= 10;
		d->text[d->count++] = (char)('0' + (int)(left >> shift));
		d->text[d->count] = 0;
		left &= one - 1;
		down = left < half || (left == half && !(mantissa & 1));
		up = one - left < half || (one - left == half && !(mantissa & 1));
		if (up && (!down || 2 * left > one ||
			   (2 * left == one && (d->text[d->count - 1] & 1)))) {
			step_up(d);
		} else if (!down && d->count == 1 && d->text[0] == '0') {
			d->count = 0;
			d->exponent--;
		}
	}
	return true;
}

/*
 * Most numbers are some n / 10^places with few digits. As two different numbers
 * of up to 15 digits (6 for a float) never are the same double, one that yields
 * x is the only one, and its division rounds as reading would.
 */
static bool find_plain(struct digits *d, enum type_kind kind, double x)
{
	double limit = kind == TYPE_FLOAT ? 1e6 : 1e15, power = 1, n;
	int places;

	for (places = 0; places <= 6; places++, power *= 10) {
		n = nearbyint(x * power);
		if (n < 1 || n >= limit)
			continue;
		if (kind == TYPE_FLOAT ? (float)(n / power) == (float)x :
					 n / power == x) {
			set_digits(d, (uint64_t)n);
			d->exponent = d->count - places;
			return true;
		}
	}
	return false;
}

static void search_digits(struct digits *d, enum type_kind kind, double x)
{
	int low = 2, high = kind == TYPE_FLOAT ? 9 : 17;

	while (low < high) {
		int middle = (low + high) / 2;

		if (find_digits(d, kind, x, middle))
			high = middle;
		else
			low = middle + 1;
	}
	find_digits(d, kind, x, low);
}

static void find_shortest(struct digits *d, enum type_kind kind, double x)
{
	if (!find_exact(d, kind, x) && !find_plain(d, kind, x))
		search_digits(d, kind, x);
	while (d->count > 1 && d->text[d->count - 1] == '0')
		d->text[--d->count] = 0;
}

/* Append a part of a number's text. Returns the end. */
static char *add(char *to, const char *part, int len)
{
	memcpy(to, part, (size_t)len);
	return to + len;
}

size_t float_print(char text[FLOAT_TEXT_MAX], enum type_kind kind, double x)
{
	const char *sign = signbit(x) && !isnan(x) ? "-" : "";
	char *to = text;
	struct digits d;
	int point;

	if (isnan(x) || isinf(x))
		return (size_t)snprintf(text, FLOAT_TEXT_MAX, "%s%s", sign,
					isnan(x) ? "NaN" : "Infinity");
	if (x == 0)
		return (size_t)snprintf(text, FLOAT_TEXT_MAX, "%s0.0", sign);
	x = fabs(x);
	find_shortest(&d, kind, x);
	point = d.exponent;
	if (x < 1e-3 || x >= 1e7)
		return (size_t)snprintf(text, FLOAT_TEXT_MAX, "%s%c.%sE%d",
					sign, d.text[0], d.count > 1 ?
					d.text + 1 : "0", point - 1);
	if (*sign)
		*to++ = '-';
	if (point <= 0) {
		to = add(to, "0.000", 2 - point);
		to = add(to, d.text, d.count);
	} else if (point >= d.count) {
		to = add(to, d.text, d.count);
		to = add(to, "0000000", point - d.count);
		to = add(to, ".0", 2);
	} else {
		to = add(to, d.text, point);
		*to++ = '.';
		to = add(to, d.text + point, d.count - point);
	}
	return (size_t)(to - text);
}

static size_t run(struct bytes text, size_t at, int (*in)(int))
{
	size_t start = at;

	while (at < text.len && in(text.ptr[at]))
		at++;
	return at - start;
}

/* Compare with the word. 1: all of it is there; 0: the text ends inside of it;
 * -1: another text. */
static int scan_word(struct bytes text, size_t at, const char *word)
{
	size_t len = text.len - at;

	if (len > strlen(word) ||
	    strncasecmp((const char *)text.ptr + at, word, len))
		return -1;
	return len == strlen(word);
}

/* Scan an exponent's sign and digits, and a suffix. */
static int scan_exponent(struct bytes text, size_t at)
{
	size_t count;

	if (at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-'))
		at++;
	count = run(text, at, isdigit);
	at += count;
	if (at == text.len)
		return count != 0;
	return count && at + 1 == text.len && strchr("fFdD", text.ptr[at]) ?
		1 : -1;
}

/*
 * Read what Java takes for a number: NaN, Infinity (any case), digits with a
 * point, an exponent, a suffix f or d; or hexadecimal digits with a p. 1: all
 * of it; 0: a begin of such a text; -1: neither.
 */
static int scan(struct bytes text)
{
	size_t at = 0, count;
	bool hex = false;
	int word;

	if (at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-'))
		at++;
	if (at == text.len)
		return 0;
	if (isalpha(text.ptr[at])) {
		word = scan_word(text, at, "nan");
		return word >= 0 ? word : scan_word(text, at, "infinity");
	}
	if (at + 1 < text.len && text.ptr[at] == '0' &&
	    (text.ptr[at + 1] | 0x20) == 'x') {
		hex = true;
		at += 2;
	}
	count = run(text, at, hex ? isxdigit : isdigit);
	at += count;
	if (at < text.len && text.ptr[at] == '.') {
		size_t fraction = run(text, ++at, hex ? isxdigit : isdigit);

		count += fraction;
		at += fraction;
	}
	if (at == text.len)
		return count && !hex;
	if (count && (text.ptr[at] | 0x20) == (hex ? 'p' : 'e'))
		return scan_exponent(text, at + 1);
	return count && !hex && at + 1 == text.len &&
	       strchr("fFdD", text.ptr[at]) ? 1 : -1;
}

int float_read(struct buf *out, enum type_kind kind, struct bytes text,
	       struct type_error *error)
{
	char small[64], *copy = small;

	if (scan(text) != 1)
		return type_fail(error, "Unable to make %s from '%.*s'",
				 kind == TYPE_FLOAT ? "float" : "double",
				 type_fail_length(text), text.ptr);
	if (text.len >= sizeof(small)) {
		copy = mem_copy(text.ptr, text.len);
		if (!copy) {
			out->failed = true;
			return 0;
		}
	} else {
		memcpy(small, text.ptr, text.len);
		small[text.len] = 0;
	}
	float_add(out, kind, parse(kind, copy));
	if (copy != small)
		mem_free(copy);
	return 0;
}

static bool may_begin(struct bytes text)
{
	return scan(text) >= 0;
}

/* -0.0 is less than 0.0, NaN is more than all else and equal to itself. */
static int compare(double x, double y)
{
	if (isnan(x) || isnan(y))
		return !!isnan(x) - !!isnan(y);
	if (x != y)
		return x < y ? -1 : 1;
	return !!signbit(y) - !!signbit(x);
}

/* As memcmp orders them: all bits are flipped where it is negative. */
static void flip(uint8_t *bytes, uint32_t width, bool back)
{
	bool flip_all = !!(bytes[0] & 0x80) != back;
	uint32_t i;

	for (i = 0; flip_all && i < width; i++)
		bytes[i] = (uint8_t)~bytes[i];
	if (!flip_all)
		bytes[0] ^= 0x80;
}

/* ------------------------------------------------------------------- float */
static int read_float(struct buf *out, struct bytes text,
		      struct type_error *error)
{
	return float_read(out, TYPE_FLOAT, text, error);
}

static void print_float(struct buf *out, struct bytes value)
{
	char text[FLOAT_TEXT_MAX];

	buf_add(out, text, float_print(text, TYPE_FLOAT,
				       float_get(TYPE_FLOAT, value)));
}

static int compare_float(struct bytes a, struct bytes b)
{
	return compare(float_get(TYPE_FLOAT, a), float_get(TYPE_FLOAT, b));
}

static void order_float(uint8_t *bytes)
{
	if ((get_be32(bytes) & 0x7fffffff) > 0x7f800000)	/* one NaN */
		memcpy(bytes, "\x7f\xc0\0\0", 4);
	flip(bytes, 4, false);
}

static void order_float_back(uint8_t *bytes)
{
	flip(bytes, 4, true);
}

const struct native_type native_float = {
	.type = { .kind = TYPE_FLOAT, .depth = 1 },
	.name = "float",
	.class = "FloatType",
	.is_number = true,
	.length = 4,
	.wrong_length = "Expected 4 or 0 byte value for a float",
	.is_flat = true,
	.read = read_float,
	.may_begin = may_begin,
	.print = print_float,
	.constants = 1 << LITERAL_INTEGER | 1 << LITERAL_FLOAT,
	.json_expected = "a float value",
	.json_number = JSON_FLOAT,
	.compare = compare_float,
	.order = order_float,
	.order_back = order_float_back,
	.is_ambiguous = true,		/* NaN has many bytes */
};

/* ------------------------------------------------------------------ double */
static int read_double(struct buf *out, struct bytes text,
		       struct type_error *error)
{
	return float_read(out, TYPE_DOUBLE, text, error);
}

static void print_double(struct buf *out, struct bytes value)
{
	char text[FLOAT_TEXT_MAX];

	buf_add(out, text, float_print(text, TYPE_DOUBLE,
				       float_get(TYPE_DOUBLE, value)));
}

static int compare_double(struct bytes a, struct bytes b)
{
	return compare(float_get(TYPE_DOUBLE, a), float_get(TYPE_DOUBLE, b));
}

static void order_double(uint8_t *bytes)
{
	if ((get_be64(bytes) & INT64_MAX) > 0x7ff0000000000000)
		memcpy(bytes, "\x7f\xf8\0\0\0\0\0\0", 8);
	flip(bytes, 8, false);
}

static void order_double_back(uint8_t *bytes)
{
	flip(bytes, 8, true);
}

const struct native_type native_double = {
	.type = { .kind = TYPE_DOUBLE, .depth = 1 },
	.name = "double",
	.class = "DoubleType",
	.is_number = true,
	.length = 8,
	.wrong_length = "Expected 8 or 0 byte value for a double",
	.is_flat = true,
	.read = read_double,
	.may_begin = may_begin,
	.print = print_double,
	.constants = 1 << LITERAL_INTEGER | 1 << LITERAL_FLOAT,
	.json_expected = "a double value",
	.json_number = JSON_FLOAT,
	.compare = compare_double,
	.order = order_double,
	.order_back = order_double_back,
	.is_ambiguous = true,
};
