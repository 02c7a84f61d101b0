/* Compound values are taken apart and put together; malformed ones refused. */
#include "store/type/type.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/type/compare.h"
#include "store/type/compound_codec.h"
#include "tests/lib/values.h"
#include "tests/unit/suite.h"

static struct type *set_of(enum type_kind kind)
{
	struct type *element = type_native(kind);

	return type_new(TYPE_SET, true, &element, 1);
}

START_TEST(a_value_comes_apart_and_together)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct type *t;
	struct buf value = BUF_INIT, again = BUF_INIT;
	struct bytes parts[16], part;
	struct type_parts p;
	size_t count = 0;

	do
		t = random_type(&rng, 3);
	while (kind_is_native(t->kind));
	random_value(&value, &rng, t, true);
	ck_assert_int_eq(type_parts_begin(&p, t, buf_bytes(&value)), 0);
	while (type_parts_next(&p, &part) > 0)
		parts[count++] = part;
	ck_assert_uint_eq(count, p.count);
	type_build(&again, t, parts, count);
	ck_assert(bytes_equal(buf_bytes(&value), buf_bytes(&again)));
	buf_release(&value);
	buf_release(&again);
	type_put(t);
}
END_TEST

static void walk(const struct type *t, struct bytes value)
{
	struct type_parts p;
	struct bytes part;
	uint32_t n = 0;

	if (kind_is_native(t->kind) || !value.ptr ||
	    type_parts_begin(&p, t, value))
		return;
	for (; type_parts_next(&p, &part) > 0; n++)
		walk(type_part(t, n), part);
	ck_assert_uint_le(n, p.count);
}

START_TEST(damage_is_never_read_past)	/* _i is the seed; for asan */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct type *t = random_type(&rng, 3);
	struct buf value = BUF_INIT;
	int n;

	random_value(&value, &rng, t, false);
	for (n = 0; n < 20; n++) {
		size_t len = random_below(&rng, (uint32_t)value.len + 1);
		char *copy = mem_copy(value.ptr, len);
		uint8_t *exact = mem_alloc(len);

		if (len)
			copy[random_below(&rng, (uint32_t)len)] =
				(char)random_next(&rng);
		memcpy(exact, copy, len);
		walk(t, bytes_of(exact, len));
		mem_free(copy);
		mem_free(exact);
	}
	buf_release(&value);
	type_put(t);
}
END_TEST

START_TEST(sorting_drops_duplicates)
{
	struct type *t = set_of(TYPE_DECIMAL), *map;
	struct type *pair[] = { type_native(TYPE_DECIMAL),
				type_native(TYPE_BLOB) };
	struct bytes two = bytes_of("\0\0\0\0\2", 5);
	struct bytes one = bytes_of("\0\0\0\1\x0a", 5);
	struct bytes one_too = bytes_of("\0\0\0\0\1", 5);
	struct bytes parts[] = { two, one, one_too, two };
	struct bytes pairs[] = { two, bytes_str("x"), one, bytes_str("y"),
				 one_too, bytes_str("z") };
	struct buf out = BUF_INIT;

	ck_assert_int_eq(type_build_sorted(&out, t, parts, 4), 0);
	ck_assert_uint_eq(out.len, 22);
	ck_assert_mem_eq(out.ptr, "\0\0\0\2\0\0\0\5\0\0\0\1\x0a\0\0\0\5"
			 "\0\0\0\0\2", 22);
	buf_clear(&out);
	map = type_new(TYPE_MAP, true, pair, 2);
	ck_assert_int_eq(type_build_sorted(&out, map, pairs, 6), 0);
	ck_assert_uint_eq(out.len, 32);
	ck_assert_mem_eq(out.ptr, "\0\0\0\2\0\0\0\5\0\0\0\1\x0a\0\0\0\1z"
			 "\0\0\0\5\0\0\0\0\2\0\0\0\1x", 32);
	mem_fail_at(1, 0);
	ck_assert_int_eq(type_build_sorted(&out, map, pairs, 6), -ENOMEM);
	mem_fail_at(0, 0);
	type_put(t);
	type_put(map);
	buf_release(&out);
}
END_TEST

START_TEST(sorting_sorts)	/* _i elements */
{
	struct type *t = set_of(TYPE_INT);
	struct random rng = random_seeded((uint64_t)_i);
	uint8_t numbers[64][4];
	struct bytes parts[64], part, last = BYTES_NULL;
	struct buf out = BUF_INIT;
	struct type_parts p;
	int i;

	for (i = 0; i < _i; i++) {
		put_be32(numbers[i], random_below(&rng, 40));
		parts[i] = bytes_of(numbers[i], 4);
	}
	ck_assert_int_eq(type_build_sorted(&out, t, parts, (size_t)_i), 0);
	ck_assert_int_eq(type_parts_begin(&p, t, buf_bytes(&out)), 0);
	while (type_parts_next(&p, &part) > 0) {
		ck_assert_int_lt(bytes_compare(last, part), 0);
		last = part;
	}
	for (i = 0; i < _i; i++) {	/* none is lost */
		ck_assert_int_eq(type_parts_begin(&p, t, buf_bytes(&out)), 0);
		do
			ck_assert_int_eq(type_parts_next(&p, &part), 1);
		while (memcmp(part.ptr, numbers[i], 4));
	}
	type_put(t);
	buf_release(&out);
}
END_TEST

START_TEST(vectors_have_vints_where_lengths_vary)
{
	struct type *v = type_new_vector(type_native(TYPE_TEXT), 2);
	struct type *s = type_new_vector(type_native(TYPE_SMALLINT), 2);
	char text[200];
	struct bytes parts[] = { bytes_of(text, 200), bytes_str("a") };
	struct bytes shorts[] = { bytes_of("\0\1", 2), bytes_of("\0\2", 2) };
	struct buf out = BUF_INIT;

	memset(text, 'x', sizeof(text));
	type_build(&out, v, parts, 2);
	ck_assert_uint_eq(out.len, 2 + 200 + 1 + 1);
	ck_assert_mem_eq(out.ptr, "\x80\xc8xx", 4);
	ck_assert_mem_eq(out.ptr + 202, "\1a", 2);
	buf_clear(&out);
	type_build(&out, s, shorts, 2);
	ck_assert_uint_eq(out.len, 6);
	ck_assert_mem_eq(out.ptr, "\2\0\1\2\0\2", 6);
	type_put(v);
	type_put(s);
	buf_release(&out);
}
END_TEST

SUITE(parts)
{
	TCase *tc = tcase_create("parts");

	tcase_add_loop_test(tc, a_value_comes_apart_and_together, 0, 300);
	tcase_add_loop_test(tc, damage_is_never_read_past, 0, 300);
	tcase_add_test(tc, sorting_drops_duplicates);
	tcase_add_loop_test(tc, sorting_sorts, 0, 64);
	tcase_add_test(tc, vectors_have_vints_where_lengths_vary);
	suite_add_tcase(suite, tc);
}
