/* The order of values: what a recorded Cassandra sorted, type by type. */
#include "store/type/type.h"

#include "store/base/alloc.h"
#include "store/type/compare.h"
#include "store/type/ordered.h"
#include "tests/unit/suite.h"

static const struct {
	enum type_kind kind;
	const char *values[18];	/* in hex, in their order; all different */
} orders[] = {
	{ TYPE_TINYINT, { "", "80", "ff", "00", "01", "05", "7f" } },
	{ TYPE_INT, { "", "80000000", "ffffff00", "ffffffff", "00000000",
		      "00000001", "00000100", "7fffffff" } },
	{ TYPE_BIGINT, { "8000000000000000", "ffffffff00000000",
			 "ffffffffffffffff", "0000000000000000",
			 "0000000100000000", "7fffffffffffffff" } },
	{ TYPE_TIMESTAMP, { "8000000000000000", "ffffffffffffffff",
			    "0000000000000000", "7fffffffffffffff" } },
	{ TYPE_VARINT, { "", "fa9c2f8ae83b40001", "ff00", "ff7f", "80", "ff",
			 "00", "01", "7f", "0080", "00ff", "0100",
			 "056bc75e2d630fffff" } },
	{ TYPE_FLOAT, { "", "ff800000", "bf800000", "80000000", "00000000",
			"00000001", "3f800000", "7e967699", "7f800000",
			"7fc00000" } },
	{ TYPE_DOUBLE, { "fff0000000000000", "bff0000000000000",
			 "8000000000000000", "0000000000000000",
			 "0000000000000001", "3ff0000000000000",
			 "7ff0000000000000", "7ff8000000000000" } },
	/* -1e10, -1, 0.0, 1e-10, 1, 99.9, 100.0, 100.1, 1E+400, huge */
	{ TYPE_DECIMAL, { "", "fffffff6ff", "00000000ff", "0000000100",
			  "0000000a01", "0000000001", "0000000103e7",
			  "0000000103e8", "0000000103e9", "fffffe7001",
			  "8000000001" } },
	{ TYPE_TEXT, { "", "20", "3130", "39", "41", "61", "6161", "6162",
		       "62", "7e", "c3a9", "e697a5", "f09f9880" } },
	{ TYPE_BLOB, { "", "00", "0000", "01", "7f", "7fff", "80", "ff",
		       "ff00" } },
	{ TYPE_BOOLEAN, { "", "00", "01" } },
	{ TYPE_DATE, { "00000000", "7fffffff", "80000000", "ffffffff" } },
	{ TYPE_TIME, { "0000000000000000", "0000000000000001",
		       "00004e94914effff" } },
	{ TYPE_UUID, {
		"", "00000000000000000000000000000000",
		"00000000000010000000000000000000",
		"6ba7b8109dad11d100b400c04fd430c8",
		"6ba7b8109dad11d180b400c04fd430c8",
		"6ba7b8109dad11d1f0b400c04fd430c8",
		"6ba7b8119dad11d180b400c04fd430c8",
		"6ba7b8109dae11d180b400c04fd430c8",
		"6ba7b8109dad11d280b400c04fd430c8",
		"ffffffffffff1fffffffffffffffffff",
		"12345678123422341234123456789012",
		"050e8400e29b41d40716446655440000",
		"050e8400e29b41d4f716446655440000",
		"550e8400e29b41d4a716446655440000",
		"f50e8400e29b41d4a716446655440000",
		"12345678123452349234123456789012",
		"ffffffffffffffffffffffffffffffff" } },
	{ TYPE_TIMEUUID, {
		"00000000000010000000000000000000",
		"6ba7b8109dad11d180b480c04fd430c8",
		"6ba7b8109dad11d180b400c04fd430c8",
		"6ba7b8109dad11d180b47fc04fd430c8",
		"6ba7b8109dad11d1ffb400c04fd430c8",
		"6ba7b8109dad11d100b400c04fd430c8",
		"6ba7b8109dad11d17fb400c04fd430c8",
		"6ba7b8119dad11d180b400c04fd430c8",
		"6ba7b8109dae11d180b400c04fd430c8",
		"6ba7b8109dad11d280b400c04fd430c8",
		"ffffffffffff1fffffffffffffffffff",
		"ffffffffffff1fff0000000000000000" } },
	{ TYPE_INET, {
		"", "00000000", "00000000000000000000000000000000",
		"00000000000000000000000000000001", "09000001",
		"0a000000000000000000000000000001", "0a000001", "7f000001",
		"fe800000000000000000000000000001" } },
	/* frozen<list<int>>: [], [-1], [0, 99], [1], [1, -5], [1, 2], [2] */
	{ TYPE_LIST, {
		"", "00000000", "0000000100000004ffffffff",
		"00000002000000040000000000000004" "00000063",
		"000000010000000400000001",
		"00000002000000040000000100000004" "fffffffb",
		"00000002000000040000000100000004" "00000002",
		"000000010000000400000002" } },
	/* tuple<int, text>: (null, null), (null, 'a'), (-1, 'z'), (1, null),
	 * (1, ''), (1, 'a'), (2) */
	{ TYPE_TUPLE, {
		"ffffffffffffffff", "ffffffff0000000161",
		"00000004ffffffff000000017a", "0000000400000001ffffffff",
		"000000040000000100000000", "00000004000000010000000161",
		"0000000400000002" } },
	/* map<int, int>: {}, {-1: 9}, {1: 1}, {1: 1, 2: 1}, {1: 2} */
	{ TYPE_MAP, {
		"00000000", "0000000100000004ffffffff0000000400000009",
		"0000000100000004000000010000000400000001",
		"0000000200000004000000010000000400000001"
		"00000004000000020000000400000001",
		"0000000100000004000000010000000400000002" } },
	/* vector<float, 2> */
	{ TYPE_VECTOR, { "bf80000040a00000", "8000000000000000",
			 "0000000000000000", "3f800000c0000000",
			 "3f80000040000000" } },
};

static const struct {
	enum type_kind kind;
	const char *a, *b;
} equals[] = {
	{ TYPE_VARINT, "01", "0001" }, { TYPE_VARINT, "ff", "ffff" },
	{ TYPE_DECIMAL, "000000010a", "0000000264" },	/* 1.0, 1.00 */
	{ TYPE_DECIMAL, "0000000000", "fffffff600" },
	{ TYPE_DECIMAL, "fffffffe01", "0000000064" },	/* 1E+2, 100 */
	{ TYPE_FLOAT, "7fc00000", "ff812345" },
	{ TYPE_DOUBLE, "7ff8000000000000", "fff0000000000001" },
	{ TYPE_BOOLEAN, "01", "02" },
	{ TYPE_TUPLE, "0000000400000002", "0000000400000002ffffffff" },
};

static struct type *type_of(enum type_kind kind)
{
	struct type *parts[] = { type_native(TYPE_INT), type_native(TYPE_INT) };

	if (kind == TYPE_TUPLE)
		parts[1] = type_native(TYPE_TEXT);
	if (kind == TYPE_VECTOR)
		return type_new_vector(type_native(TYPE_FLOAT), 2);
	if (kind == TYPE_LIST)
		return type_new(kind, true, parts, 1);
	return kind_is_native(kind) ? type_native(kind) :
					  type_new(kind, true, parts, 2);
}

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* An odd number of digits has a sign digit before it. */
static struct buf from_hex(const char *hex)
{
	struct buf out = BUF_INIT;

	if (strlen(hex) % 2) {
		buf_add_byte(&out, (uint8_t)(0xf0 | digit(*hex)));
		hex++;
	}
	for (; *hex; hex += 2)
		buf_add_byte(&out, (uint8_t)(digit(hex[0]) << 4 |
					     digit(hex[1])));
	return out;
}

static int compare_hex(const struct type *t, const char *a, const char *b)
{
	struct buf x = from_hex(a), y = from_hex(b), p = BUF_INIT, q = BUF_INIT;
	int order = type_compare(t, buf_bytes(&x), buf_bytes(&y)), by_bytes;

	order = (order > 0) - (order < 0);
	type_ordered_append(&p, t, buf_bytes(&x), false);
	type_ordered_append(&q, t, buf_bytes(&y), false);
	by_bytes = bytes_compare(buf_bytes(&p), buf_bytes(&q));
	ck_assert_int_eq((by_bytes > 0) - (by_bytes < 0), order);
	buf_release(&x);
	buf_release(&y);
	buf_release(&p);
	buf_release(&q);
	return order;
}

START_TEST(values_are_in_this_order)
{
	struct type *t = type_of(orders[_i].kind);
	const char *const *v = orders[_i].values;
	int a, b;

	for (a = 0; a < 18 && v[a]; a++)
		for (b = 0; b < 18 && v[b]; b++)
			ck_assert_int_eq(compare_hex(t, v[a], v[b]),
					 (a > b) - (a < b));
	ck_assert_int_gt(type_compare(t, BYTES_EMPTY, BYTES_NULL), 0);
	ck_assert_int_eq(type_compare(t, BYTES_NULL, BYTES_NULL), 0);
	type_put(t);
}
END_TEST

START_TEST(different_bytes_may_be_equal)
{
	struct type *t = type_of(equals[_i].kind);

	ck_assert_int_eq(compare_hex(t, equals[_i].a, equals[_i].b), 0);
	type_put(t);
}
END_TEST

START_TEST(malformed_values_compare_somehow)
{
	struct type *t = type_of(TYPE_LIST), *m = type_of(TYPE_MAP);
	static const uint8_t bad[] = { 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 9, 1 };
	struct bytes good = bytes_of("\0\0\0\1\0\0\0\4\0\0\0\1", 12);
	size_t len;

	for (len = 1; len <= sizeof(bad); len++) {
		char *copy = mem_copy(bad, len);
		struct bytes v = bytes_of(copy, len);

		type_compare(t, v, good);
		type_compare(m, good, v);
		type_compare(type_native(TYPE_INT), v, good);
		type_compare(type_native(TYPE_UUID), v, good);
		type_compare(type_native(TYPE_DOUBLE), v, good);
		type_compare(type_native(TYPE_DECIMAL), v, good);
		mem_free(copy);
	}
	type_put(t);
	type_put(m);
}
END_TEST

SUITE(compare)
{
	TCase *tc = tcase_create("compare");

	tcase_add_loop_test(tc, values_are_in_this_order, 0,
			    (int)ARRAY_SIZE(orders));
	tcase_add_loop_test(tc, different_bytes_may_be_equal, 0,
			    (int)ARRAY_SIZE(equals));
	tcase_add_test(tc, malformed_values_compare_somehow);
	suite_add_tcase(suite, tc);
}
