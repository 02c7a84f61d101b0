/*
 * Varints and decimals as bytes that memcmp orders by value. A varint:
 *
 *   80 + n - 1 (positive) or 7F - (n - 1) for n bytes up to 120, else F8 or 07
 *   and n (inverted where negative) in 4 bytes; then the n bytes
 *
 * Of decimals 1.0 and 1.00 give the same. The value is taken as 0.PPPP * 100^x, P pairs of digits, the first not 00:
 *
 *   80                                      zero
 *   C0 + x                                  positive, -50 <= x <= 50
 *   FE, x + 2^39 in 5 bytes                 greater x
 *   82, x + 2^39 in 5 bytes                 smaller x
 *   then each pair + 1, the last not 00, and 00
 *
 * Of a negative one every byte is inverted.
 */
#include "store/type/ordered_decimal.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/type/big_integer.h"

#define VARINT_SHORT 120

void ordered_add_varint(struct buf *out, struct bytes value)
{
	struct bytes v = big_trim(value);
	uint8_t flip = v.ptr[0] & 0x80 ? 0xff : 0;

	if (v.len <= VARINT_SHORT) {
		buf_add_byte(out, (uint8_t)(0x80 + v.len - 1) ^ flip);
	} else {
		buf_add_byte(out, 0xf8 ^ flip);
		buf_add_be32(out, (uint32_t)v.len ^ (flip ? UINT32_MAX : 0));
	}
	buf_add_bytes(out, v);
}

int ordered_read_varint(struct buf *out, struct reader *r, uint8_t mask)
{
	uint8_t lead = read_byte(r) ^ mask;
	uint8_t flip = lead & 0x80 ? 0 : 0xff;
	struct bytes v;
	size_t len, i;

	lead ^= flip;
	if (r->failed || lead > 0xf8)
		return -EUCLEAN;
	len = lead - 0x80u + 1;
	if (lead == 0xf8)
		len = read_be32(r) ^ (flip ^ mask ? UINT32_MAX : 0);
	v = read_bytes(r, len);
	if (r->failed || !v.len)
		return -EUCLEAN;
	if (out && buf_reserve(out, v.len))
		for (i = 0; i < v.len; i++)
			out->ptr[out->len++] = v.ptr[i] ^ mask;
	return 0;
}

#define EXPONENT_BIAS ((int64_t)1 << 39)
#define ZEROS_MAX ((int64_t)1 << 20)
#define SMALL_DIGITS 40		/* of what fits in 128 bits, and one more */

struct ordered_digits {
	uint8_t small[SMALL_DIGITS];
	uint8_t *ptr;		/* values 0 to 9, the first not 0 */
	size_t len;		/* 0 for zero */
	uint8_t *heap;
};

static void digits_of_small(struct ordered_digits *d, unsigned __int128 n)
{
	size_t at = SMALL_DIGITS;

	for (; n; n /= 10)
		d->small[--at] = (uint8_t)(n % 10);
	d->ptr = d->small + at;
	d->len = SMALL_DIGITS - at;
}

/* Magnitude of a two's complement number as limbs, the lowest first. */
static void limbs_of(mp_limb_t *limbs, size_t count, struct bytes v,
		     bool negative)
{
	mp_limb_t carry = negative;
	size_t i, byte;

	for (i = 0; i < count; i++) {
		mp_limb_t limb = 0;

		for (byte = 0; byte < 8; byte++) {
			size_t from_end = i * 8 + byte;
			uint8_t b = negative ? 0xff : 0;

			if (from_end < v.len)
				b = v.ptr[v.len - 1 - from_end];
			limb |= (mp_limb_t)b << (8 * byte);
		}
		if (negative)
			limb = ~limb;
		limbs[i] = limb + carry;
		carry = carry && !limbs[i];
	}
}

static bool digits_of_large(struct ordered_digits *d, struct bytes v,
			    bool negative)
{
	size_t count = v.len / 8 + 1, skip = 0;
	mp_limb_t *limbs = mem_zalloc(count, sizeof(*limbs));

	d->heap = mem_alloc(count * 20 + 2);	/* 64 bits are under 20 digits */
	if (!limbs || !d->heap) {
		mem_free(limbs);
		return false;
	}
	limbs_of(limbs, count, v, negative);
	while (count > 1 && !limbs[count - 1])
		count--;
	d->len = mpn_get_str(d->heap, 10, limbs, (mp_size_t)count);
	mem_free(limbs);
	while (skip < d->len && !d->heap[skip])
		skip++;
	d->ptr = d->heap + skip;
	d->len -= skip;
	return true;
}

static bool digits_of(struct ordered_digits *d, struct bytes unscaled,
		      bool negative)
{
	unsigned __int128 n = negative ? ~(unsigned __int128)0 : 0;
	size_t i;

	d->heap = NULL;
	if (unscaled.len > 16)
		return digits_of_large(d, unscaled, negative);
	for (i = 0; i < unscaled.len; i++)
		n = n << 8 | unscaled.ptr[i];
	digits_of_small(d, negative ? -n : n);
	return true;
}

static void add_exponent(struct buf *out, int64_t exponent)
{
	uint64_t biased = (uint64_t)(exponent + EXPONENT_BIAS);
	int shift;

	if (exponent >= -50 && exponent <= 50) {
		buf_add_byte(out, (uint8_t)(0xc0 + exponent));
		return;
	}
	buf_add_byte(out, exponent > 0 ? 0xfe : 0x82);
	for (shift = 32; shift >= 0; shift -= 8)
		buf_add_byte(out, (uint8_t)(biased >> shift));
}

void ordered_add_decimal(struct buf *out, struct bytes value)
{
	struct bytes unscaled = BYTES_EMPTY;
	size_t start = out->len, i = 0;
	struct ordered_digits d;
	bool negative;
	int64_t exponent;

	if (value.len > 4)
		unscaled = big_trim(bytes_of(value.ptr + 4, value.len - 4));
	negative = unscaled.len && unscaled.ptr[0] & 0x80;
	if (!digits_of(&d, unscaled, negative)) {
		out->failed = true;
		goto out;
	}
	if (!d.len) {
		buf_add_byte(out, 0x80);
		goto out;
	}
	exponent = (int64_t)d.len - (int32_t)get_be32(value.ptr);
	while (!d.ptr[d.len - 1])
		d.len--;
	add_exponent(out, (exponent + 1) >> 1);
	if (exponent & 1)
		buf_add_byte(out, (uint8_t)(d.ptr[i++] + 1));
	for (; i < d.len; i += 2)
		buf_add_byte(out, (uint8_t)(d.ptr[i] * 10 + 1 +
			     (i + 1 < d.len ? d.ptr[i + 1] : 0)));
	buf_add_byte(out, 0);
	for (i = start; negative && i < out->len; i++)
		out->ptr[i] = (uint8_t)~out->ptr[i];
out:
	mem_free(d.heap);
}

static int read_exponent(int64_t *exponent, struct reader *r, uint8_t lead,
			 uint8_t mask)
{
	uint64_t biased = 0;
	int i;

	if (lead >= 0xc0 - 50 && lead <= 0xc0 + 50) {
		*exponent = (int64_t)lead - 0xc0;
		return 0;
	}
	if (lead != 0xfe && lead != 0x82)
		return -EUCLEAN;
	for (i = 0; i < 5; i++)
		biased = biased << 8 | (uint8_t)(read_byte(r) ^ mask);
	*exponent = (int64_t)biased - EXPONENT_BIAS;
	return 0;
}

/* Digits, with zeros after them, as a minimal two's complement number. */
static int add_number(struct buf *out, uint8_t *digits, size_t count,
		      bool negative)
{
	size_t limb_count = count / 19 + 1, len = limb_count * 8 + 1, i;
	mp_limb_t *limbs = mem_zalloc(limb_count, sizeof(*limbs));
	uint8_t *bytes = mem_zalloc(len, 1);
	unsigned carry = 1;
	struct bytes v;

	if (!limbs || !bytes) {
		out->failed = true;
		goto out;
	}
	mpn_set_str(limbs, digits, count, 10);
	for (i = 0; i < len - 1; i++)
		bytes[len - 1 - i] = (uint8_t)(limbs[i / 8] >> (i % 8 * 8));
	for (i = len; negative && i-- > 0; carry >>= 8) {
		carry += (uint8_t)~bytes[i];
		bytes[i] = (uint8_t)carry;
	}
	v = big_trim(bytes_of(bytes, len));
	buf_add_bytes(out, v);
out:
	mem_free(limbs);
	mem_free(bytes);
	return 0;
}

/* Append the value that has these pairs (+ 1). */
static int add_value(struct buf *out, const uint8_t *pairs, size_t count,
		     int64_t exponent, bool negative, uint8_t mask)
{
	uint8_t *digits = mem_alloc(count * 2);
	size_t len = 0, i;
	int64_t scale;
	int err = -EUCLEAN;

	if (!digits) {
		out->failed = true;
		return 0;
	}
	exponent *= 2;
	for (i = 0; i < count; i++) {
		uint8_t pair = (uint8_t)((pairs[i] ^ mask) - 1);

		if (pair > 99)
			goto out;
		if (!i && pair < 10)
			exponent--;
		else
			digits[len++] = pair / 10;
		digits[len++] = pair % 10;
	}
	while (len && !digits[len - 1])
		len--;
	scale = (int64_t)len - exponent;
	/* Only 100...0E+2147483647 and the like begin below the least scale. */
	if (!len || scale > INT32_MAX || scale < INT32_MIN - ZEROS_MAX)
		goto out;
	if (scale < INT32_MIN) {
		size_t zeros = (size_t)(INT32_MIN - scale);
		uint8_t *more = mem_resize(digits, len + zeros, 1);

		if (!more) {
			out->failed = true;
			err = 0;
			goto out;
		}
		digits = more;
		memset(digits + len, 0, zeros);
		len += zeros;
		scale = INT32_MIN;
	}
	buf_add_be32(out, (uint32_t)scale);
	err = add_number(out, digits, len, negative);
out:
	mem_free(digits);
	return err;
}

int ordered_read_decimal(struct buf *out, struct reader *r, uint8_t mask)
{
	uint8_t lead = read_byte(r) ^ mask;
	const uint8_t *pairs, *end;
	bool negative = lead < 0x80;
	int64_t exponent;

	if (r->failed)
		return -EUCLEAN;
	if (lead == 0x80) {
		if (out)
			buf_add(out, "\0\0\0\0\0", 5);
		return 0;
	}
	if (negative) {
		mask = (uint8_t)~mask;
		lead = (uint8_t)~lead;
	}
	if (read_exponent(&exponent, r, lead, mask) || r->failed)
		return -EUCLEAN;
	pairs = r->ptr;
	end = memchr(pairs, mask, reader_left(r));
	if (!end || end == pairs)
		return -EUCLEAN;
	r->ptr = end + 1;
	if (!out)
		return 0;
	return add_value(out, pairs, (size_t)(end - pairs), exponent, negative,
			 mask);
}
