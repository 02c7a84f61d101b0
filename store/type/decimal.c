/*
 * varint and decimal. A decimal's bytes are its scale (4 bytes, big-endian) and
 * the unscaled number; four bytes alone are a zero.
 */
#include "store/type/decimal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/type/big_integer.h"
#include "store/type/ordered_decimal.h"

static size_t digits_at(struct bytes text, size_t at)
{
	size_t start = at;

	while (at < text.len && isdigit(text.ptr[at]))
		at++;
	return at - start;
}

/* The places of a number's parts in its text. */
struct decimal_form {
	bool negative;
	size_t whole, whole_len;
	size_t fraction, fraction_len;
	size_t exponent;	/* of its sign or first digit; 0: none */
};

/*
 * [+-] digits [. digits] [e [+-] digits], with a digit before or after the
 * point. 1: all of it; 0: a begin of such a text; -1: neither.
 */
static int scan(struct decimal_form *form, struct bytes text)
{
	size_t at = 0, count;

	memset(form, 0, sizeof(*form));
	if (at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-'))
		form->negative = text.ptr[at++] == '-';
	form->whole = at;
	form->whole_len = digits_at(text, at);
	at += form->whole_len;
	if (at < text.len && text.ptr[at] == '.') {
		form->fraction = ++at;
		form->fraction_len = digits_at(text, at);
		at += form->fraction_len;
	}
	if (at == text.len)
		return form->whole_len || form->fraction_len;
	if ((text.ptr[at] | 0x20) != 'e' ||
	    (!form->whole_len && !form->fraction_len))
		return -1;
	form->exponent = ++at;
	if (at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-'))
		at++;
	count = digits_at(text, at);
	if (at + count < text.len)
		return -1;
	return count != 0;
}

/* Read the exponent; -ERANGE where its scale cannot be an int32 (or Java's
 * reader refuses it). */
static int read_exponent(int64_t *exponent, struct bytes text, size_t at)
{
	bool negative = false;

	*exponent = 0;
	if (!at)
		return 0;
	if (text.ptr[at] == '-' || text.ptr[at] == '+')
		negative = text.ptr[at++] == '-';
	for (; at < text.len; at++) {
		*exponent = *exponent * 10 + (text.ptr[at] - '0');
		if (*exponent > (int64_t)INT32_MAX + 1)
			return -ERANGE;
	}
	if (negative)
		*exponent = -*exponent;
	else if (*exponent > INT32_MAX)
		return -ERANGE;
	return 0;
}

int decimal_parse(struct decimal *d, struct bytes text)
{
	struct decimal_form form;
	int64_t exponent, scale;
	struct buf digits = BUF_INIT;
	int err;

	if (scan(&form, text) != 1 ||
	    read_exponent(&exponent, text, form.exponent))
		return -EINVAL;
	if (__builtin_sub_overflow((int64_t)form.fraction_len, exponent,
				   &scale) ||
	    scale != (int32_t)scale)
		return -EINVAL;
	if (!form.fraction_len) {
		err = big_read_digits(d->unscaled, bytes_of(text.ptr +
					form.whole, form.whole_len));
	} else {
		buf_add(&digits, text.ptr + form.whole, form.whole_len);
		buf_add(&digits, text.ptr + form.fraction, form.fraction_len);
		err = digits.failed ? -ENOMEM : big_read_digits(d->unscaled,
							buf_bytes(&digits));
		buf_release(&digits);
	}
	if (!err && form.negative)
		mpz_neg(d->unscaled, d->unscaled);
	d->scale = (int32_t)scale;
	return err;
}

void decimal_init(struct decimal *d)
{
	mpz_init(d->unscaled);
	d->scale = 0;
}

void decimal_release(struct decimal *d)
{
	mpz_clear(d->unscaled);
}

void decimal_get(struct decimal *d, struct bytes value)
{
	if (value.len < 4)
		return;
	d->scale = (int32_t)get_be32(value.ptr);
	big_get(d->unscaled, bytes_of(value.ptr + 4, value.len - 4));
}

void decimal_add(struct buf *out, const struct decimal *d)
{
	buf_add_be32(out, (uint32_t)d->scale);
	big_add(out, d->unscaled);
}

const char *decimal_refusal(double x)
{
	return isnan(x) ?
		"Character N is neither a decimal digit number, decimal point, "
		"nor \"e\" notation exponential mark." :
		"Character I is neither a decimal digit number, decimal point, "
		"nor \"e\" notation exponential mark.";
}

int decimal_read(struct buf *out, struct bytes text, struct type_error *error)
{
	struct decimal d;
	int err;

	decimal_init(&d);
	err = decimal_parse(&d, text);
	if (!err)
		decimal_add(out, &d);
	decimal_release(&d);
	if (err == -ENOMEM) {
		out->failed = true;
		return 0;
	}
	return err ? type_fail(error, "unable to make BigDecimal from '%.*s'",
			       type_fail_length(text), text.ptr) : 0;
}

static int read_varint_text(struct buf *out, struct bytes text,
			    struct type_error *error)
{
	struct decimal_form form;
	mpz_t n;

	if (scan(&form, text) != 1 || form.fraction || form.exponent)
		return type_fail(error, "unable to make int from '%.*s'",
				 type_fail_length(text), text.ptr);
	mpz_init(n);
	if (big_read_digits(n, bytes_of(text.ptr + form.whole,
					form.whole_len))) {
		out->failed = true;
	} else {
		if (form.negative)
			mpz_neg(n, n);
		big_add(out, n);
	}
	mpz_clear(n);
	return 0;
}

static bool may_begin(struct bytes text)
{
	struct decimal_form form;
	int64_t exponent;
	int found = scan(&form, text);

	return found >= 0 &&
	       (found == 0 || !read_exponent(&exponent, text, form.exponent));
}

static bool varint_may_begin(struct bytes text)
{
	struct decimal_form form;

	return scan(&form, text) >= 0 && !form.fraction && !form.exponent;
}

static void print_varint(struct buf *out, struct bytes value)
{
	mpz_t n;

	if (big_room(value.len)) {
		out->failed = true;
		return;
	}
	mpz_init(n);
	big_get(n, value);
	big_print(out, n);
	mpz_clear(n);
}

/* count: the digits of the unscaled number. 'E' and what follows, or ''. */
static int print_exponent(char text[16], int64_t *adjusted, size_t count,
			  int32_t scale)
{
	*adjusted = (int64_t)count - 1 - scale;
	text[0] = 0;
	if (scale >= 0 && *adjusted >= -6)
		return -1;
	return snprintf(text, 16, "E%+lld", (long long)*adjusted);
}

static void print_digits(struct buf *out, struct bytes digits, int32_t scale)
{
	char exponent[16];
	int64_t adjusted, point;
	int len = print_exponent(exponent, &adjusted, digits.len, scale);

	if (len > 0) {
		buf_add(out, digits.ptr, 1);
		if (digits.len > 1)
			buf_add_byte(out, '.');
		buf_add(out, digits.ptr + 1, digits.len - 1);
		buf_add(out, exponent, (size_t)len);
		return;
	}
	point = (int64_t)digits.len - scale;
	if (!scale) {
		buf_add_bytes(out, digits);
	} else if (point > 0) {
		buf_add(out, digits.ptr, (size_t)point);
		buf_add_byte(out, '.');
		buf_add(out, digits.ptr + point, digits.len - (size_t)point);
	} else {
		buf_add_str(out, "0.");
		for (; point < 0; point++)
			buf_add_byte(out, '0');
		buf_add_bytes(out, digits);
	}
}

static void print(struct buf *out, struct bytes value)
{
	struct buf digits = BUF_INIT;
	struct decimal d;

	if (big_room(value.len)) {
		out->failed = true;
		return;
	}
	decimal_init(&d);
	decimal_get(&d, value);
	if (mpz_sgn(d.unscaled) < 0)
		buf_add_byte(out, '-');
	mpz_abs(d.unscaled, d.unscaled);
	big_print(&digits, d.unscaled);
	if (digits.failed)
		out->failed = true;
	else
		print_digits(out, buf_bytes(&digits), d.scale);
	buf_release(&digits);
	decimal_release(&d);
}

static size_t varint_length(struct bytes value)
{
	size_t len;
	mpz_t n;

	mpz_init(n);
	big_get(n, value);
	len = big_digit_count(n) + (mpz_sgn(n) < 0);
	mpz_clear(n);
	return len;
}

static size_t text_length(struct bytes value)
{
	char exponent[16];
	int64_t adjusted, point;
	struct decimal d;
	size_t count, len;
	int tail;

	decimal_init(&d);
	decimal_get(&d, value);
	count = big_digit_count(d.unscaled);
	len = count + (mpz_sgn(d.unscaled) < 0);
	tail = print_exponent(exponent, &adjusted, count, d.scale);
	point = (int64_t)count - d.scale;
	if (tail > 0)
		len += (count > 1) + (size_t)tail;
	else if (d.scale && point > 0)
		len++;
	else if (d.scale)
		len += 2 + (size_t)-point;
	decimal_release(&d);
	return len;
}

static int compare_varint(struct bytes a, struct bytes b)
{
	bool negative = a.ptr[0] & 0x80;

	if (negative != (b.ptr[0] >> 7))
		return negative ? -1 : 1;
	a = big_trim(a);
	b = big_trim(b);
	if (a.len != b.len)
		return (a.len > b.len) != negative ? 1 : -1;
	return memcmp(a.ptr, b.ptr, a.len);
}

static int compare_decimal(struct bytes a, struct bytes b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;
	int order;

	if (a.len > 4 && b.len > 4 && !memcmp(a.ptr, b.ptr, 4))
		return compare_varint(bytes_of(a.ptr + 4, a.len - 4),
				      bytes_of(b.ptr + 4, b.len - 4));
	ordered_add_decimal(&x, a);
	ordered_add_decimal(&y, b);
	order = bytes_compare(buf_bytes(&x), buf_bytes(&y));
	buf_release(&x);
	buf_release(&y);
	return order;
}

static int validate(struct bytes value, struct type_error *error)
{
	return !value.len || value.len >= 4 ? 0 :
		type_fail(error, "Expected 0 or at least 4 bytes (%zu)",
			  value.len);
}

/* The lexer takes no number beyond those of a double. */
static bool has_literal(struct bytes value)
{
	return value.len && text_length(value) <= 300 &&
	       (value.len < 4 || (int32_t)get_be32(value.ptr) >= -250);
}

const struct native_type native_varint = {
	.type = { .kind = TYPE_VARINT, .depth = 1 },
	.name = "varint",
	.class = "IntegerType",
	.is_number = true,
	.read = read_varint_text,
	.may_begin = varint_may_begin,
	.print = print_varint,
	.text_length = varint_length,
	.constants = 1 << LITERAL_INTEGER,
	.json_number = JSON_JAVA_TEXT,
	.json_empty = JSON_EMPTY_IN_FILE,
	.compare = compare_varint,
	.add_ordered = ordered_add_varint,
	.read_ordered = ordered_read_varint,
	.is_ambiguous = true,		/* may be longer than it must */
	.masked = { (const uint8_t *)"\0", 1 },
};

const struct native_type native_decimal = {
	.type = { .kind = TYPE_DECIMAL, .depth = 1 },
	.name = "decimal",
	.class = "DecimalType",
	.is_number = true,
	.validate = validate,
	.read = decimal_read,
	.may_begin = may_begin,
	.print = print,
	.text_length = text_length,
	.constants = 1 << LITERAL_INTEGER | 1 << LITERAL_FLOAT,
	.has_literal = has_literal,
	.json_number = JSON_DIGITS,
	.compare = compare_decimal,
	.add_ordered = ordered_add_decimal,
	.read_ordered = ordered_read_decimal,
	.is_ambiguous = true,
	.masked = { (const uint8_t *)"\0\0\0\0\0", 5 },
};
