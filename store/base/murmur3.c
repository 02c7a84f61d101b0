#include "store/base/murmur3.h"

#define C1 0x87c37b91114253d5ULL
#define C2 0x4cf5ad432745937fULL

static uint64_t rotate(uint64_t v, int by)
{
	return v << by | v >> (64 - by);
}

static uint64_t finish(uint64_t v)
{
	v ^= v >> 33;
	v *= 0xff51afd7ed558ccdULL;
	v ^= v >> 33;
	v *= 0xc4ceb9fe1a85ec53ULL;
	return v ^ v >> 33;
}

/* Return the tail with its quirk: bytes are signed, and a negative one flips
 * all above it. */
static uint64_t tail_bytes(const uint8_t *p, size_t len)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < len; i++)
		v ^= (uint64_t)(int64_t)(int8_t)p[i] << (8 * i);
	return v;
}

int64_t murmur3_token(struct bytes key)
{
	const uint8_t *p = key.ptr;
	size_t left = key.len;
	uint64_t h1 = 0, h2 = 0;

	if (!key.len)
		return INT64_MIN;
	for (; left >= 16; p += 16, left -= 16) {
		h1 ^= rotate(get_le64(p) * C1, 31) * C2;
		h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729;
		h2 ^= rotate(get_le64(p + 8) * C2, 33) * C1;
		h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5;
	}
	if (left > 8)
		h2 ^= rotate(tail_bytes(p + 8, left - 8) * C2, 33) * C1;
	if (left)
		h1 ^= rotate(tail_bytes(p, left < 8 ? left : 8) * C1, 31) * C2;
	h1 ^= key.len;
	h2 ^= key.len;
	h1 += h2;
	h2 += h1;
	h1 = finish(h1);
	h2 = finish(h2);
	h1 += h2;
	return h1 == (uint64_t)1 << 63 ? INT64_MAX : (int64_t)h1;
}
