/*
 * Functions of numbers: abs, exp, log, log10, round. Those of whole numbers are
 * computed in double and narrowed as by a cast; those of decimals and varints
 * to 32 digits or the argument's, with scaled whole numbers (GMP).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/cql/expression/function.h"
#include "store/cql/expression/function_number.h"
#include "store/cql/statement/refuse.h"
#include "store/type/arithmetic.h"
#include "store/type/big_integer.h"
#include "store/type/convert.h"
#include "store/type/decimal.h"

static function_apply apply_abs, apply_exponent, apply_round;

#define OF_NUMBER(name, kind, apply)                                          \
	{ name, NULL, 1, { kind }, kind, apply, false }
#define EACH_NUMBER(name, apply)                                              \
	OF_NUMBER(name, TYPE_INT, apply),                                     \
	OF_NUMBER(name, TYPE_BIGINT, apply),                                  \
	OF_NUMBER(name, TYPE_VARINT, apply),                                  \
	OF_NUMBER(name, TYPE_DOUBLE, apply),                                  \
	OF_NUMBER(name, TYPE_DECIMAL, apply),                                 \
	OF_NUMBER(name, TYPE_FLOAT, apply),                                   \
	OF_NUMBER(name, TYPE_SMALLINT, apply),                                \
	OF_NUMBER(name, TYPE_TINYINT, apply),                                 \
	OF_NUMBER(name, TYPE_COUNTER, apply)

const struct native_function function_numbers[] = {
	EACH_NUMBER("abs", apply_abs),
	EACH_NUMBER("exp", apply_exponent),
	EACH_NUMBER("log", apply_exponent),
	EACH_NUMBER("log10", apply_exponent),
	EACH_NUMBER("round", apply_round),
};
const size_t function_number_count = ARRAY_SIZE(function_numbers);

static bool is_floating(enum type_kind kind)
{
	return kind == TYPE_FLOAT || kind == TYPE_DOUBLE;
}

static double number_of(enum type_kind kind, struct bytes value)
{
	double d = 0;
	float f;
	uint64_t wide;
	uint32_t narrow;
	int64_t n = value.ptr[0] & 0x80 ? -1 : 0;

	if (kind == TYPE_DOUBLE) {
		wide = get_be64(value.ptr);
		memcpy(&d, &wide, 8);
		return d;
	}
	if (kind == TYPE_FLOAT) {
		narrow = get_be32(value.ptr);
		memcpy(&f, &narrow, 4);
		return (double)f;
	}
	for (size_t i = 0; i < value.len; i++)
		n = (int64_t)((uint64_t)n << 8 | value.ptr[i]);
	return (double)n;
}

/* Append d as the kind, by Java's narrowing. */
static int put_number(struct execution *x, enum type_kind kind, double d)
{
	struct type_error error;
	uint8_t bytes[8];
	uint64_t wide;
	bool is_null = false;

	memcpy(&wide, &d, 8);
	put_be64(bytes, isnan(d) ? 0x7ff8000000000000 : wide);
	if (kind == TYPE_DOUBLE) {
		buf_add(&x->scratch, bytes, 8);
		return 0;
	}
	return convert_value(&x->scratch, &is_null, TYPE_DOUBLE,
			     bytes_of(bytes, 8),
			     kind == TYPE_COUNTER ? TYPE_BIGINT : kind, &error);
}

static int apply_abs(struct execution *x, const struct function *f,
		     const struct bytes *args, bool *is_null)
{
	enum type_kind kind = f->args[0]->kind;
	size_t sign = kind == TYPE_DECIMAL ? 4 : 0;

	*is_null = false;
	if (args[0].len <= sign || !(args[0].ptr[sign] & 0x80)) {
		buf_add_bytes(&x->scratch, args[0]);
		return 0;
	}
	if (is_floating(kind)) {
		buf_add_bytes(&x->scratch, args[0]);
		if (!x->scratch.failed)
			x->scratch.ptr[0] &= 0x7f;
		return 0;
	}
	arithmetic_negate(&x->scratch, is_null, kind, args[0]);
	return 0;
}

/* ------------------------------------------------------ decimals, rounded */
#define DIGITS 32	/* that a result keeps, or the argument's if more */
#define DIGITS_MAX 1000
#define GUARD 20	/* more digits while computing */

/* Return how many digits a result keeps, as in Cassandra. */
static size_t digits_for(const struct decimal *d)
{
	size_t digits = big_digit_count(d->unscaled);

	return digits < DIGITS ? DIGITS :
	       digits > DIGITS_MAX ? DIGITS_MAX : digits;
}

/* Keep that many significant digits, rounding half up. */
static void keep_digits(struct decimal *d, size_t kept)
{
	mpz_t power;
	size_t digits = big_digit_count(d->unscaled);

	if (digits <= kept)
		return;
	mpz_init(power);
	big_power_of_ten(power, digits - kept);
	d->scale -= (int32_t)(digits - kept);
	mpz_fdiv_q_2exp(power, power, 1);
	if (mpz_sgn(d->unscaled) < 0)
		mpz_sub(d->unscaled, d->unscaled, power);
	else
		mpz_add(d->unscaled, d->unscaled, power);
	big_power_of_ten(power, digits - kept);
	mpz_tdiv_q(d->unscaled, d->unscaled, power);
	mpz_clear(power);
}

/* Remove zeros after the point of a whole number; zero has none. */
static void strip_whole(struct decimal *d)
{
	mpz_t power;

	mpz_init(power);
	if (d->scale > 0) {
		big_power_of_ten(power, (unsigned long)d->scale);
		if (mpz_divisible_p(d->unscaled, power)) {
			mpz_divexact(d->unscaled, d->unscaled, power);
			d->scale = 0;
		}
	}
	mpz_clear(power);
}

/* Compute n = d * 10^guard */
static void to_fixed(mpz_t n, const struct decimal *d, long guard)
{
	long shift = guard - d->scale;
	mpz_t power;

	if (-shift > (long)big_digit_count(d->unscaled)) {
		mpz_set_ui(n, 0);
		return;
	}
	mpz_init(power);
	big_power_of_ten(power, (unsigned long)labs(shift));
	if (shift >= 0)
		mpz_mul(n, d->unscaled, power);
	else
		mpz_tdiv_q(n, d->unscaled, power);
	mpz_clear(power);
}

/* Compute sum = e^n, both scaled by one: n is halved until small, then squared
 * back. */
static void fixed_exp(mpz_t sum, mpz_t n, const mpz_t one)
{
	unsigned halvings = 0;
	mpz_t term;

	mpz_init_set(term, one);
	mpz_set(sum, one);
	while (mpz_cmpabs(n, one) > 0 || halvings < 8) {
		mpz_tdiv_q_2exp(n, n, 1);
		halvings++;
	}
	for (unsigned long i = 1; mpz_sgn(term); i++) {
		mpz_mul(term, term, n);
		mpz_tdiv_q(term, term, one);
		mpz_tdiv_q_ui(term, term, i);
		mpz_add(sum, sum, term);
	}
	while (halvings--) {
		mpz_mul(sum, sum, sum);
		mpz_tdiv_q(sum, sum, one);
	}
	mpz_clear(term);
}

/* Compute out = 2 * atanh((n - one) / (n + one)) = ln n, for n near one. */
static void fixed_log_near(mpz_t out, const mpz_t n, const mpz_t one)
{
	mpz_t t, square, term;

	mpz_inits(t, square, term, NULL);
	mpz_sub(t, n, one);
	mpz_mul(t, t, one);
	mpz_add(term, n, one);
	mpz_tdiv_q(t, t, term);
	mpz_mul(square, t, t);
	mpz_tdiv_q(square, square, one);
	mpz_set_ui(out, 0);
	for (unsigned long i = 1; mpz_sgn(t); i += 2) {
		mpz_tdiv_q_ui(term, t, i);
		mpz_add(out, out, term);
		mpz_mul(t, t, square);
		mpz_tdiv_q(t, t, one);
	}
	mpz_mul_ui(out, out, 2);
	mpz_clears(t, square, term, NULL);
}

/* Compute ln of d > 0: d = m * 10^k with 1 <= m < 10, m = r * 2^j. */
static void fixed_log(mpz_t out, const struct decimal *d, const mpz_t one,
		      long guard)
{
	long k = (long)big_digit_count(d->unscaled) - 1 - d->scale;
	struct decimal m = *d;
	unsigned twos = 0;
	mpz_t n, two, ten;

	mpz_inits(n, two, ten, NULL);
	m.scale = (int32_t)big_digit_count(d->unscaled) - 1;
	to_fixed(n, &m, guard);
	mpz_mul_ui(two, one, 2);
	fixed_log_near(two, two, one);
	mpz_mul_ui(ten, one, 5);
	mpz_tdiv_q_ui(ten, ten, 4);
	fixed_log_near(ten, ten, one);
	mpz_addmul_ui(ten, two, 3);	/* ln 10 = ln 1.25 + 3 ln 2 */
	while (mpz_cmp(n, one) > 0) {
		mpz_tdiv_q_2exp(n, n, 1);
		twos++;
	}
	fixed_log_near(out, n, one);
	mpz_addmul_ui(out, two, twos);
	if (k >= 0)
		mpz_addmul_ui(out, ten, (unsigned long)k);
	else
		mpz_submul_ui(out, ten, (unsigned long)-k);
	mpz_clears(n, two, ten, NULL);
}

static int decimal_log(struct execution *x, struct decimal *d, bool tens)
{
	/* A number near 1 loses as many digits as it has. */
	size_t digits = digits_for(d);
	long guard = 2 * (long)digits + GUARD;
	mpz_t one, out, ten;
	struct decimal base;

	if (mpz_sgn(d->unscaled) <= 0)
		return refuse_as(x, CQL_SERVER_ERROR, "java.lang."
				 "ArithmeticException: Illegal log(x) for x "
				 "<= 0: x = %s", mpz_sgn(d->unscaled) ?
				 "negative" : "0");
	mpz_inits(one, out, ten, NULL);
	big_power_of_ten(one, (unsigned long)guard);
	fixed_log(out, d, one, guard);
	if (tens) {
		decimal_init(&base);
		mpz_set_ui(base.unscaled, 10);
		fixed_log(ten, &base, one, guard);
		mpz_mul(out, out, one);
		mpz_tdiv_q(out, out, ten);
		decimal_release(&base);
	}
	mpz_set(d->unscaled, out);
	d->scale = (int32_t)guard;
	mpz_clears(one, out, ten, NULL);
	keep_digits(d, digits);
	if (tens)
		strip_whole(d);
	return 0;
}

static int decimal_exp(struct execution *x, struct decimal *d)
{
	size_t digits = digits_for(d);
	long guard = (long)digits + GUARD;
	mpz_t one, n;

	/* Beyond this the result would have too many digits. */
	if ((long)big_digit_count(d->unscaled) - d->scale > 4)
		return refuse_as(x, CQL_SERVER_ERROR,
				 "java.lang.ArithmeticException: Overflow");
	mpz_inits(one, n, NULL);
	/* e^-x begins after that many zeros: x / ln 10, and x is small. */
	to_fixed(n, d, 0);
	if (mpz_sgn(n) < 0)
		guard += (long)((double)mpz_get_ui(n) / 2.3) + 1;
	big_power_of_ten(one, (unsigned long)guard);
	to_fixed(n, d, guard);
	fixed_exp(d->unscaled, n, one);
	d->scale = (int32_t)guard;
	mpz_clears(one, n, NULL);
	keep_digits(d, digits);
	return 0;
}

static int apply_big(struct execution *x, const struct function *f,
		     struct bytes value)
{
	bool varint = f->args[0]->kind == TYPE_VARINT, whole;
	struct decimal d;
	mpz_t power;
	int err = big_room(4096 + 4 * value.len);

	if (err)
		return err;
	decimal_init(&d);
	if (varint)
		big_get(d.unscaled, value);
	else
		decimal_get(&d, value);
	whole = !mpz_sgn(d.unscaled);	/* e^0 */
	if (f->name[0] == 'e')
		err = decimal_exp(x, &d);
	else
		err = decimal_log(x, &d, f->name[3]);
	if (!err) {
		if (!mpz_sgn(d.unscaled) || whole)
			strip_whole(&d);
		if (varint) {
			mpz_init(power);
			big_power_of_ten(power, (unsigned long)labs(d.scale));
			if (d.scale > 0)
				mpz_tdiv_q(d.unscaled, d.unscaled, power);
			else
				mpz_mul(d.unscaled, d.unscaled, power);
			mpz_clear(power);
			big_add(&x->scratch, d.unscaled);
		} else {
			decimal_add(&x->scratch, &d);
		}
	}
	decimal_release(&d);
	return err;
}

/* exp, log, log10 */
static int apply_exponent(struct execution *x, const struct function *f,
			  const struct bytes *args, bool *is_null)
{
	enum type_kind kind = f->args[0]->kind;
	double d;

	*is_null = false;
	if (kind == TYPE_VARINT || kind == TYPE_DECIMAL)
		return apply_big(x, f, args[0]);
	d = number_of(kind, args[0]);
	if (f->name[0] == 'e')
		d = exp(d);
	else
		d = f->name[3] ? log10(d) : log(d);
	return put_number(x, kind, d);
}

static double round_double(double d, double low, double high)
{
	if (isnan(d))
		return 0;
	d = floor(d + 0.5);
	return d < low ? low : d > high ? high : d + 0.0;
}

/* Round HALF_UP to no digits after the point. */
static int round_decimal(struct execution *x, struct bytes value)
{
	struct decimal d;
	mpz_t power;
	int err = big_room(4096 + 4 * value.len);

	if (err)
		return err;
	decimal_init(&d);
	decimal_get(&d, value);
	mpz_init(power);
	if (d.scale > (int32_t)big_digit_count(d.unscaled) + 1) {
		mpz_set_ui(d.unscaled, 0);
	} else if (d.scale > 0) {
		big_power_of_ten(power, (unsigned long)d.scale);
		mpz_tdiv_q_2exp(power, power, 1);
		if (mpz_sgn(d.unscaled) < 0)
			mpz_sub(d.unscaled, d.unscaled, power);
		else
			mpz_add(d.unscaled, d.unscaled, power);
		big_power_of_ten(power, (unsigned long)d.scale);
		mpz_tdiv_q(d.unscaled, d.unscaled, power);
	} else if (d.scale < 0 && d.scale > -100000) {
		big_power_of_ten(power, (unsigned long)-d.scale);
		mpz_mul(d.unscaled, d.unscaled, power);
	}
	d.scale = 0;
	decimal_add(&x->scratch, &d);
	mpz_clear(power);
	decimal_release(&d);
	return 0;
}

static int apply_round(struct execution *x, const struct function *f,
		       const struct bytes *args, bool *is_null)
{
	enum type_kind kind = f->args[0]->kind;
	double d;

	*is_null = false;
	if (kind == TYPE_DECIMAL)
		return round_decimal(x, args[0]);
	if (!is_floating(kind)) {
		buf_add_bytes(&x->scratch, args[0]);
		return 0;
	}
	d = number_of(kind, args[0]);
	return put_number(x, kind,
			  kind == TYPE_FLOAT ?
				  round_double(d, INT32_MIN, INT32_MAX) :
				  round_double(d, -0x1p63, 0x1p63));
}
