#include "store/type/decimal_math.h"

#include <errno.h>

#include "store/type/decimal.h"

/* Cassandra's digits of a sum, difference or product; */
#define SUM_DIGITS 10000
/* and of a quotient: significant ones, those after the point. */
#define QUOTIENT_DIGITS 32
#define QUOTIENT_SCALE_MAX 1000

/* Java's BigInteger has at most 2^31 - 1 bits: so many digits. */
#define DIGITS_MAX 646456993
#define BYTES_MAX ((size_t)1 << 28)

#define TOO_LARGE "BigInteger would overflow supported range"

static int refuse(const char **reason, const char *words)
{
	*reason = words;
	return -EINVAL;
}

static size_t size_of(const mpz_t n)
{
	return mpz_size(n) * sizeof(mp_limb_t);
}

int decimal_apply_big(mpz_t result, const mpz_t a, char op, const mpz_t b,
		      const char **reason)
{
	size_t size = size_of(a) + size_of(b);

	if (big_room(size))
		return -ENOMEM;
	if ((op == '/' || op == '%') && !mpz_sgn(b))
		return refuse(reason, "BigInteger divide by zero");
	if (op == '*' && mpz_sizeinbase(a, 2) + mpz_sizeinbase(b, 2) >
				 BYTES_MAX * 8)
		return refuse(reason, TOO_LARGE);
	switch (op) {
	case '+':
		mpz_add(result, a, b);
		break;
	case '-':
		mpz_sub(result, a, b);
		break;
	case '*':
		mpz_mul(result, a, b);
		break;
	case '/':
		mpz_tdiv_q(result, a, b);
		break;
	default:
		mpz_tdiv_r(result, a, b);
	}
	return 0;
}

/* result = n * 10^exponent, where Java could hold it. */
static int shift_up(mpz_t result, const mpz_t n, int64_t exponent,
		    const char **reason)
{
	mpz_t power;

	if (!mpz_sgn(n) || exponent <= 0) {
		mpz_set(result, n);
		return 0;
	}
	if (exponent + (int64_t)(mpz_sizeinbase(n, 2) / 4) > DIGITS_MAX)
		return refuse(reason, TOO_LARGE);
	/* 10 needs less than half a byte. */
	if (big_room(size_of(n) + (size_t)exponent))
		return -ENOMEM;
	mpz_init(power);
	big_power_of_ten(power, (unsigned long)exponent);
	mpz_mul(result, n, power);
	mpz_clear(power);
	return 0;
}

static int set_scale(struct decimal *d, int64_t scale, const char **reason)
{
	if (scale != (int32_t)scale) {
		if (mpz_sgn(d->unscaled))
			return refuse(reason, scale > 0 ? "Underflow" :
							  "Overflow");
		scale = scale > 0 ? INT32_MAX : INT32_MIN;
	}
	d->scale = (int32_t)scale;
	return 0;
}

/* How a quotient is rounded to the nearest: halves away from zero, or to the
 * even one. */
enum rounding { HALF_UP, HALF_EVEN };

static void round_quotient(mpz_t quotient, mpz_t rest, const mpz_t divisor,
			   int sign, enum rounding rounding)
{
	int half;

	mpz_mul_2exp(rest, rest, 1);
	half = mpz_cmpabs(rest, divisor);
	if (half < 0 || (!half && rounding == HALF_EVEN &&
			 mpz_even_p(quotient)))
		return;
	if (sign < 0)
		mpz_sub_ui(quotient, quotient, 1);
	else
		mpz_add_ui(quotient, quotient, 1);
}

/* Keep the first digits of a sum or product, if there are too many. */
static int round_digits(struct decimal *d, const char **reason)
{
	int64_t scale = d->scale;
	mpz_t divisor, rest;
	size_t count;
	int sign;

	if (mpz_sizeinbase(d->unscaled, 10) <= SUM_DIGITS)
		return 0;
	/* 99…99 may become one digit longer once more. */
	while ((count = big_digit_count(d->unscaled)) > SUM_DIGITS) {
		if (big_room(2 * size_of(d->unscaled)))
			return -ENOMEM;
		sign = mpz_sgn(d->unscaled);
		mpz_inits(divisor, rest, NULL);
		big_power_of_ten(divisor, count - SUM_DIGITS);
		mpz_tdiv_qr(d->unscaled, rest, d->unscaled, divisor);
		round_quotient(d->unscaled, rest, divisor, sign, HALF_UP);
		mpz_clears(divisor, rest, NULL);
		scale -= (int64_t)(count - SUM_DIGITS);
	}
	return set_scale(d, scale, reason);
}

/* Compute a sum with a zero: the other number, with the zero's digits if they
 * fit. */
static int add_zero(struct decimal *result, const struct decimal *other,
		    bool negate, int32_t scale, const char **reason)
{
	int64_t more, fit;
	int err;

	mpz_set(result->unscaled, other->unscaled);
	result->scale = other->scale;
	err = round_digits(result, reason);
	if (err)
		return err;
	more = (int64_t)scale - result->scale;
	fit = SUM_DIGITS - (int64_t)big_digit_count(result->unscaled);
	if (more > fit)
		more = fit;
	err = shift_up(result->unscaled, result->unscaled, more, reason);
	if (negate)
		mpz_neg(result->unscaled, result->unscaled);
	if (more > 0)
		result->scale = (int32_t)(result->scale + more);
	return err;
}

/*
 * A number far below the last digit of a sum counts only by its sign: a 1 takes
 * its place, so that no sum has more digits to write out than will be kept.
 */
static int condense(struct decimal *small, const struct decimal *large,
		    const char **reason)
{
	int64_t last = (int64_t)large->scale + SUM_DIGITS -
		       (int64_t)big_digit_count(large->unscaled);
	int64_t first = (int64_t)small->scale + 1 -
			(int64_t)big_digit_count(small->unscaled);

	if (first <= (int64_t)large->scale + 2 || first <= last + 2)
		return 0;
	mpz_set_si(small->unscaled, mpz_sgn(small->unscaled));
	if (last < large->scale)
		last = large->scale;
	return set_scale(small, last + 3, reason);
}

static int add(struct decimal *result, const struct decimal *a, bool minus,
	       const struct decimal *b, const char **reason)
{
	bool a_large = a->scale < b->scale;
	const struct decimal *large = a_large ? a : b;
	struct decimal small;
	int err = 0;

	if (!mpz_sgn(a->unscaled) && !mpz_sgn(b->unscaled)) {
		mpz_set_ui(result->unscaled, 0);
		result->scale = a_large ? b->scale : a->scale;
		return 0;
	}
	if (!mpz_sgn(a->unscaled) || !mpz_sgn(b->unscaled))
		return add_zero(result, mpz_sgn(a->unscaled) ? a : b,
				minus && !mpz_sgn(a->unscaled),
				a_large ? b->scale : a->scale, reason);
	decimal_init(&small);
	mpz_set(small.unscaled, a_large ? b->unscaled : a->unscaled);
	small.scale = a_large ? b->scale : a->scale;
	if (small.scale != large->scale)
		err = condense(&small, large, reason);
	if (!err)
		err = shift_up(result->unscaled, large->unscaled,
			       (int64_t)small.scale - large->scale, reason);
	if (!err)
		err = a_large ?
			decimal_apply_big(result->unscaled, result->unscaled,
					  minus ? '-' : '+', small.unscaled,
					  reason) :
			decimal_apply_big(result->unscaled, small.unscaled,
					  minus ? '-' : '+', result->unscaled,
					  reason);
	result->scale = small.scale;
	decimal_release(&small);
	return err ? err : round_digits(result, reason);
}

static int multiply(struct decimal *result, const struct decimal *a,
		    const struct decimal *b, const char **reason)
{
	int err = decimal_apply_big(result->unscaled, a->unscaled, '*',
				    b->unscaled, reason);

	if (!err)
		err = set_scale(result, (int64_t)a->scale + b->scale, reason);
	return err ? err : round_digits(result, reason);
}

/* Scale dividend and divisor so that the quotient of the unscaled numbers has
 * that scale. */
static int align(mpz_t dividend, mpz_t divisor, const struct decimal *a,
		 const struct decimal *b, int64_t scale, const char **reason)
{
	int64_t shift = scale - a->scale + b->scale;
	int err = shift_up(dividend, a->unscaled, shift, reason);

	return err ? err : shift_up(divisor, b->unscaled, -shift, reason);
}

static int divide_to_scale(struct decimal *result, const struct decimal *a,
			   const struct decimal *b, int32_t scale,
			   enum rounding rounding, const char **reason)
{
	mpz_t dividend, divisor, rest;
	int err, sign = mpz_sgn(a->unscaled) * mpz_sgn(b->unscaled);

	if (!mpz_sgn(b->unscaled))
		return refuse(reason, "BigInteger divide by zero");
	mpz_inits(dividend, divisor, rest, NULL);
	err = align(dividend, divisor, a, b, scale, reason);
	if (!err)
		err = big_room(2 * (size_of(dividend) + size_of(divisor)));
	if (!err) {
		mpz_tdiv_qr(result->unscaled, rest, dividend, divisor);
		result->scale = scale;
		round_quotient(result->unscaled, rest, divisor, sign, rounding);
	}
	mpz_clears(dividend, divisor, rest, NULL);
	return err;
}

int decimal_divide_half_even(struct decimal *result, const struct decimal *a,
			     const struct decimal *b, int32_t scale,
			     const char **reason)
{
	return divide_to_scale(result, a, b, scale, HALF_EVEN, reason);
}

/* Return how often 10 divides n: as often as both 2 and 5. n is not zero. */
static mp_bitcnt_t count_tens(const mpz_t n)
{
	mp_bitcnt_t twos = mpz_scan1(n, 0), fives;
	mpz_t five, rest;

	if (!twos)
		return 0;
	mpz_init_set_ui(five, 5);
	mpz_init(rest);
	fives = mpz_remove(rest, n, five);
	mpz_clears(five, rest, NULL);
	return twos < fives ? twos : fives;
}

static void strip_zeros(struct decimal *d)
{
	int64_t tens, most = (int64_t)d->scale - INT32_MIN;
	mpz_t divisor;

	if (!mpz_sgn(d->unscaled)) {
		d->scale = 0;
		return;
	}
	tens = (int64_t)count_tens(d->unscaled);
	if (tens > most)
		tens = most;
	mpz_init(divisor);
	big_power_of_ten(divisor, (unsigned long)tens);
	mpz_divexact(d->unscaled, d->unscaled, divisor);
	d->scale = (int32_t)(d->scale - tens);
	mpz_clear(divisor);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int divide(struct decimal *result, const struct decimal *a,
		  const struct decimal *b, const char **reason)
{
	int64_t first = ((int64_t)big_digit_count(a->unscaled) - a->scale) -
			((int64_t)big_digit_count(b->unscaled) - b->scale);
	int64_t scale = QUOTIENT_DIGITS - first;
	int err;

	scale = larger(larger(scale, QUOTIENT_DIGITS),
		       larger(a->scale, b->scale));
	if (scale > QUOTIENT_SCALE_MAX)
		scale = QUOTIENT_SCALE_MAX;
	err = divide_to_scale(result, a, b, (int32_t)scale, HALF_UP, reason);
	if (!err)
		strip_zeros(result);
	return err;
}

/*
 * Java's remainder keeps more digits where the integer quotient has fewer
 * zeros at its end than the scales differ: 36 % 1.50 is 0.00, 3000 % 1.50 is 0.
 */
static int64_t remainder_scale(const struct decimal *a, const struct decimal *b,
			       const mpz_t quotient)
{
	int64_t missing = (int64_t)b->scale - a->scale;

	if (missing <= 0 || !mpz_sgn(quotient))
		return a->scale;
	missing -= (int64_t)count_tens(quotient);
	return a->scale + larger(missing, 0);
}

static int remainder_of(struct decimal *result, const struct decimal *a,
			const struct decimal *b, const char **reason)
{
	int64_t common = larger(a->scale, b->scale), scale;
	mpz_t dividend, divisor, quotient;
	int err;

	if (!mpz_sgn(b->unscaled))
		return refuse(reason, mpz_sgn(a->unscaled) ?
				      "Division by zero" :
				      "Division undefined");
	mpz_inits(dividend, divisor, quotient, NULL);
	err = shift_up(dividend, a->unscaled, common - a->scale, reason);
	if (!err)
		err = shift_up(divisor, b->unscaled, common - b->scale, reason);
	if (!err)
		err = big_room(2 * (size_of(dividend) + size_of(divisor)));
	if (!err) {
		mpz_tdiv_qr(quotient, result->unscaled, dividend, divisor);
		/* The remainder now has the common scale: give it its
		 * digits. */
		scale = remainder_scale(a, b, quotient);
		if (scale < common) {
			big_power_of_ten(quotient,
					 (unsigned long)(common - scale));
			mpz_tdiv_q(result->unscaled, result->unscaled,
				   quotient);
		}
		result->scale = (int32_t)scale;
	}
	mpz_clears(dividend, divisor, quotient, NULL);
	return err;
}

int decimal_apply(struct decimal *result, const struct decimal *a, char op,
		  const struct decimal *b, const char **reason)
{
	switch (op) {
	case '*':
		return multiply(result, a, b, reason);
	case '/':
		return divide(result, a, b, reason);
	case '%':
		return remainder_of(result, a, b, reason);
	default:
		return add(result, a, op == '-', b, reason);
	}
}
