/* Compound values: checked, read from JSON and literals, printed. */
#include "store/base/murmur3.h"
#include "store/type/type.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/row/key.h"
#include "store/type/text/text.h"
#include "store/type/value.h"
#include "tests/lib/values.h"
#include "tests/unit/suite.h"

/* A text, the canonical text of what it means, and its literal; or NULL. */
static const struct {
	const char *type, *text, *printed, *literal;
} texts[] = {
	{ "list<int>", "[1, 2]", "[1, 2]", "[1, 2]" },
	{ "list<int>", "[ 1,2 ]", "[1, 2]", "[1, 2]" },
	{ "list<int>", "[]", "[]", "[]" },
	{ "list<text>", "['it''s', $$x'y$$]", "[\"it's\", \"x'y\"]",
	  "['it''s', 'x''y']" },
	{ "list<text>", "[\"a\\nb\"]", "[\"a\\nb\"]", "['a\nb']" },
	{ "set<int>", "{3, 1, 2, 1}", "[1, 2, 3]", "{1, 2, 3}" },
	{ "set<int>", "[3, 1]", "[1, 3]", "{1, 3}" },
	{ "set<int>", "{}", "[]", "{}" },
	{ "map<int, text>", "{2: 'b', 1: 'x', 1: 'a'}",
	  "{\"1\": \"a\", \"2\": \"b\"}", "{1: 'a', 2: 'b'}" },
	{ "map<int, text>", "{\"2\":\"b\"}", "{\"2\": \"b\"}", "{2: 'b'}" },
	{ "map<time, duration>", "{'08:00:00': 1d, '09:00:00':"
	  "P0000-00-00T01:00:00}", "{\"08:00:00.000000000\": \"1d\", "
	  "\"09:00:00.000000000\": \"1h\"}",
	  "{'08:00:00.000000000': 1d, '09:00:00.000000000': 1h}" },
	{ "tuple<int, text, float>", "(1, null, NaN)", "[1, null, \"NaN\"]",
	  "(1, null, NaN)" },
	{ "tuple<int, text, float>", "[1, null, \"-Infinity\"]",
	  "[1, null, \"-Infinity\"]", "(1, null, -Infinity)" },
	{ "tuple<int, text, float>", "(1)", "[1, null, null]",
	  "(1, null, null)" },
	{ "address", "{zip: 5, STREET: 's', tags: {'b', 'a'}, zip: 6}",
	  "{\"street\": \"s\", \"city\": null, \"zip\": 6, \"tags\": "
	  "[\"a\", \"b\"]}",
	  "{street: 's', city: null, zip: 6, tags: {'a', 'b'}}" },
	{ "address", "{\"zip\": 5}", "{\"street\": null, \"city\": null, "
	  "\"zip\": 5, \"tags\": null}",
	  "{street: null, city: null, zip: 5, tags: null}" },
	{ "Mixed", "{\"A\": 1, \"b c\": 'x', d: {zip: 1}}",
	  "{\"\\\"A\\\"\": 1, \"b c\": \"x\", \"d\": {\"street\": null, "
	  "\"city\": null, \"zip\": 1, \"tags\": null}}",
	  "{\"A\": 1, \"b c\": 'x', d: {street: null, city: null, zip: 1, "
	  "tags: null}}" },
	{ "vector<float, 2>", "[1, 2.5]", "[1.0, 2.5]", "[1.0, 2.5]" },
	{ "vector<text, 2>", "['', 'a']", "[\"\", \"a\"]", "['', 'a']" },
	{ "list<timestamp>", "[0, '2016-10-04T12:34:00Z']",
	  "[\"1970-01-01 00:00:00.000Z\", \"2016-10-04 12:34:00.000Z\"]",
	  "['1970-01-01T00:00:00.000Z', '2016-10-04T12:34:00.000Z']" },
	{ "list<text>", "[\"\\ud83d\\ude00 \xc3\xa9\", \"\\u00e9\"]",
	  "[\"\xf0\x9f\x98\x80 \xc3\xa9\", \"\xc3\xa9\"]",
	  "['\xf0\x9f\x98\x80 \xc3\xa9', '\xc3\xa9']" },
	{ "list<list<int>>", "[\"[1, 2]\", [\"3\", -4]]", "[[1, 2], [3, -4]]",
	  "[[1, 2], [3, -4]]" },
	{ "map<tuple<int, text>, float>", "{\"[1, \\\"a\\\"]\": \" 1e5\"}",
	  "{\"[1, \\\"a\\\"]\": 100000.0}", "{(1, 'a'): 100000.0}" },
	{ "list<blob>", "[0xCAFE, 0x]", "[\"0xcafe\", \"0x\"]",
	  "[0xcafe, 0x]" },
	{ "map<uuid, boolean>",
	  "{550e8400-e29b-41d4-a716-446655440000: TRUE}",
	  "{\"550e8400-e29b-41d4-a716-446655440000\": true}",
	  "{550e8400-e29b-41d4-a716-446655440000: true}" },
	{ "list<set<tuple<int, text>>>", "[{(2, 'a'), (1, 'b')}, {}]",
	  "[[[1, \"b\"], [2, \"a\"]], []]", "[{(1, 'b'), (2, 'a')}, {}]" },
	{ "list<int>", "", NULL, NULL }, { "list<int>", "[1", NULL, NULL },
	{ "list<int>", "[1,]", NULL, NULL },
	{ "list<int>", "[,1]", NULL, NULL },
	{ "list<int>", "[1 2]", NULL, NULL },
	{ "list<int>", "[1] ", NULL, NULL }, { "list<int>", " [1]", NULL, NULL },
	{ "list<int>", "[null]", NULL, NULL },
	{ "list<int>", "null", NULL, NULL },
	{ "list<int>", "{1}", NULL, NULL }, { "list<int>", "['1']", NULL, NULL },
	{ "list<int>", "\"[1]\"", NULL, NULL },
	{ "list<text>", "[1]", NULL, NULL }, { "list<text>", "['a", NULL, NULL },
	{ "list<text>", "[$$a]", NULL, NULL },
	{ "list<time>", "[12:00:00]", NULL, NULL },
	{ "set<int>", "{1: 1}", NULL, NULL },
	{ "map<int, int>", "{1}", NULL, NULL },
	{ "map<int, int>", "{1: null}", NULL, NULL },
	{ "map<int, int>", "[1]", NULL, NULL },
	{ "tuple<int, text>", "(blob_as_int(0x), '')", "[\"\", \"\"]",
	  "(blob_as_int(0x), '')" },
	{ "map<boolean, varint>",
	  "{blob_as_boolean( 0x ): Blob_As_VarInt(0x)}", "{\"\": \"\"}",
	  "{blob_as_boolean(0x): blob_as_varint(0x)}" },
	{ "list<inet>", "[blob_as_inet(0x00000000000000000000ffff01020304)]",
	  "[\"1.2.3.4\"]",
	  "[blob_as_inet(0x00000000000000000000ffff01020304)]" },
	{ "list<int>", "[blob_as_int(0x0102)]", NULL, NULL },
	{ "list<int>", "[blob_as_text(0x)]", NULL, NULL },
	{ "list<int>", "[blob_as_int(5)]", NULL, NULL },
	{ "list<int>", "[blob_as_int]", NULL, NULL },
	{ "tuple<int, int>", "()", NULL, NULL },
	{ "tuple<int, int>", "(1, 2, 3)", NULL, NULL },
	{ "tuple<int, int>", "{1, 2}", NULL, NULL },
	{ "address", "{nope: 1}", NULL, NULL },
	{ "address", "{street: 1}", NULL, NULL },
	{ "Mixed", "{A: 1}", NULL, NULL },
	{ "vector<float, 2>", "[1]", NULL, NULL },
	{ "vector<float, 2>", "[1, 2, 3]", NULL, NULL },
	{ "vector<float, 2>", "(1, 2)", NULL, NULL },
};

static void assert_printed(const struct type *t, struct bytes value,
			   const char *printed, const char *literal)
{
	struct buf out = BUF_INIT;

	type_print_text(&out, t, value);
	ck_assert_str_eq(buf_cstr(&out), printed);
	ck_assert_uint_eq(type_text_length(t, value), out.len);
	buf_clear(&out);
	type_print_literal(&out, t, value);
	ck_assert_str_eq(buf_cstr(&out), literal);
	buf_release(&out);
}

START_TEST(a_text_is_read)
{
	struct type *t = type_named(texts[_i].type);
	struct bytes text = bytes_str(texts[_i].text);
	struct buf value = BUF_INIT;
	struct type_error error = { .text = "" };
	int err;

	buf_add_str(&value, "x");	/* what stood before stays */
	err = type_read_text(&value, t, text, &error);
	if (texts[_i].printed) {
		size_t len;

		ck_assert_msg(!err, "%s", error.text);
		assert_printed(t, bytes_of(value.ptr + 1, value.len - 1),
			       texts[_i].printed, texts[_i].literal);
		for (len = 0; len <= text.len; len++)
			ck_assert_msg(type_text_may_begin(t, bytes_of(text.ptr,
								      len)),
				      "%.*s", (int)len, text.ptr);
	} else {
		ck_assert_int_eq(err, -EINVAL);
		ck_assert_uint_eq(value.len, 1);
		ck_assert_str_ne(error.text, "");
	}
	buf_release(&value);
	type_put(t);
}
END_TEST

static const struct { const char *type, *text; } hopeless[] = {
	{ "list<int>", "a" }, { "list<int>", "{" }, { "list<int>", "[1]\n" },
	{ "list<int>", "[1}" }, { "list<int>", "[(]" }, { "set<int>", "(" },
	{ "map<int, int>", "[" }, { "address", "[" }, { "tuple<int>", "{" },
	{ "vector<int, 1>", "(" }, { "list<text>", "['a']b" },
	{ "list<int>", "[1, x" }, { "list<int>", "[1 2" },
	{ "list<int>", "[1, 12345678901" }, { "list<int>", "[1.5" },
	{ "list<int>", "[\"x" }, { "list<int>", "[\"1\", \"x\"" },
	{ "list<int>", "[blob_as_text" }, { "list<int>", "[blob_as_int(0x) 1" },
	{ "list<int>", "[1,," }, { "list<int>", "[nulk" },
	{ "list<int>", "[null," }, { "list<text>", "[1" },
	{ "list<text>", "[tr" }, { "list<boolean>", "[tx" },
	{ "list<text>", "[\"\\x" }, { "list<text>", "[\"\xff" },
	{ "list<text>", "[\"\xc3\xa9\xc3(" }, { "list<text>", "['\xff" },
	{ "list<date>", "['x" }, { "list<date>", "[2016-" },
	{ "list<uuid>", "[x" }, { "list<list<int>>", "[[1], [x" },
	{ "set<int>", "{1:" }, { "map<int, text>", "{1: 'a', 2 " "3" },
	{ "map<int, text>", "{'1" }, { "map<int, text>", "{\"x\":\"" },
	{ "map<int, text>", "{\"1\": 2" }, { "map<int, text>", "{1: null," },
	{ "tuple<int, text>", "(1, 2" }, { "tuple<int, text>", "(1, 'a'," },
	{ "tuple<int, text>", "[1, \"a\", \"b\"" },
	{ "tuple<int, text>", "['" }, { "address", "{zip: 's" },
	{ "address", "{nope" }, { "address", "{\"nope\": 1" },
	{ "address", "{\"zip\": \"a" }, { "vector<float, 2>", "[1, 2, 3" },
	{ "vector<float, 2>", "[true" }, { "Mixed", "{A: 1" },
};

START_TEST(a_hopeless_begin_is_seen)
{
	struct type *t = type_named(hopeless[_i].type);

	ck_assert(!type_text_may_begin(t, bytes_str(hopeless[_i].text)));
	type_put(t);
}
END_TEST

/* Numbers that CQL has no such literal for; fromJson takes the quoted ones. */
static const struct { const char *type, *text; bool is_literal; } forms[] = {
	{ "int", "+1", false }, { "double", ".5", false },
	{ "decimal", "-.5", false }, { "float", "1f", false },
	{ "double", "1d", false }, { "double", "-1e400", false },
	{ "double", "-nan", true }, { "double", "-1.e-3", true },
	{ "list<int>", "[+1]", false }, { "list<int>", "[-01]", true },
	{ "list<bigint>", "[1, +1]", false }, { "list<varint>", "[+1]", false },
	{ "list<decimal>", "[-.5]", false }, { "list<double>", "[1d]", false },
	{ "list<double>", "[1.]", true }, { "list<double>", "[0x1p3]", false },
	{ "list<double>", "[infinity, -nan]", true },
	{ "tuple<float>", "(1e400)", false }, { "tuple<float>", "(1e39)", true },
	{ "list<duration>", "[-1d, 1y2mo]", true },
	{ "vector<float, 3>", "[.5,1,1]", false },
	{ "vector<float, 3>", "[1f,1,1]", false },
	{ "map<int, float>", "{+1: 1}", false },
	{ "map<int, float>", "{1: .5}", false },
	{ "set<tuple<int, float>>", "{(1, +1)}", false },
	{ "address", "{zip: +5}", false },
	{ "list<int>", "[\"+1\"]", true }, { "list<double>", "[\".5\"]", true },
	{ "list<float>", "[\"0x1p3\", \"1f\"]", true },
	{ "map<int, float>", "{\"+1\": 1}", true },
};

START_TEST(a_number_is_a_literal_of_cql_alone)
{
	struct type *t = type_named(forms[_i].type);
	struct bytes text = bytes_str(forms[_i].text);
	struct buf value = BUF_INIT;
	struct type_error error = { .text = "" };

	ck_assert_int_eq(type_read_text(&value, t, text, &error), 0);
	buf_clear(&value);
	ck_assert_int_eq(type_read_literal(&value, t, text, &error),
			 forms[_i].is_literal ? 0 : -EINVAL);
	ck_assert_int_eq(!*error.text, forms[_i].is_literal);
	ck_assert(type_text_may_begin(t, text) == forms[_i].is_literal);
	buf_release(&value);
	type_put(t);
}
END_TEST

static void assert_comes_back(const struct type *t, struct bytes value,
			      struct bytes text)
{
	struct buf back = BUF_INIT;
	struct type_error error = { .text = "" };
	int err = type_read_text(&back, t, text, &error);
	size_t len, step = text.len / 500 + 1;

	ck_assert_msg(!err, "%.*s: %s", (int)text.len, text.ptr, error.text);
	ck_assert_msg(bytes_equal(buf_bytes(&back), value), "%.*s",
		      (int)text.len, text.ptr);
	for (len = text.len % step; len <= text.len; len += step)
		ck_assert_msg(type_text_may_begin(t, bytes_of(text.ptr, len)),
			      "%.*s", (int)len, text.ptr);
	buf_release(&back);
}

START_TEST(a_random_value_comes_back)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct type *t;
	struct buf value = BUF_INIT, text = BUF_INIT;
	struct type_error error = { .text = "" };
	int n;

	do
		t = random_type(&rng, 3);
	while (kind_is_native(t->kind));
	random_value(&value, &rng, t, true);
	ck_assert_msg(!type_validate(t, buf_bytes(&value), &error), "%s",
		      error.text);
	type_print_literal(&text, t, buf_bytes(&value));
	assert_comes_back(t, buf_bytes(&value), buf_bytes(&text));
	buf_clear(&text);
	type_print_text(&text, t, buf_bytes(&value));
	ck_assert_uint_eq(type_text_length(t, buf_bytes(&value)), text.len);
	assert_comes_back(t, buf_bytes(&value), buf_bytes(&text));
	for (n = 0; n < 20; n++) {	/* damage, for the sanitizers */
		char *copy = mem_copy(text.ptr, text.len);
		size_t at = random_below(&rng, (uint32_t)text.len);

		copy[at] = "[]{}()'\"$,:n\\ 0"[random_below(&rng, 15)];
		buf_clear(&value);
		if (!type_read_text(&value, t, bytes_of(copy, text.len), NULL))
			ck_assert(!type_validate(t, buf_bytes(&value), NULL));
		type_text_may_begin(t, bytes_of(copy, at + 1));
		mem_free(copy);
	}
	buf_release(&value);
	buf_release(&text);
	type_put(t);
}
END_TEST

static const struct {
	const char *type, *value;
	size_t len;
	const char *error;	/* NULL: good */
} bytes[] = {
	{ "list<int>", "\0\0\0\0", 4, NULL },
	{ "list<int>", "\0\0\0\1\0\0\0\4\0\0\0\1", 12, NULL },
	{ "list<int>", "", 0, "Not enough bytes to read a list" },
	{ "list<int>", "\0\0\0\1", 4, "Not enough bytes to read a list" },
	{ "list<int>", "\xff\xff\xff\xff", 4,
	  "Not enough bytes to read a list" },
	{ "list<int>", "\0\0\0\1\xff\xff\xff\xff", 8,
	  "Not enough bytes to read a list" },
	{ "list<int>", "\0\0\0\0\0", 5,
	  "Unexpected extraneous bytes after list value" },
	{ "list<int>", "\0\0\0\1\0\0\0\2\0\1", 10,
	  "Expected 4 or 0 byte int (2)" },
	{ "set<int>", "\0\0\0\1\0\0\0\4\0", 9, "Not enough bytes to read a set" },
	{ "map<int, text>", "\0\0\0\1\0\0\0\4\0\0\0\1\0\0\0\1a", 17, NULL },
	{ "map<int, text>", "\0\0\0\1\0\0\0\4\0\0\0\1", 12,
	  "Not enough bytes to read a map" },
	{ "map<int, text>", "\x80\0\0\0\0\0\0\0", 8,
	  "Not enough bytes to read a map" },
	{ "tuple<int, text>", "\0\0\0\4\0\0\0\1", 8, NULL },
	{ "tuple<int, text>", "\xff\xff\xff\xff\0\0\0\0", 8, NULL },
	{ "tuple<int, text>", "\0\0\0\4\0\0\0\1\0\0", 10,
	  "Not enough bytes to read size of 1th component" },
	{ "tuple<int, text>", "\0\0\0\4\0\0\0\1\0\0\0\5a", 13,
	  "Not enough bytes to read 1th component" },
	{ "tuple<int, text>", "\0\0\0\4\0\0\0\1\0\0\0\0\0", 13,
	  "Invalid remaining data after end of tuple value" },
	{ "address", "\0\0\0\1a\0\0\0\5b", 10,
	  "Not enough bytes to read 1th field city" },
	{ "vector<int, 2>", "\0\0\0\1\0\0\0\2", 8, NULL },
	{ "vector<int, 2>", "\0\0\0\1\0\0\0", 7,
	  "Not enough bytes to read a vector" },
	{ "vector<int, 2>", "\0\0\0\1\0\0\0\2\0", 9,
	  "Unexpected extraneous bytes after vector value" },
	{ "vector<text, 2>", "\1a\0", 3, NULL },
	{ "vector<text, 2>", "\1a\xff", 3,
	  "Not enough bytes to read a vector" },
	{ "vector<varint, 1>", "\0", 1, "Not enough bytes to read a vector" },
};

START_TEST(bytes_are_checked)
{
	struct type *t = type_named(bytes[_i].type);
	struct type_error error = { .text = "" };
	int err = type_validate(t, bytes_of(bytes[_i].value, bytes[_i].len),
				&error);

	ck_assert_int_eq(err, bytes[_i].error ? -EINVAL : 0);
	ck_assert_str_eq(error.text, bytes[_i].error ? bytes[_i].error : "");
	type_put(t);
}
END_TEST

START_TEST(malformed_bytes_print_something)	/* _i is the seed; for asan */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct type *t = random_type(&rng, 3);
	struct buf value = BUF_INIT, out = BUF_INIT;
	int n;

	random_value(&value, &rng, t, false);
	for (n = 0; n < 20 && !kind_is_native(t->kind); n++) {
		size_t len = 1 + random_below(&rng, (uint32_t)value.len);
		uint8_t *copy = mem_alloc(len);

		memcpy(copy, value.ptr, len);
		copy[random_below(&rng, (uint32_t)len)] =
			(uint8_t)random_next(&rng);
		buf_clear(&out);
		type_print_text(&out, t, bytes_of(copy, len));
		ck_assert_uint_eq(out.len, type_text_length(t, bytes_of(copy,
								       len)));
		type_print_literal(&out, t, bytes_of(copy, len));
		type_validate(t, bytes_of(copy, len), NULL);
		mem_free(copy);
	}
	buf_release(&value);
	buf_release(&out);
	type_put(t);
}
END_TEST

START_TEST(every_failed_allocation_is_survived)
{
	struct type *t = type_named("map<tuple<int, text>, list<address>>");
	struct type_error error;
	size_t len = 0, failures = 0;
	long n;

	for (n = 0; n < 40; n++) {	/* first without a failure */
		struct buf value = BUF_INIT;

		mem_fail_at(n, 0);
		ck_assert_int_eq(type_read_text(&value, t, bytes_str(
			"{(1, 'a'): [{zip: 5}]}"), &error), 0);
		mem_fail_at(0, 0);
		if (!n)
			len = value.len;
		failures += value.failed;
		ck_assert(value.failed || value.len == len);
		buf_release(&value);
	}
	ck_assert_uint_gt(failures, 8);
	type_put(t);
}
END_TEST

/* A recorded Cassandra's tokens of keys that are made of these. */
static const struct {
	const char *parts[6];
	int64_t token;
} keys[] = {
	{ { "[1, 2]", "{'b', 'a'}", "{2: 'y', 1: 'x'}", "(1, 'a')",
	    "(1, 'x')", "[1, 2]" }, -7974810560234873758 },
	{ { "[-1]", "{''}", "{0: ''}", "(1)", "(null, 'q')", "[-0.0, 1.5]" },
	  -6424732946611118280 },
};

START_TEST(the_bytes_are_cassandras)
{
	static const char *const types[] = {
		"list<int>", "set<text>", "map<int, text>", "tuple<int, text>",
		"tuple<int, text>", "vector<float, 2>",
	};
	struct buf key = BUF_INIT, value = BUF_INIT;
	int i;

	for (i = 0; i < 6; i++) {
		struct type *t = type_named(types[i]);

		buf_clear(&value);
		ck_assert_int_eq(type_read_text(&value, t, bytes_str(
			keys[_i].parts[i]), NULL), 0);
		buf_add_be16(&key, (uint16_t)value.len);
		buf_add_bytes(&key, buf_bytes(&value));
		buf_add_byte(&key, 0);
		type_put(t);
	}
	ck_assert_int_eq(murmur3_token(buf_bytes(&key)), keys[_i].token);
	buf_release(&key);
	buf_release(&value);
}
END_TEST

SUITE(compound)
{
	TCase *tc = tcase_create("compound");

	tcase_add_loop_test(tc, a_text_is_read, 0, (int)ARRAY_SIZE(texts));
	tcase_add_loop_test(tc, a_hopeless_begin_is_seen, 0,
			    (int)ARRAY_SIZE(hopeless));
	tcase_add_loop_test(tc, a_number_is_a_literal_of_cql_alone, 0,
			    (int)ARRAY_SIZE(forms));
	tcase_add_loop_test(tc, a_random_value_comes_back, 0, 300);
	tcase_add_loop_test(tc, the_bytes_are_cassandras, 0,
			    (int)ARRAY_SIZE(keys));
	tcase_add_loop_test(tc, bytes_are_checked, 0, (int)ARRAY_SIZE(bytes));
	tcase_add_loop_test(tc, malformed_bytes_print_something, 0, 200);
	tcase_add_test(tc, every_failed_allocation_is_survived);
	suite_add_tcase(suite, tc);
}
