/* Keys: partitions delimit themselves, order as their bytes, come back. */
#include <errno.h>

#include "store/row/key.h"
#include "tests/lib/random.h"
#include "tests/unit/suite.h"

static void make(struct buf *out, int64_t token, struct bytes partition,
		 const void *tail, size_t tail_len)
{
	buf_clear(out);
	key_add_partition(out, token, partition);
	buf_add(out, tail, tail_len);
}

START_TEST(the_layout)
{
	static const uint8_t want[] = { 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 'a',  0x00, 0xff, 'b',
					0x00, 0x01, 0x30, 0x38 };
	struct buf key = BUF_INIT, back = BUF_INIT;
	struct key_parts parts;

	make(&key, -1, bytes_of("a\0b", 3), "\x30\x38", 2);
	ck_assert_uint_eq(key.len, sizeof(want));
	ck_assert_mem_eq(key.ptr, want, sizeof(want));
	ck_assert_int_eq(key_split(&parts, buf_bytes(&key)), 0);
	ck_assert_int_eq(parts.token, -1);
	ck_assert_uint_eq(parts.partition_len, 14);
	ck_assert_int_eq(parts.kind, KEY_ROW);
	ck_assert_uint_eq(parts.clustering.len, 1);
	ck_assert_int_eq(key_partition_key(&back, buf_bytes(&key)), 0);
	ck_assert_uint_eq(back.len, 3);
	ck_assert_mem_eq(back.ptr, "a\0b", 3);
	buf_release(&key);
	buf_release(&back);
}
END_TEST

static const struct { const char *tail; size_t len; int err; } tails[] = {
	{ "\x00", 1, 0 }, { "\xf0", 1, 0 }, { "\x20", 1, 0 },
	{ "\x10", 1, 0 }, { "\x30\x40\x01\x38", 4, 0 }, { "\x30\x20", 2, 0 },
	{ "\x30\x60", 2, 0 }, { "", 0, -EUCLEAN }, { "\x30", 1, -EUCLEAN },
	{ "\x30\x40", 2, -EUCLEAN }, { "\x00\x38", 2, -EUCLEAN },
	{ "\xf0\x38", 2, -EUCLEAN }, { "\x31\x38", 2, -EUCLEAN },
};

START_TEST(keys_are_told_from_other_bytes)
{
	struct buf key = BUF_INIT;
	struct key_parts parts;

	make(&key, 7, bytes_str("k"), tails[_i].tail, tails[_i].len);
	ck_assert_int_eq(key_split(&parts, buf_bytes(&key)), tails[_i].err);
	buf_release(&key);
}
END_TEST

START_TEST(a_cut_key_is_refused)
{
	struct buf key = BUF_INIT, back = BUF_INIT;
	struct key_parts parts;
	size_t len;

	make(&key, 7, bytes_of("k\0\0", 3), "", 0);
	for (len = 0; len < key.len; len++) {
		struct bytes cut = bytes_of(key.ptr, len);

		ck_assert_int_eq(key_split(&parts, cut), -EUCLEAN);
		ck_assert_uint_eq(key_partition_len(cut), 0);
		ck_assert_int_eq(key_partition_key(&back, cut), -EUCLEAN);
	}
	ck_assert_uint_eq(key_partition_len(buf_bytes(&key)), key.len);
	key.ptr[key.len - 3] = 0x02;	/* 00 must be followed by 01 or FF */
	ck_assert_uint_eq(key_partition_len(buf_bytes(&key)), 0);
	buf_release(&key);
	buf_release(&back);
}
END_TEST

START_TEST(order_and_return)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct buf a = BUF_INIT, b = BUF_INIT, x = BUF_INIT, y = BUF_INIT;
	int want, got;

	random_bytes(&rng, &a, 12);
	random_bytes(&rng, &b, 12);
	make(&x, -5, buf_bytes(&a), "\x30\x38", 2);
	make(&y, -5, buf_bytes(&b), "\x30\x38", 2);
	want = bytes_compare(buf_bytes(&a), buf_bytes(&b));
	got = bytes_compare(buf_bytes(&x), buf_bytes(&y));
	ck_assert_int_eq((want > 0) - (want < 0), (got > 0) - (got < 0));
	ck_assert_uint_eq(key_partition_len(buf_bytes(&x)), x.len - 2);
	buf_clear(&b);
	ck_assert_int_eq(key_partition_key(&b, buf_bytes(&x)), 0);
	ck_assert(bytes_equal(buf_bytes(&a), buf_bytes(&b)));
	make(&y, -4, BYTES_EMPTY, "", 0);
	ck_assert_int_lt(bytes_compare(buf_bytes(&x), buf_bytes(&y)), 0);
	buf_release(&a);
	buf_release(&b);
	buf_release(&x);
	buf_release(&y);
}
END_TEST

SUITE(key)
{
	TCase *tc = tcase_create("key");

	tcase_add_test(tc, the_layout);
	tcase_add_loop_test(tc, keys_are_told_from_other_bytes, 0,
			    (int)ARRAY_SIZE(tails));
	tcase_add_test(tc, a_cut_key_is_refused);
	tcase_add_loop_test(tc, order_and_return, 0, 300);
	suite_add_tcase(suite, tc);
}
