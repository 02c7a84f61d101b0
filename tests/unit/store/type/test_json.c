/* JSON: its form, and values as JSON, as a recorded Cassandra has them. */
#include "store/type/type.h"

#include <errno.h>

#include "store/base/alloc.h"
#include "store/type/compare.h"
#include "store/type/json/json.h"
#include "store/type/json/map.h"
#include "store/type/json/print.h"
#include "store/type/json/value.h"
#include "tests/lib/values.h"
#include "tests/unit/suite.h"

#define PARSE "com.fasterxml.jackson.core.JsonParseException: "
#define AT(text, column) "\n at [Source: (String)\"" text \
			 "\"; line: 1, column: " #column "]"
#define VALUES "(JSON String, Number, Array, Object or token 'null', " \
	       "'true' or 'false')"

/* JSON that is read, and how the value is printed; or the message. */
static const struct {
	const char *type, *json, *printed, *error;
} values[] = {
	{ "tinyint", "1", "1", NULL },
	{ "tinyint", "\"1\"", "1", NULL },
	{ "tinyint", "\"\"", "\"\"", NULL },
	{ "tinyint", "128", NULL, "Unable to make byte from '128'" },
	{ "tinyint", "1.0", NULL, "Unable to make byte from '1.0'" },
	{ "tinyint", "1e1", NULL, "Unable to make byte from '10.0'" },
	{ "tinyint", "true", NULL, "Expected a byte value, but got a Boolean: "
	  "true" },
	{ "tinyint", "[1]", NULL, "Expected a byte value, but got a ArrayList: "
	  "[1]" },
	{ "tinyint", "\" 1\"", NULL, "Unable to make byte from ' 1'" },
	{ "smallint", "32768", NULL, "Unable to make short from '32768'" },
	{ "int", "\"007\"", "7", NULL }, { "int", "\"+1\"", "1", NULL },
	{ "int", "-2147483648", "-2147483648", NULL },
	{ "int", "2147483648", NULL, "Expected an int value, but got a Long: "
	  "2147483648" },
	{ "int", "1e2", NULL, "Expected an int value, but got a Double: "
	  "100.0" },
	{ "int", "\"1.0\"", NULL, "Unable to make int from '1.0'" },
	{ "bigint", "9223372036854775807", "9223372036854775807", NULL },
	{ "bigint", "9223372036854775808", NULL, "Expected a bigint value, but "
	  "got a BigInteger: 9223372036854775808" },
	{ "varint", "123456789012345678901234567890",
	  "123456789012345678901234567890", NULL },
	{ "varint", "1.5", NULL, "Value '1.5' is not a valid representation of "
	  "a varint value" },
	{ "varint", "\"\"", NULL, "Value '' is not a valid representation of a "
	  "varint value" },
	{ "decimal", "1.50", "1.50", NULL },
	{ "decimal", "\"1e5\"", "1E+5", NULL },
	{ "decimal", "\"\"", "\"\"", NULL },
	{ "decimal", "\"abc\"", NULL, "Value 'abc' is not a valid "
	  "representation of a decimal value" },
	{ "decimal", "true", NULL, "Value 'true' is not a valid representation "
	  "of a decimal value" },
	{ "float", "1", "1.0", NULL }, { "float", "1e39", "null", NULL },
	{ "float", "-0", "0.0", NULL }, { "float", "-0.0", "-0.0", NULL },
	{ "float", "\"NaN\"", "null", NULL },
	{ "float", "\"abc\"", NULL, "Unable to make float from 'abc'" },
	{ "double", "\"0x1p3\"", "8.0", NULL },
	{ "double", "\"1.5f\"", "1.5", NULL },
	{ "double", "[]", NULL, "Expected a double value, but got a "
	  "ArrayList: []" },
	{ "boolean", "true", "true", NULL },
	{ "boolean", "\"TRUE\"", "true", NULL },
	{ "boolean", "\"\"", "false", NULL },
	{ "boolean", "\"yes\"", NULL, "Unable to make boolean from 'yes'" },
	{ "boolean", "1", NULL, "Expected a boolean value, but got a Integer: "
	  "1" },
	{ "text", "\"\\u00e9\\ud83d\\ude00\\n\\t\\\\\\\"\\/\\u0001\"",
	  "\"\xc3\xa9\xf0\x9f\x98\x80\\n\\t\\\\\\\"/\\u0001\"", NULL },
	{ "text", "{\"a\": [1, null, \"x\", 1e1]}", NULL, "Expected a UTF-8 "
	  "string, but got a LinkedHashMap: {a=[1, null, x, 10.0]}" },
	{ "ascii", "\"\xc3\xa9\"", NULL, "Invalid ASCII character in string "
	  "literal: java.nio.charset.UnmappableCharacterException: Input "
	  "length = 1" },
	{ "ascii", "1", NULL, "Expected an ascii string, but got a Integer: "
	  "1" },
	{ "blob", "\"0x\"", "\"0x\"", NULL },
	{ "blob", "\"0xFF\"", "\"0xff\"", NULL },
	{ "blob", "\"0XFF\"", NULL, "Value '0XFF' is not a valid blob "
	  "representation: String representation of blob is missing 0x prefix: "
	  "0XFF" },
	{ "blob", "\"0xf\"", NULL, "Value '0xf' is not a valid blob "
	  "representation: cannot parse 'f' as hex bytes" },
	{ "blob", "1", NULL, "Value '1' is not a valid blob representation: "
	  "class java.lang.Integer cannot be cast to class java.lang.String "
	  "(java.lang.Integer and java.lang.String are in module java.base of "
	  "loader 'bootstrap')" },
	{ "uuid", "\"550E8400-E29B-41D4-A716-446655440000\"",
	  "\"550e8400-e29b-41d4-a716-446655440000\"", NULL },
	{ "uuid", "\"550e8400\"", NULL, "Unable to make UUID from '550e8400'" },
	{ "uuid", "1", NULL, "Expected a string representation of a uuid, but "
	  "got a Integer: 1" },
	{ "timeuuid", "\"x\"", NULL, "Unknown timeuuid representation: x" },
	{ "inet", "\"::1\"", "\"::1\"", NULL },
	{ "inet", "\"x y\"", NULL, "Unable to make inet address from 'x y'" },
	{ "date", "\"2147483648\"", "\"1970-01-01\"", NULL },
	{ "date", "2147483648", NULL, "Expected a string representation of a "
	  "date value, but got a Long: 2147483648" },
	{ "date", "\"\"", NULL, "Unable to coerce '' to a formatted date "
	  "(long)" },
	{ "time", "\"08:12:54.5\"", "\"08:12:54.500000000\"", NULL },
	{ "timestamp", "1475584440000", "\"2016-10-04 12:34:00.000Z\"", NULL },
	{ "timestamp", "5", "\"1970-01-01 00:00:00.005Z\"", NULL },
	{ "timestamp", "\"\"", "\"\"", NULL },
	{ "timestamp", "1.5", NULL, "Expected a long or a datestring "
	  "representation of a timestamp value, but got a Double: 1.5" },
	{ "duration", "\"P1Y\"", "\"1y\"", NULL },
	{ "duration", "\"\"", "\"\"", NULL },
	{ "duration", "1", NULL, "Expected a string representation of a "
	  "duration, but got a Integer: 1" },
	{ "duration", "\"1\"", NULL, "Unable to convert '1' to a duration" },
	{ "list<int>", " [1, 2] and more", "[1, 2]", NULL },
	{ "list<int>", "\"[1, 2]\"", "[1, 2]", NULL },
	{ "list<int>", "[\"1\", 2]", "[1, 2]", NULL },
	{ "list<int>", "[null]", NULL, "Invalid null element in list" },
	{ "list<int>", "[1.5]", NULL, "Expected an int value, but got a "
	  "Double: 1.5" },
	{ "list<int>", "{}", NULL, "Expected a list, but got a LinkedHashMap: "
	  "{}" },
	{ "list<int>", "\"x\"", NULL, "Error decoding JSON string: "
	  "Unrecognized token 'x': was expecting " VALUES AT("x", 2) },
	{ "set<int>", "[2, 1, 1]", "[1, 2]", NULL },
	{ "set<int>", "[null]", NULL, "Invalid null element in set" },
	{ "set<int>", "{\"a\": 1}", NULL, "Expected a list (representing a "
	  "set), but got a LinkedHashMap: {a=1}" },
	{ "map<int, text>", "{\"2\": \"b\", \"1\": \"x\", \"1\": \"a\"}",
	  "{\"1\": \"a\", \"2\": \"b\"}", NULL },
	{ "map<int, text>", "{\"x\": \"b\"}", NULL, "Unable to make int from "
	  "'x'" },
	{ "map<int, text>", "{\"1\": null}", NULL, "Invalid null value in "
	  "map" },
	{ "map<int, text>", "[]", NULL, "Expected a map, but got a ArrayList: "
	  "[]" },
	{ "map<int, text>", "{\"1\": 5}", NULL, "Expected a UTF-8 string, but "
	  "got a Integer: 5" },
	{ "map<double, int>", "{\"NaN\": 1}", "{\"null\": 1}", NULL },
	{ "map<tuple<int, text>, int>", "{\"[1, \\\"a\\\"]\": 3}",
	  "{\"[1, \\\"a\\\"]\": 3}", NULL },
	{ "map<boolean, blob>", "{\"true\": \"0x00\"}", "{\"true\": \"0x00\"}",
	  NULL },
	{ "tuple<int, text, float>", "[1, null, 1.5]", "[1, null, 1.5]", NULL },
	{ "tuple<int, text, float>", "[1, \"a\"]", NULL, "Tuple is missing "
	  "items (expected 3): [1, a]" },
	{ "tuple<int, text, float>", "[1, \"a\", 1.5, 2]", NULL, "Tuple "
	  "contains extra items (expected 3): [1, a, 1.5, 2]" },
	{ "tuple<int, text, float>", "{\"a\": 1}", NULL, "Expected a list "
	  "representation of a tuple, but got a LinkedHashMap: {a=1}" },
	{ "address", "{\"STREET\": \"s\", \"zip\": \"5\"}", "{\"street\": "
	  "\"s\", \"city\": null, \"zip\": 5, \"tags\": null}", NULL },
	{ "address", "{\"\\\"street\\\"\": \"s\", \"tags\": \"[\\\"b\\\"]\"}",
	  "{\"street\": \"s\", \"city\": null, \"zip\": null, \"tags\": "
	  "[\"b\"]}", NULL },
	{ "address", "{\"nope\": \"s\"}", NULL, "Unknown field 'nope' in value "
	  "of user defined type address" },
	{ "address", "[]", NULL, "Expected a map, but got a ArrayList: []" },
	{ "Mixed", "{\"\\\"A\\\"\": 1, \"b c\": \"x\"}",
	  "{\"\\\"A\\\"\": 1, \"b c\": \"x\", \"d\": null}", NULL },
	{ "Mixed", "{\"A\": 1}", NULL, "Unknown field 'a' in value of user "
	  "defined type Mixed" },
	{ "vector<float, 3>", "[\"1\", 2, 3]", "[1.0, 2.0, 3.0]", NULL },
	{ "vector<float, 3>", "[1, 2]", NULL, "List had incorrect size: "
	  "expected 3 but given 2; [1, 2]" },
	{ "vector<float, 3>", "[null, 2, 3]", NULL, "Invalid null element in "
	  "list" },
	{ "list<list<int>>", "[\"[1]\", []]", "[[1], []]", NULL },
	{ "int", "null", "null", NULL },
	{ "int", "", NULL, "com.fasterxml.jackson.databind.exc."
	  "MismatchedInputException: No content to map due to end-of-input"
	  AT("", 0) },
};

START_TEST(a_value_is_read_and_printed)
{
	struct type *t = type_named(values[_i].type);
	struct buf value = BUF_INIT, printed = BUF_INIT;
	struct type_error error = { .text = "" };
	bool null = false;
	int err = type_read_json(&value, &null, t, bytes_str(values[_i].json),
				 &error);

	if (values[_i].error) {
		ck_assert_int_eq(err, -EINVAL);
		ck_assert_str_eq(error.text, values[_i].error);
	} else {
		ck_assert_msg(!err, "%s", error.text);
		type_print_json(&printed, t, null ? BYTES_NULL :
				buf_bytes(&value));
		ck_assert_str_eq(buf_cstr(&printed), values[_i].printed);
	}
	buf_release(&value);
	buf_release(&printed);
	type_put(t);
}
END_TEST

/* Texts that are no JSON, and why; NULL: it is JSON. */
static const struct {
	const char *text, *error;
} forms[] = {
	{ "{\"a\":[1,-0.5e+3,{\"b\":[]}],\"c\":null}", NULL },
	{ "\t\r\n true ", NULL }, { "\"\\ud83d\\ude00\"", NULL },
	{ "{} x", NULL }, { "-0", NULL },
	{ "{k: 1}", PARSE "Unexpected character ('k' (code 107)): was "
	  "expecting double-quote to start field name" AT("{k: 1}", 3) },
	{ "{\"a\" 1}", PARSE "Unexpected character ('1' (code 49)): was "
	  "expecting a colon to separate field name and value"
	  AT("{\"a\" 1}", 7) },
	{ "{\"a\":1", "com.fasterxml.jackson.core.io.JsonEOFException: "
	  "Unexpected end-of-input: expected close marker for Object (start "
	  "marker at [Source: (String)\"{\"a\":1\"; line: 1, column: 1])"
	  AT("{\"a\":1", 7) },
	{ "[1 2]", PARSE "Unexpected character ('2' (code 50)): was expecting "
	  "comma to separate Array entries" AT("[1 2]", 5) },
	{ "[1,]", PARSE "Unexpected character (']' (code 93)): expected a "
	  "valid value " VALUES AT("[1,]", 5) },
	{ "\"\\x\"", PARSE "Unrecognized character escape 'x' (code 120)"
	  AT("\"\\x\"", 4) },
	{ "\"a", "com.fasterxml.jackson.core.io.JsonEOFException: Unexpected "
	  "end-of-input: was expecting closing quote for a string value"
	  AT("\"a", 3) },
	{ "007", PARSE "Invalid numeric value: Leading zeroes not allowed"
	  AT("007", 2) },
	{ "1.x", PARSE "Unexpected character ('x' (code 120)) in numeric "
	  "value: Decimal point not followed by a digit" AT("1.x", 3) },
	{ "truex", PARSE "Unrecognized token 'truex': was expecting " VALUES
	  AT("truex", 6) },
	{ "\xc3\xa9", PARSE "Unrecognized token '\xc3\xa9': was expecting "
	  VALUES AT("\xc3\xa9", 2) },
	{ "\"\xed\xa0\x80\"", PARSE "Invalid UTF-8" AT("\"\xed\xa0\x80\"", 2) },
	{ "\"\xc0\x80\"", PARSE "Invalid UTF-8" AT("\"\xc0\x80\"", 2) },
	{ "\"\\ud83d\"", PARSE "Half a surrogate pair in character escape "
	  "sequence" AT("\"\\ud83d\"", 8) },
	{ "\"\\u12g4\"", PARSE "Unexpected character ('g' (code 103)): expected "
	  "a hex-digit for character escape sequence" AT("\"\\u12g4\"", 7) },
	{ "\"\x01\"", PARSE "Illegal unquoted character ((CTRL-CHAR, code 1)): "
	  "has to be escaped using backslash to be included in string value"
	  AT("\"\x01\"", 3) },
	{ "+1", PARSE "Unexpected character ('1' (code 49)) in numeric value: "
	  "expected digit (0-9) to follow minus sign, for valid numeric value"
	  AT("+1", 3) },
};

START_TEST(the_form_is_checked)
{
	struct type_error error = { .text = "" };
	struct bytes value;
	int err = json_read_value(&value, bytes_str(forms[_i].text), &error);

	if (forms[_i].error) {
		ck_assert_int_eq(err, -EINVAL);
		ck_assert_str_eq(error.text, forms[_i].error);
	} else {
		ck_assert_msg(!err, "%s", error.text);
	}
}
END_TEST

START_TEST(nesting_is_bounded)
{
	struct type_error error;
	struct bytes value;
	char text[200];

	memset(text, '[', 100);
	memset(text + 100, ']', 100);
	ck_assert_int_eq(json_read_value(&value, bytes_of(text + 36, 128),
					 &error), 0);
	ck_assert_uint_eq(value.len, 128);
	ck_assert_int_eq(json_read_value(&value, bytes_of(text + 35, 130),
					 &error), -EINVAL);
}
END_TEST

START_TEST(a_long_source_is_shown_in_part)
{
	struct type_error error;
	struct bytes value;
	char text[600];

	memset(text, 'x', sizeof(text));
	text[0] = '"';
	ck_assert_int_eq(json_read_value(&value, bytes_of(text, sizeof(text)),
					 &error), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.text, "xx\"[truncated 100 chars]; "
				     "line: 1, column: 601]"));
}
END_TEST

START_TEST(members_come_in_order)
{
	struct arena arena = ARENA_INIT;
	struct type_error error;
	struct json_member *m;
	struct bytes *e;
	size_t count;

	ck_assert_int_eq(json_read_object(&arena, &m, &count, bytes_str(
		" {\"a\\n\" : [1, 2] ,\"b\":\"x\",\"a\\n\":{} , \"\":0} "),
		&error), 0);
	ck_assert_uint_eq(count, 4);
	ck_assert(bytes_equal(m[0].name, bytes_str("a\n")));
	ck_assert(bytes_equal(m[0].value, bytes_str("[1, 2]")));
	ck_assert(bytes_equal(m[1].value, bytes_str("\"x\"")));
	ck_assert(bytes_equal(m[2].name, bytes_str("a\n")));
	ck_assert(bytes_equal(m[3].name, BYTES_EMPTY));
	ck_assert_int_eq(json_read_array(&arena, &e, &count, m[0].value,
					 &error), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert(bytes_equal(e[1], bytes_str("2")));
	ck_assert_int_eq(json_read_object(&arena, &m, &count, bytes_str("{}"),
					  &error), 0);
	ck_assert_uint_eq(count, 0);
	ck_assert_int_eq(json_read_object(&arena, &m, &count,
					  bytes_str("{} x"), &error), -EINVAL);
	ck_assert_int_eq(json_read_object(&arena, &m, &count, bytes_str("[1]"),
					  &error), -EINVAL);
	ck_assert_int_eq(json_read_array(&arena, &e, &count, bytes_str("{}"),
					 &error), -EINVAL);
	arena_release(&arena);
}
END_TEST

/* The members as "name=value," after one another. */
static void joined(struct buf *out, const char *json, bool called)
{
	struct arena arena = ARENA_INIT;
	struct json_member *m;
	size_t count;

	ck_assert_int_eq(json_read_map(&arena, &m, &count, bytes_str(json),
				       NULL), 0);
	if (called)
		ck_assert_int_eq(json_call_members(&arena, &m, &count), 0);
	buf_clear(out);
	for (size_t i = 0; i < count; i++) {
		buf_add_bytes(out, m[i].name);
		buf_add_byte(out, '=');
		buf_add_bytes(out, m[i].value);
		buf_add_byte(out, ',');
	}
	arena_release(&arena);
}

/* The members as Java's LinkedHashMap has them in the end, in its order. */
START_TEST(a_name_occurs_once)
{
	static const struct { const char *json, *map, *called; } cases[] = {
		{ "{}", "", "" },
		{ "{\"a\":1,\"b\":2,\"a\":3}", "a=3,b=2,", "a=3,b=2," },
		{ "{\"B\":1,\"b\":2}", "B=1,b=2,", "b=1," },
		{ "{\"b\":1,\"c\":2,\"B\":3,\"\\\"b\\\"\":4}",
		  "b=1,c=2,B=3,\"b\"=4,", "b=4,c=2," },
		{ "{\"Z\":1,\"y\":2,\"É\":3}", "Z=1,y=2,É=3,",
		  "y=2,z=1,é=3," },
		/* In quotes it is the name of the other one, which is then
		 * b. */
		{ "{\"\\\"B\\\"\":1,\"B\":2}", "\"B\"=1,B=2,", "b=1," },
	};
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		joined(&out, cases[i].json, false);
		ck_assert_str_eq(buf_cstr(&out), cases[i].map);
		joined(&out, cases[i].json, true);
		ck_assert_str_eq(buf_cstr(&out), cases[i].called);
	}
	buf_release(&out);
}
END_TEST

START_TEST(a_random_value_survives)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	struct type *t = random_type(&rng, 3);
	struct buf value = BUF_INIT, json = BUF_INIT, again = BUF_INIT;
	struct type_error error = { .text = "" };
	bool null;
	int n;

	random_value(&value, &rng, t, true);
	type_print_json(&json, t, buf_bytes(&value));
	n = type_read_json(&again, &null, t, buf_bytes(&json), &error);
	/* NaN has become null, which has no place in most. */
	if (!memmem(json.ptr, json.len, "null", 4)) {
		ck_assert_msg(!n, "%s: %s", buf_cstr(&json), error.text);
		ck_assert_int_eq(type_compare(t, buf_bytes(&value),
					      buf_bytes(&again)), 0);
	}
	buf_clear(&json);
	buf_clear(&again);
	type_print_json_exact(&json, t, buf_bytes(&value));
	n = type_read_json_exact(&again, &null, t, buf_bytes(&json), &error);
	ck_assert_msg(!n && !null, "%s: %s", buf_cstr(&json), error.text);
	ck_assert_msg(bytes_equal(buf_bytes(&value), buf_bytes(&again)),
		      "%s", buf_cstr(&json));
	for (n = 0; n < 20; n++) {	/* damage, for the sanitizers */
		char *copy = mem_copy(json.ptr, json.len);

		copy[random_below(&rng, (uint32_t)json.len)] =
			"[]{}\",:\\u1-.en \x80"[random_below(&rng, 16)];
		buf_clear(&again);
		type_read_json(&again, &null, t, bytes_of(copy, random_below(
			       &rng, (uint32_t)json.len + 1)), &error);
		type_read_json(&again, &null, t, bytes_of(copy, json.len),
			       &error);
		mem_free(copy);
	}
	buf_release(&value);
	buf_release(&json);
	buf_release(&again);
	type_put(t);
}
END_TEST

START_TEST(every_failed_allocation_is_survived)
{
	struct type *t = type_named("map<tuple<int, text>, list<address>>");
	struct type_error error;
	int err = -ENOMEM;
	long n;

	for (n = 1; err == -ENOMEM; n++) {
		struct buf value = BUF_INIT;
		bool null;

		mem_fail_at(n, 0);
		err = type_read_json(&value, &null, t, bytes_str(
			"{\"[1, \\\"a\\\"]\": [{\"zip\": 5}]}"), &error);
		mem_fail_at(0, 0);
		if (value.failed)
			err = -ENOMEM;
		buf_release(&value);
	}
	ck_assert_int_eq(err, 0);
	ck_assert_int_gt(n, 10);
	type_put(t);
}
END_TEST

SUITE(json)
{
	TCase *tc = tcase_create("json");

	tcase_add_loop_test(tc, a_value_is_read_and_printed, 0,
			    (int)ARRAY_SIZE(values));
	tcase_add_loop_test(tc, the_form_is_checked, 0,
			    (int)ARRAY_SIZE(forms));
	tcase_add_test(tc, nesting_is_bounded);
	tcase_add_test(tc, a_long_source_is_shown_in_part);
	tcase_add_test(tc, members_come_in_order);
	tcase_add_test(tc, a_name_occurs_once);
	tcase_add_loop_test(tc, a_random_value_survives, 0, 300);
	tcase_add_test(tc, every_failed_allocation_is_survived);
	suite_add_tcase(suite, tc);
}
