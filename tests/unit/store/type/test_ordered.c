/* The byte-comparable form: it orders, ends itself, and can be read back. */
#include "store/type/type.h"

#include "store/base/alloc.h"
#include "store/type/compare.h"
#include "store/type/ordered.h"
#include "tests/lib/values.h"
#include "tests/unit/suite.h"

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static struct buf ordered(const struct type *t, struct bytes v, bool reversed)
{
	struct buf out = BUF_INIT;

	type_ordered_append(&out, t, v, reversed);
	ck_assert(!out.failed);
	return out;
}

static void assert_same_order(const struct type *t, struct bytes a,
			      struct bytes b, bool reversed)
{
	struct buf x = ordered(t, a, reversed), y = ordered(t, b, reversed);
	int by_value = sign(type_compare(t, a, b));
	size_t shorter = x.len < y.len ? x.len : y.len;
	int by_bytes = sign(memcmp(x.ptr, y.ptr, shorter));

	ck_assert_int_eq(by_bytes, reversed ? -by_value : by_value);
	/* Neither is the beginning of the other. */
	if (!by_bytes)
		ck_assert_uint_eq(x.len, y.len);
	ck_assert_int_eq(sign(type_compare(t, b, a)), -by_value);
	buf_release(&x);
	buf_release(&y);
}

static void assert_comes_back(const struct type *t, struct bytes v,
			      bool reversed)
{
	struct buf x = ordered(t, v, reversed), back = BUF_INIT;
	struct reader r;
	bool is_null;

	buf_add_str(&x, "\x40\xff");	/* what follows is not touched */
	r = reader_of(buf_bytes(&x));
	ck_assert_int_eq(type_ordered_skip(&r, t, reversed), 0);
	ck_assert_uint_eq(reader_left(&r), 2);
	r = reader_of(buf_bytes(&x));
	ck_assert_int_eq(type_ordered_decode(&back, &is_null, t, &r, reversed),
			 0);
	ck_assert_uint_eq(reader_left(&r), 2);
	ck_assert(is_null == !v.ptr);
	if (v.ptr)
		ck_assert_int_eq(type_compare(t, buf_bytes(&back), v), 0);
	if (v.ptr && type_ordered_exact(t))
		ck_assert(bytes_equal(buf_bytes(&back), v));
	buf_release(&x);
	buf_release(&back);
}

/* Cut or changed bytes give an error or a value, never a wrong read. */
static void assert_damage_is_harmless(const struct type *t, struct bytes v,
				      struct random *rng)
{
	struct buf x = ordered(t, v, false), back = BUF_INIT;
	size_t len = random_below(rng, (uint32_t)x.len);
	uint8_t *cut = (uint8_t *)mem_copy(x.ptr, x.len), *exact;
	struct reader r;
	bool is_null;

	exact = mem_alloc(len);
	memcpy(exact, cut, len);
	r = reader_of(bytes_of(exact, len));
	ck_assert_int_ne(type_ordered_skip(&r, t, false), 0);
	r = reader_of(bytes_of(exact, len));
	ck_assert_int_ne(type_ordered_decode(&back, &is_null, t, &r, false), 0);
	mem_free(exact);
	cut[random_below(rng, (uint32_t)x.len)] = (uint8_t)random_next(rng);
	r = reader_of(bytes_of(cut, x.len));
	buf_clear(&back);
	type_ordered_decode(&back, &is_null, t, &r, false);
	r = reader_of(bytes_of(cut, x.len));
	type_ordered_decode(&back, &is_null, t, &r, true);
	mem_free(cut);
	buf_release(&x);
	buf_release(&back);
}

START_TEST(random_values_keep_their_order)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct type *t = _i < TYPE_LIST && _i != TYPE_EMPTY ?
		type_native(_i) : random_type(&rng, 3);
	int n, pairs = _i < TYPE_LIST ? 500 : 30;

	for (n = 0; n < pairs; n++) {
		struct buf a = BUF_INIT, b = BUF_INIT;
		struct bytes x, y;

		random_value(&a, &rng, t, false);
		random_value(&b, &rng, t, false);
		x = buf_bytes(&a);
		y = buf_bytes(&b);
		if (!random_below(&rng, 20))
			x = random_below(&rng, 2) ? BYTES_NULL : BYTES_EMPTY;
		if (!random_below(&rng, 20))
			y = BYTES_EMPTY;
		assert_same_order(t, x, y, n & 1);
		assert_comes_back(t, x, n & 1);
		assert_damage_is_harmless(t, x, &rng);
		buf_release(&a);
		buf_release(&b);
	}
	type_put(t);
}
END_TEST

static const struct {
	enum type_kind kind;
	const char *value;
	size_t len;
	bool reversed;
	const char *ordered;
	size_t ordered_len;
} forms[] = {
	{ TYPE_INT, "\0\0\0\1", 4, false, "\x40\x80\0\0\1", 5 },
	{ TYPE_INT, "\0\0\0\1", 4, true, "\x40\x7f\xff\xff\xfe", 5 },
	{ TYPE_INT, "", 0, false, "\x3f", 1 },
	{ TYPE_INT, "", 0, true, "\x41", 1 },
	{ TYPE_INT, NULL, 0, false, "\x3e", 1 },
	{ TYPE_INT, NULL, 0, true, "\x42", 1 },
	{ TYPE_TEXT, "ab", 2, false, "\x40" "ab\0\0", 5 },
	{ TYPE_BLOB, "\0", 1, false, "\x40\0\xfe\0", 4 },
	{ TYPE_BLOB, "a\0\0b\0\0", 6, false,
	  "\x40" "a\0\xfe\xff" "b\0\xfe\xfe\0", 10 },
	{ TYPE_VARINT, "\0", 1, false, "\x40\x80\0", 3 },
	{ TYPE_VARINT, "\xff", 1, false, "\x40\x7f\xff", 3 },
	{ TYPE_VARINT, "\0\0\1\0", 4, false, "\x40\x81\1\0", 4 },
	{ TYPE_DECIMAL, "\0\0\0\2\0", 5, false, "\x40\x80", 2 },
	/* 1.50: 0.0150 * 100^1 */
	{ TYPE_DECIMAL, "\0\0\0\2\0\x96", 6, false, "\x40\xc1\2\x33\0", 5 },
	{ TYPE_DECIMAL, "\0\0\0\1\xf1", 5, false, "\x40\x3e\xfd\xcc\xff", 5 },
	{ TYPE_FLOAT, "\x80\0\0\0", 4, false, "\x40\x7f\xff\xff\xff", 5 },
	{ TYPE_FLOAT, "\xff\xc0\0\1", 4, false, "\x40\xff\xc0\0\0", 5 },
};

START_TEST(the_form_is_the_one_on_disk)
{
	struct type *t = type_native(forms[_i].kind);
	struct bytes v = bytes_of(forms[_i].value, forms[_i].len);
	struct buf x = ordered(t, v, forms[_i].reversed);

	ck_assert_uint_eq(x.len, forms[_i].ordered_len);
	ck_assert_mem_eq(x.ptr, forms[_i].ordered, x.len);
	assert_comes_back(t, v, forms[_i].reversed);
	buf_release(&x);
}
END_TEST

START_TEST(large_numbers_keep_their_order)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct buf v[2] = { BUF_INIT, BUF_INIT };
	enum type_kind kind = _i % 2 ? TYPE_VARINT : TYPE_DECIMAL;
	int n;

	for (n = 0; n < 2; n++) {
		uint32_t len = 118 + random_below(&rng, 6);

		if (kind == TYPE_DECIMAL)
			buf_add_be32(&v[n], random_below(&rng, 4));
		buf_add_byte(&v[n], random_below(&rng, 2) ? 0x81 : 0x12);
		while (len--)
			buf_add_byte(&v[n], (uint8_t)random_below(&rng, 256));
	}
	assert_same_order(type_native(kind), buf_bytes(&v[0]),
			  buf_bytes(&v[1]), _i & 2);
	assert_comes_back(type_native(kind), buf_bytes(&v[0]), _i & 2);
	buf_release(&v[0]);
	buf_release(&v[1]);
}
END_TEST

START_TEST(a_short_tuple_equals_a_filled_one)
{
	struct type *parts[] = { type_native(TYPE_INT), type_native(TYPE_TEXT) };
	struct type *t = type_new(TYPE_TUPLE, true, parts, 2);
	struct bytes cut = bytes_of("\0\0\0\4\0\0\0\1", 8);
	struct bytes full = bytes_of("\0\0\0\4\0\0\0\1\xff\xff\xff\xff", 12);
	struct buf x = ordered(t, cut, false), y = ordered(t, full, false);

	ck_assert_int_eq(type_compare(t, cut, full), 0);
	ck_assert(bytes_equal(buf_bytes(&x), buf_bytes(&y)));
	type_put(t);
	buf_release(&x);
	buf_release(&y);
}
END_TEST

START_TEST(nested_exactness)
{
	struct type *text = type_native(TYPE_TEXT);
	struct type *number = type_native(TYPE_DECIMAL);
	struct type *a = type_new(TYPE_LIST, true, &text, 1);
	struct type *b = type_new(TYPE_LIST, true, &number, 1);

	ck_assert(type_ordered_exact(a));
	ck_assert(!type_ordered_exact(b));
	type_put(a);
	type_put(b);
}
END_TEST

SUITE(ordered)
{
	TCase *tc = tcase_create("ordered");

	tcase_add_loop_test(tc, random_values_keep_their_order, 0, 300);
	tcase_add_loop_test(tc, the_form_is_the_one_on_disk, 0,
			    (int)ARRAY_SIZE(forms));
	tcase_add_loop_test(tc, large_numbers_keep_their_order, 0, 200);
	tcase_add_test(tc, a_short_tuple_equals_a_filled_one);
	tcase_add_test(tc, nested_exactness);
	suite_add_tcase(suite, tc);
}
