/* Buffers and bounded readers: what goes in comes out, and nothing else. */
#include <stdint.h>
#include <stdio.h>

#include "store/base/alloc.h"
#include "store/base/arena.h"
#include "store/base/bytes.h"
#include "tests/unit/suite.h"

static const uint64_t numbers[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX,
				    (uint64_t)1 << 63, UINT64_MAX };

START_TEST(a_varint_survives)
{
	struct buf b = BUF_INIT;
	struct reader r;

	buf_add_varint(&b, numbers[_i]);
	buf_add_zigzag(&b, (int64_t)numbers[_i]);
	r = reader_of(buf_bytes(&b));
	ck_assert_uint_eq(read_varint(&r), numbers[_i]);
	ck_assert_int_eq(read_zigzag(&r), (int64_t)numbers[_i]);
	ck_assert(!r.failed && !reader_left(&r));
	buf_release(&b);
}
END_TEST

START_TEST(a_number_in_decimal)
{
	struct buf b = BUF_INIT;
	int64_t v = (int64_t)numbers[_i];
	char want[24];

	snprintf(want, sizeof(want), "%lld %lld", (long long)v, -(long long)_i);
	buf_add_decimal(&b, v);
	buf_add_byte(&b, ' ');
	buf_add_decimal(&b, -_i);
	ck_assert_str_eq(buf_cstr(&b), want);
	buf_release(&b);
}
END_TEST

START_TEST(a_cut_input_fails)
{
	static const uint8_t endless[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					   0xff, 0xff, 0xff, 0x02 };
	struct reader r = reader_of(bytes_of(endless, sizeof(endless)));

	read_varint(&r);
	ck_assert(r.failed);
	r = reader_of(bytes_str("\x05" "abc"));
	ck_assert_uint_eq(read_sized(&r).len, 0);
	ck_assert(r.failed);
	r = reader_of(bytes_str("abc"));
	ck_assert_uint_eq(read_be32(&r), 0);
	ck_assert(r.failed);
}
END_TEST

START_TEST(a_failed_allocation_is_remembered)
{
	struct buf b = BUF_INIT;
	struct arena a = ARENA_INIT;

	mem_fail_at(1, 0);
	buf_add_str(&b, "lost");
	buf_add_str(&b, "too");
	ck_assert(b.failed && !b.len);
	ck_assert_str_eq(buf_cstr(&b), "");
	mem_fail_at(1, 0);
	ck_assert(!arena_alloc(&a, 8) && a.failed);
	mem_fail_at(0, 0);
	ck_assert(!arena_strdup(&a, "x"));
	buf_release(&b);
	arena_release(&a);
}
END_TEST

START_TEST(equal_bytes_of_any_length)	/* _i: the length */
{
	uint8_t a[40], b[40];
	size_t i;

	memset(a, 'x', sizeof(a));
	memset(b, 'x', sizeof(b));
	b[_i] = 0;
	ck_assert(bytes_same(a, b, (size_t)_i));
	for (i = 0; i < (size_t)_i; i++) {
		b[i]++;
		ck_assert(!bytes_same(a, b, (size_t)_i));
		b[i]--;
	}
}
END_TEST

START_TEST(text_between_quotes)
{
	static const struct { const char *text, *quoted; } texts[] = {
		{ "", "''" }, { "a", "'a'" }, { "'", "''''" },
		{ "it's", "'it''s'" }, { "''", "''''''" }, { "a\"b", "'a\"b'" },
	};
	struct buf b = BUF_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		buf_clear(&b);
		buf_add_quoted(&b, bytes_str(texts[i].text), '\'');
		ck_assert_str_eq(buf_cstr(&b), texts[i].quoted);
	}
	buf_release(&b);
}
END_TEST

SUITE(bytes)
{
	TCase *tc = tcase_create("bytes");

	tcase_add_loop_test(tc, a_varint_survives, 0,
			    (int)ARRAY_SIZE(numbers));
	tcase_add_loop_test(tc, a_number_in_decimal, 0,
			    (int)ARRAY_SIZE(numbers));
	tcase_add_test(tc, a_cut_input_fails);
	tcase_add_test(tc, text_between_quotes);
	tcase_add_loop_test(tc, equal_bytes_of_any_length, 0, 40);
	tcase_add_test(tc, a_failed_allocation_is_remembered);
	suite_add_tcase(suite, tc);
}
