/*
 * Whole numbers of any size, as varint and decimal hold them: GMP's mpz, with
 * its one fault kept out. GMP ends the process where it gets no memory, so
 * every operation is preceded by big_room(), which asks store/base/alloc.h for
 * the memory that the operation will need, and returns it at once. Any thread.
 */
#ifndef STORE_TYPE_BIG_INTEGER_H
#define STORE_TYPE_BIG_INTEGER_H
#include <gmp.h>

#include "store/base/bytes.h"

/* Check that there is memory for numbers of so many bytes in all: 0 or
 * -ENOMEM. */
int big_room(size_t bytes);
/* Read two's complement of any length; no bytes are 0. n was initialised. */
void big_get(mpz_t n, struct bytes value);
/* Append the shortest two's complement, at least one byte. */
void big_add(struct buf *out, const mpz_t n);
/* Return two's complement without the leading bytes that only repeat the
 * sign. */
struct bytes big_trim(struct bytes v);
/* Read decimal digits, which the caller has checked. -ENOMEM. */
int big_read_digits(mpz_t n, struct bytes digits);
/* Append sign and digits. big_digit_count: the number of digits, without the
 * sign. */
void big_print(struct buf *out, const mpz_t n);
size_t big_digit_count(const mpz_t n);
/* n = 10^exponent */
void big_power_of_ten(mpz_t n, unsigned long exponent);
#endif
