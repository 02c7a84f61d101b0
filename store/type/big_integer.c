#include "store/type/big_integer.h"

#include <errno.h>
#include <math.h>

#include "store/base/alloc.h"

/* GMP takes memory besides the numbers themselves: a few times their size when
 * it multiplies, divides or changes the base. */
#define SCRATCH_FACTOR 6
#define SCRATCH_BASE 1024

int big_room(size_t bytes)
{
	void *probe;

	if (bytes > SIZE_MAX / SCRATCH_FACTOR - SCRATCH_BASE)
		return -ENOMEM;
	probe = mem_alloc(bytes * SCRATCH_FACTOR + SCRATCH_BASE);
	if (!probe)
		return -ENOMEM;
	mem_free(probe);
	return 0;
}

void big_get(mpz_t n, struct bytes value)
{
	mpz_import(n, value.len, 1, 1, 1, 0, value.ptr);
	if (value.len && value.ptr[0] & 0x80) {
		mpz_t wrap;

		mpz_init(wrap);
		mpz_setbit(wrap, value.len * 8);
		mpz_sub(n, n, wrap);
		mpz_clear(wrap);
	}
}

void big_add(struct buf *out, const mpz_t n)
{
	bool negative = mpz_sgn(n) < 0;
	size_t len, used, i;
	uint8_t *at;
	mpz_t m;

	/* -n - 1 has the inverted bits of n, and as many as n needs. */
	mpz_init(m);
	if (negative)
		mpz_com(m, n);
	else
		mpz_set(m, n);
	len = mpz_sizeinbase(m, 2) / 8 + 1;
	if (buf_reserve(out, len)) {
		at = out->ptr + out->len;
		used = mpz_sgn(m) ? (mpz_sizeinbase(m, 2) + 7) / 8 : 0;
		memset(at, 0, len - used);
		mpz_export(at + len - used, NULL, 1, 1, 1, 0, m);
		for (i = 0; negative && i < len; i++)
			at[i] = (uint8_t)~at[i];
		out->len += len;
	}
	mpz_clear(m);
}

int big_read_digits(mpz_t n, struct bytes digits)
{
	char small[64], *copy = small;

	if (big_room(digits.len))
		return -ENOMEM;
	if (digits.len >= sizeof(small)) {
		copy = mem_copy(digits.ptr, digits.len);
		if (!copy)
			return -ENOMEM;
	} else {
		memcpy(small, digits.ptr, digits.len);
		small[digits.len] = 0;
	}
	mpz_set_str(n, copy, 10);
	if (copy != small)
		mem_free(copy);
	return 0;
}

void big_print(struct buf *out, const mpz_t n)
{
	/* GMP's count may be one too high; sign and 0 byte. */
	size_t most = mpz_sizeinbase(n, 10) + 2;

	if (big_room(most) || !buf_reserve(out, most)) {
		out->failed = true;
		return;
	}
	mpz_get_str((char *)out->ptr + out->len, 10, n);
	out->len += strlen((char *)out->ptr + out->len);
}

size_t big_digit_count(const mpz_t n)
{
	long exponent;
	double log, fraction = fabs(mpz_get_d_2exp(&exponent, n));
	size_t count;
	mpz_t bound;

	if (!mpz_sgn(n))
		return 1;
	log = log10(fraction) + (double)exponent * 0.30102999566398119521;
	count = (size_t)log + 1;
	/* The logarithm is good to some 1e-15 of itself; next to a power of
	 * ten the numbers themselves decide. */
	if (fabs(log - round(log)) > 1e-12 + log * 1e-14)
		return count;
	count = (size_t)round(log);
	mpz_init(bound);
	big_power_of_ten(bound, count);
	if (mpz_cmpabs(n, bound) >= 0)
		count++;
	mpz_clear(bound);
	return count ? count : 1;
}

void big_power_of_ten(mpz_t n, unsigned long exponent)
{
	mpz_ui_pow_ui(n, 10, exponent);
}

struct bytes big_trim(struct bytes v)
{
	while (v.len > 1 && ((v.ptr[0] == 0 && !(v.ptr[1] & 0x80)) ||
			     (v.ptr[0] == 0xff && v.ptr[1] & 0x80))) {
		v.ptr++;
		v.len--;
	}
	return v;
}
