/* Random numbers that a seed repeats on every machine (splitmix64). */
#ifndef TESTS_LIB_RANDOM_H
#define TESTS_LIB_RANDOM_H
#include "store/base/bytes.h"

struct random {
	uint64_t state;
};
static inline uint64_t random_next(struct random *r)
{
	uint64_t v = r->state += 0x9e3779b97f4a7c15ULL;

	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ULL;
	v = (v ^ v >> 27) * 0x94d049bb133111ebULL;
	return v ^ v >> 31;
}
/* Return a generator; neighbouring seeds have independent sequences. */
static inline struct random random_seeded(uint64_t seed)
{
	struct random start = { seed };

	return (struct random){ random_next(&start) };
}
/* Return a number from 0 to limit - 1. */
static inline uint32_t random_below(struct random *r, uint32_t limit)
{
	return (uint32_t)(random_next(r) >> 32) % limit;
}
/* Append up to most - 1 bytes; half of the time of few different values. */
static inline void random_bytes(struct random *r, struct buf *out, uint32_t most)
{
	static const uint8_t few[] = { 0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff };
	uint32_t len = random_below(r, most), i;
	bool odd = random_next(r) & 1;

	for (i = 0; i < len; i++) {
		uint64_t v = random_next(r);

		buf_add_byte(out, odd ? few[v % 6] : (uint8_t)v);
	}
}
#endif
