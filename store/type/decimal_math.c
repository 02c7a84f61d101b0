#include "store/type/decimal_math.h"

#include <errno.h>

/* Cassandra's digits of a quotient: significant ones, those after the point. */
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

int big_apply(mpz_t result, const mpz_t a, char op, const mpz_t b,
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
	if (!mpz_sgn(n) || exponent <= 0) {
		mpz_set(result, n);
		return 0;
	}
	if (exponent + (int64_t)(mpz_sizeinbase(n, 2) / 4) > DIGITS_MAX)
		return refuse(reason, TOO_LARGE);
	/* 10 needs less than half a byte. */
	if (big_room(size_of(n) + (size_t)exponent))
		return -ENOMEM;
	big_power_of_ten(result, (unsigned long)exponent);
	mpz_mul(result, result, n);
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

static int add(struct decimal *result, const struct decimal *a, bool minus,
	       const struct decimal *b, const char **reason)
{
	int32_t scale = a->scale > b->scale ? a->scale : b->scale;
	mpz_t other;
	int err;

	mpz_init(other);
	err = shift_up(result->unscaled, a->unscaled,
		       (int64_t)scale - a->scale, reason);
	if (!err)
		err = shift_up(other, b->unscaled, (int64_t)scale - b->scale,
			       reason);
	if (!err)
		err = big_apply(result->unscaled, result->unscaled,
				minus ? '-' : '+', other, reason);
	result->scale = scale;
	mpz_clear(other);
	return err;
}

static int multiply(struct decimal *result, const struct decimal *a,
		    const struct decimal *b, const char **reason)
{
	int err = big_apply(result->unscaled, a->unscaled, '*', b->unscaled,
			    reason);

	return err ? err : set_scale(result, (int64_t)a->scale + b->scale,
				     reason);
}

/* Divisors and dividends so that unscaled numbers divide to that scale. */
static int align(mpz_t dividend, mpz_t divisor, const struct decimal *a,
		 const struct decimal *b, int64_t scale, const char **reason)
{
	int64_t shift = scale - a->scale + b->scale;
	int err = shift_up(dividend, a->unscaled, shift, reason);

	return err ? err : shift_up(divisor, b->unscaled, -shift, reason);
}

enum rounding { HALF_UP, HALF_EVEN };

static int divide_to_scale(struct decimal *result, const struct decimal *a,
			   const struct decimal *b, int32_t scale,
			   enum rounding rounding, const char **reason)
{
	mpz_t dividend, divisor, rest;
	int err, half, sign = mpz_sgn(a->unscaled) * mpz_sgn(b->unscaled);

	if (!mpz_sgn(b->unscaled))
		return refuse(reason, "BigInteger divide by zero");
	mpz_inits(dividend, divisor, rest, NULL);
	err = align(dividend, divisor, a, b, scale, reason);
	if (!err)
		err = big_room(2 * (size_of(dividend) + size_of(divisor)));
	if (!err) {
		mpz_tdiv_qr(result->unscaled, rest, dividend, divisor);
		result->scale = scale;
		mpz_mul_2exp(rest, rest, 1);
		half = mpz_cmpabs(rest, divisor);
		if (half > 0 || (!half && (rounding == HALF_UP ||
					   mpz_odd_p(result->unscaled)))) {
			if (sign < 0)
				mpz_sub_ui(result->unscaled, result->unscaled,
					   1);
			else
				mpz_add_ui(result->unscaled, result->unscaled,
					   1);
		}
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

/* As many tens as n holds: as many as twos and fives. n is not zero. */
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
		/* Now at the common scale; its digits are what is wanted. */
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
