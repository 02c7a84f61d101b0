/* Blocks come back from each compressor, whole and nothing else. */
#include "store/sstable/compressor.h"

#include <errno.h>
#include <string.h>

#include "store/base/alloc.h"
#include "tests/lib/random.h"
#include "tests/unit/suite.h"

static const struct compression ways[] = {
	{ BLOCK_LZ4, 0 }, { BLOCK_LZ4, 9 }, { BLOCK_LZ4, 100 },
	{ BLOCK_ZSTD, 3 }, { BLOCK_ZSTD, -1000000 }, { BLOCK_ZSTD, 19 },
	{ BLOCK_DEFLATE, DEFLATE_DEFAULT_LEVEL }, { BLOCK_DEFLATE, 1 },
	{ BLOCK_DEFLATE, 9 },
};

/* Bytes of `kinds` values; the fewer the smaller they become. */
static void fill(struct buf *b, struct random *rng, size_t len, uint32_t kinds)
{
	buf_clear(b);
	while (b->len < len)
		buf_add_byte(b, (uint8_t)random_below(rng, kinds));
}

static size_t pack(struct buf *to, struct compressor *c, const struct buf *from)
{
	buf_clear(to);
	ck_assert(buf_reserve(to, from->len * 2 + 100));
	to->len = compressor_run(c, to->ptr, from->len * 2 + 100,
				 buf_bytes(from));
	ck_assert_uint_gt(to->len, 0);
	return to->len;
}

START_TEST(compressed_bytes_come_back)	/* _i: way */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct compressor *c = compressor_new(ways[_i]);
	struct buf from = BUF_INIT, to = BUF_INIT, back = BUF_INIT;
	enum block_how how = ways[_i].how;
	int round;

	ck_assert_int_eq(compressor_how(c), how);
	for (round = 0; round < 300; round++) {
		size_t len = 1 + random_below(&rng, round % 50 ? 20000 : 300000);
		size_t stored;

		fill(&from, &rng, len, 1 + random_below(&rng, 1 + (uint32_t)
							round % 256));
		stored = pack(&to, c, &from);
		buf_clear(&back);
		ck_assert(buf_reserve(&back, len + 1));
		ck_assert_int_eq(compressor_decompress(how, back.ptr, len,
					    buf_bytes(&to)), 0);
		ck_assert_mem_eq(back.ptr, from.ptr, len);
		ck_assert_int_eq(compressor_decompress(how, back.ptr, len + 1,
					    buf_bytes(&to)), -EUCLEAN);
		if (len > 1)
			ck_assert_int_eq(compressor_decompress(how, back.ptr, len - 1,
						    buf_bytes(&to)), -EUCLEAN);
		ck_assert_int_eq(compressor_decompress(how, back.ptr, len,
					    bytes_of(to.ptr, stored - 1)),
				 -EUCLEAN);
		/* With other bytes behind it its length is found. */
		buf_add_str(&to, "what follows");
		ck_assert_uint_eq(compressor_stored_length(how, buf_bytes(&to), len),
				  stored);
		ck_assert_uint_eq(compressor_stored_length(how, buf_bytes(&to),
						    len + 1), 0);
	}
	compressor_free(c);
	buf_release(&from);
	buf_release(&to);
	buf_release(&back);
}
END_TEST

/* Nothing is written behind n bytes, whatever is decompressed (sanitizers look
 * at it, and so do the bytes behind). */
START_TEST(damaged_bytes_stay_within_bounds)	/* _i: way */
{
	struct random rng = random_seeded(100 + (uint64_t)_i);
	struct compressor *c = compressor_new(ways[_i]);
	struct buf from = BUF_INIT, to = BUF_INIT;
	enum block_how how = ways[_i].how;
	int round;

	for (round = 0; round < 3000; round++) {
		size_t len = 1 + random_below(&rng, 3000);
		uint8_t *made = mem_alloc(len);

		fill(&from, &rng, len, 1 + random_below(&rng, 20));
		pack(&to, c, &from);
		to.ptr[random_below(&rng, (uint32_t)to.len)] ^=
			(uint8_t)(1 << random_below(&rng, 8));
		if (round % 3 == 0)
			to.len = random_below(&rng, (uint32_t)to.len);
		compressor_decompress(how, made, len, buf_bytes(&to));
		ck_assert_uint_le(compressor_stored_length(how, buf_bytes(&to), len),
				  to.len);
		mem_free(made);
	}
	compressor_free(c);
	buf_release(&from);
	buf_release(&to);
}
END_TEST

START_TEST(sizes_that_cannot_be_ask_for_no_memory)
{
	uint8_t bytes[100] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		enum block_how how = ways[i].how;
		struct bytes b = bytes_of(bytes, sizeof(bytes));

		ck_assert(!compressor_can_decompress(how, 0, b));
		ck_assert(!compressor_can_decompress(how, 1 << 20, b));
		ck_assert(!compressor_can_decompress(how, UINT64_MAX, b));
		ck_assert(!compressor_can_decompress(how, LARGEST_COMPRESSED * 2, b));
	}
	ck_assert(!compressor_can_decompress(BLOCK_RAW, 100, bytes_of(bytes, 100)));
}
END_TEST

/* A frame of Zstandard: 4 bytes of magic, one with the bit 5 if the window is all
 * of the content, else one with the window's logarithm less 10, times 8. */
START_TEST(window_of_a_large_block_is_bounded)
{
	struct compressor *c = compressor_new((struct compression){ BLOCK_ZSTD,
								    22 });
	struct buf from = BUF_INIT, to = BUF_INIT;

	while (from.len < 3 << 20)
		buf_add_str(&from, "the same again and ");
	pack(&to, c, &from);
	ck_assert_uint_eq(to.ptr[4] & 1 << 5, 0);
	ck_assert_uint_le(to.ptr[5] >> 3, 20 - 10);
	compressor_free(c);
	buf_release(&from);
	buf_release(&to);
}
END_TEST

START_TEST(too_little_room_is_told)	/* _i: way */
{
	struct random rng = random_seeded(7);
	struct compressor *c = compressor_new(ways[_i]);
	struct buf from = BUF_INIT;
	uint8_t to[1000];

	fill(&from, &rng, 5000, 256);
	memset(to, 0x5a, sizeof(to));
	ck_assert_uint_eq(compressor_run(c, to, 900, buf_bytes(&from)), 0);
	for (size_t i = 900; i < sizeof(to); i++)
		ck_assert_uint_eq(to[i], 0x5a);
	compressor_free(c);
	buf_release(&from);
}
END_TEST

START_TEST(without_memory_it_is_the_fast_one)	/* _i: way */
{
	struct compressor *c;

	mem_fail_at(2, false);
	c = compressor_new(ways[_i]);
	mem_fail_at(0, false);
	/* Zstandard has memory of its own. */
	if (ways[_i].how == BLOCK_DEFLATE || ways[_i].level)
		ck_assert_int_eq(compressor_how(c),
				 ways[_i].how == BLOCK_ZSTD ? BLOCK_ZSTD :
							      BLOCK_LZ4);
	compressor_free(c);
	mem_fail_at(1, false);
	ck_assert_ptr_null(compressor_new(ways[_i]));
	mem_fail_at(0, false);
	ck_assert_ptr_null(compressor_new((struct compression){ BLOCK_RAW, 0 }));
}
END_TEST

SUITE(compressor)
{
	TCase *tc = tcase_create("compressor");
	int count = (int)ARRAY_SIZE(ways);

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, compressed_bytes_come_back, 0, count);
	tcase_add_loop_test(tc, damaged_bytes_stay_within_bounds, 0, count);
	tcase_add_test(tc, sizes_that_cannot_be_ask_for_no_memory);
	tcase_add_test(tc, window_of_a_large_block_is_bounded);
	tcase_add_loop_test(tc, too_little_room_is_told, 0, count);
	tcase_add_loop_test(tc, without_memory_it_is_the_fast_one, 0, count);
	suite_add_tcase(suite, tc);
}
