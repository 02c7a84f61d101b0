/*
 * Arithmetic of decimals, with the digits that Java's BigDecimal and Cassandra
 * keep: at most 10000 of a sum, difference or product. Results and operands are
 * different objects. 0, -ENOMEM, or -EINVAL with *reason, the words of Java's
 * ArithmeticException.
 */
#ifndef STORE_TYPE_DECIMAL_MATH_H
#define STORE_TYPE_DECIMAL_MATH_H
#include "store/type/big_integer.h"
#include "store/type/decimal.h"

/* Compute a op b. */
int decimal_apply(struct decimal *result, const struct decimal *a, char op,
		  const struct decimal *b, const char **reason);
/* Compute a / b to scale digits after the point, rounded half to even; b is not
 * zero. */
int decimal_divide_half_even(struct decimal *result, const struct decimal *a,
			     const struct decimal *b, int32_t scale,
			     const char **reason);
/* Compute a op b of integers, with Java's words. */
int decimal_apply_big(mpz_t result, const mpz_t a, char op, const mpz_t b,
		      const char **reason);
#endif
