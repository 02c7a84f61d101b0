/* Results as text: each form byte for byte. */
#include "store/cql/output/format.h"

#include "store/cql/output/format_value.h"
#include "store/cql/output/format_width.h"
#include "store/type/text/text.h"
#include "tests/unit/suite.h"

static struct bytes read_value(struct buf *out, enum type_kind kind,
			       const char *text)
{
	struct type_error error;

	if (!text)
		return BYTES_NULL;
	buf_clear(out);
	ck_assert_int_eq(type_read_text(out, type_native(kind), bytes_str(text),
					&error), 0);
	return buf_bytes(out);
}

static const struct {
	enum cql_format_kind kind;
	const char *text, *none;
} forms[] = {
	{ CQL_FORMAT_TABLE,
	  "\n k  | a name | \xc3\xa9\n"
	  "----+--------+------\n"
	  "  1 |        |  1.5\n"
	  " 22 |   null | null\n"
	  "  3 | x,\"\\n\xc3\xa9 | -0.1\n"
	  "\n(3 rows)\n",
	  "\n k | a name | \xc3\xa9\n---+--------+---\n\n\n(0 rows)\n" },
	{ CQL_FORMAT_EXPANDED,
	  "\n@ Row 1\n--------+--------\n k      | 1\n a name | \n"
	  " \xc3\xa9      | 1.5\n\n"
	  "@ Row 2\n--------+--------\n k      | 22\n a name | null\n"
	  " \xc3\xa9      | null\n\n"
	  "@ Row 3\n--------+--------\n k      | 3\n a name | x,\"\\n\xc3\xa9\n"
	  " \xc3\xa9      | -0.1\n\n\n(3 rows)\n",
	  "\n k | a name | \xc3\xa9\n---+--------+---\n\n\n(0 rows)\n" },
	{ CQL_FORMAT_JSON,
	  "{\"columns\":[{\"name\":\"k\",\"type\":\"int\"},"
	  "{\"name\":\"a name\",\"type\":\"text\"},"
	  "{\"name\":\"\xc3\xa9\",\"type\":\"double\"}],\"rows\":["
	  "[1,\"\",1.5],[22,null,null],[3,\"x,\\\"\\n\xc3\xa9\",-0.1]]}\n",
	  "{\"columns\":[{\"name\":\"k\",\"type\":\"int\"},"
	  "{\"name\":\"a name\",\"type\":\"text\"},"
	  "{\"name\":\"\xc3\xa9\",\"type\":\"double\"}],\"rows\":[]}\n" },
	{ CQL_FORMAT_RAW,
	  "{\"columns\":[{\"name\":\"k\",\"type\":\"int\"},"
	  "{\"name\":\"a name\",\"type\":\"text\"},"
	  "{\"name\":\"\xc3\xa9\",\"type\":\"double\"}],\"rows\":["
	  "[\"00000001\",\"\",\"3ff8000000000000\"],"
	  "[\"00000016\",null,null],"
	  "[\"00000003\",\"782c220ac3a9\",\"bfb999999999999a\"]]}\n",
	  "{\"columns\":[{\"name\":\"k\",\"type\":\"int\"},"
	  "{\"name\":\"a name\",\"type\":\"text\"},"
	  "{\"name\":\"\xc3\xa9\",\"type\":\"double\"}],\"rows\":[]}\n" },
	{ CQL_FORMAT_NDJSON,
	  "{\"k\": 1, \"a name\": \"\", \"\xc3\xa9\": 1.5}\n"
	  "{\"k\": 22, \"a name\": null, \"\xc3\xa9\": null}\n"
	  "{\"k\": 3, \"a name\": \"x,\\\"\\n\xc3\xa9\", \"\xc3\xa9\": -0.1}\n",
	  "" },
	{ CQL_FORMAT_CSV,
	  "k,a name,\xc3\xa9\n1,\"\",1.5\n22,,\n3,\"x,\"\"\n\xc3\xa9\",-0.1\n",
	  "k,a name,\xc3\xa9\n" },
};

static void format(struct buf *out, enum cql_format_kind kind, bool with_rows)
{
	static const enum type_kind kinds[] = { TYPE_INT, TYPE_TEXT,
						TYPE_DOUBLE };
	static const char *const names[] = { "k", "a name", "\xc3\xa9" };
	static const char *const cells[][3] = {
		{ "1", "", "1.5" }, { "22", NULL, NULL },
		{ "3", "x,\"\n\xc3\xa9", "-0.1" },
	};
	struct buf texts[3] = { BUF_INIT, BUF_INIT, BUF_INIT };
	struct cql_column columns[3];
	struct bytes values[3];
	struct cql_format *f;
	size_t i, row;

	for (i = 0; i < 3; i++)
		columns[i] = (struct cql_column){ bytes_str(names[i]),
						  type_native(kinds[i]) };
	ck_assert_int_eq(cql_format_new(&f, kind, columns, 3, false), 0);
	cql_format_begin(f, out);
	for (row = 0; with_rows && row < 3; row++) {
		for (i = 0; i < 3; i++)
			values[i] = read_value(&texts[i], kinds[i],
					       cells[row][i]);
		cql_format_row(f, out, values);
	}
	cql_format_end(f, out);
	cql_format_free(f);
	for (i = 0; i < 3; i++)
		buf_release(&texts[i]);
}

START_TEST(rows_in_a_form)
{
	struct buf out = BUF_INIT;

	format(&out, forms[_i].kind, true);
	ck_assert_str_eq(buf_cstr(&out), forms[_i].text);
	buf_clear(&out);
	format(&out, forms[_i].kind, false);
	ck_assert_str_eq(buf_cstr(&out), forms[_i].none);
	buf_release(&out);
}
END_TEST

START_TEST(a_statement_without_rows)
{
	static const char *const expected[] = {
		[CQL_FORMAT_TABLE] = "", [CQL_FORMAT_NDJSON] = "",
		[CQL_FORMAT_JSON] = "{\"columns\":[],\"rows\":[]}\n",
		[CQL_FORMAT_CSV] = "", [CQL_FORMAT_EXPANDED] = "",
		[CQL_FORMAT_RAW] = "{\"columns\":[],\"rows\":[]}\n",
	};
	struct buf out = BUF_INIT;
	struct cql_format *f;

	ck_assert_int_eq(cql_format_new(&f, _i, NULL, 0, false), 0);
	cql_format_begin(f, &out);
	cql_format_end(f, &out);
	ck_assert_str_eq(buf_cstr(&out), expected[_i]);
	cql_format_free(f);
	buf_release(&out);
}
END_TEST

START_TEST(a_json_row_and_an_error)
{
	struct cql_column column = { bytes_str("[json]"),
				     type_native(TYPE_TEXT) };
	struct bytes value = bytes_str("{\"k\": 1}");
	struct cql_error error = CQL_ERROR_INIT;
	struct buf out = BUF_INIT;
	struct cql_format *f;

	ck_assert_int_eq(cql_format_new(&f, CQL_FORMAT_NDJSON, &column, 1,
					true), 0);
	cql_format_begin(f, &out);
	cql_format_row(f, &out, &value);
	cql_format_end(f, &out);
	cql_format_free(f);
	ck_assert_str_eq(buf_cstr(&out), "{\"k\": 1}\n");
	buf_clear(&out);
	error.code = CQL_ALREADY_EXISTS;
	error.message = "no \"x\"";
	cql_format_error(&out, CQL_FORMAT_JSON, &error);
	cql_format_error(&out, CQL_FORMAT_TABLE, &error);
	error.line = 1;
	error.column = error.offset = 7;
	error.length = 2;
	cql_format_error(&out, CQL_FORMAT_RAW, &error);
	ck_assert_str_eq(buf_cstr(&out), "{\"error\":{\"code\":"
			 "\"AlreadyExists\",\"message\":\"no \\\"x\\\"\"}}\n"
			 "no \"x\"\n{\"error\":{\"code\":"
			 "\"AlreadyExists\",\"message\":\"no \\\"x\\\"\","
			 "\"line\":1,\"column\":7,\"offset\":7,\"length\":2}}\n");
	buf_release(&out);
}
END_TEST

START_TEST(many_rows_in_pages)
{
	struct cql_column column = { bytes_str("n"), type_native(TYPE_INT) };
	struct buf out = BUF_INIT, value = BUF_INIT;
	struct cql_format *f;
	struct bytes bytes;
	uint32_t i, lines = 0;

	ck_assert_int_eq(cql_format_new(&f, CQL_FORMAT_TABLE, &column, 1,
					false), 0);
	cql_format_begin(f, &out);
	for (i = 0; i < 1201; i++) {
		buf_clear(&value);
		buf_add_be32(&value, i);
		bytes = buf_bytes(&value);
		cql_format_row(f, &out, &bytes);
	}
	ck_assert(strstr(buf_cstr(&out), " 500\n"));	/* not all kept back */
	cql_format_end(f, &out);
	for (i = 0; i < out.len; i++)
		lines += out.ptr[i] == '\n';
	ck_assert_uint_eq(lines, 3 + 1201 + 2);
	cql_format_free(f);
	buf_release(&out);
	buf_release(&value);
}
END_TEST

static const struct {
	enum type_kind kind;
	const char *text, *shown;
} values[] = {
	{ TYPE_BOOLEAN, "true", "True" }, { TYPE_BOOLEAN, "false", "False" },
	{ TYPE_FLOAT, "3.14159265", "3.14159" }, { TYPE_FLOAT, "0", "0" },
	{ TYPE_FLOAT, "99999.99", "99999.99219" },
	{ TYPE_FLOAT, "100000", "1e+05" }, { TYPE_FLOAT, "1e-5", "1e-05" },
	{ TYPE_FLOAT, "-0.0", "-0" },
	{ TYPE_FLOAT, "Infinity", "Infinity" },
	{ TYPE_DOUBLE, "3.14159265358979", "3.14159265359" },
	{ TYPE_DOUBLE, "100000", "100000" }, { TYPE_DOUBLE, "0.1", "0.1" },
	{ TYPE_DOUBLE, "123456.789", "123456.789" },
	{ TYPE_DOUBLE, "1e30", "1e+30" }, { TYPE_DOUBLE, "NaN", "NaN" },
	{ TYPE_DOUBLE, "-Infinity", "-Infinity" },
	{ TYPE_TIMESTAMP, "2016-10-04 12:34:00Z",
	  "2016-10-04 12:34:00.000000+0000" },
	{ TYPE_TIMESTAMP, "-62135596800000", "0001-01-01 00:00:00.000000+0000" },
	{ TYPE_TIMESTAMP, "-62135596800001", "-62135596800001" },
	{ TYPE_TIMESTAMP, "253402300799999",
	  "9999-12-31 23:59:59.999000+0000" },
	{ TYPE_TIMESTAMP, "253402300800000", "253402300800000" },
	{ TYPE_TEXT, "a\tb\x01\a'\\", "a\\tb\\x01\\x07'\\\\" },
	{ TYPE_TEXT, "\xc2\x9b \xc2\xa0 \xc2\xa1",
	  "\\x9b \\xa0 \xc2\xa1" }, { TYPE_BLOB, "0xCA", "0xca" },
	{ TYPE_DATE, "2016-10-04", "2016-10-04" }, { TYPE_DECIMAL, "1.50",
						     "1.50" },
};

START_TEST(a_value_for_people)
{
	struct buf value = BUF_INIT, out = BUF_INIT;
	struct bytes bytes = read_value(&value, values[_i].kind,
					values[_i].text);

	cql_format_value(&out, type_native(values[_i].kind), bytes);
	ck_assert_str_eq(buf_cstr(&out), values[_i].shown);
	buf_release(&value);
	buf_release(&out);
}
END_TEST

START_TEST(a_compound_value_for_people)
{
	struct type *list[] = { type_native(TYPE_TEXT) }, *map[2];
	struct type *type;
	struct type_error error;
	struct buf value = BUF_INIT, out = BUF_INIT;

	map[0] = type_native(TYPE_INT);
	map[1] = type_new(TYPE_LIST, true, list, 1);
	type = type_new(TYPE_MAP, true, map, 2);
	ck_assert_int_eq(type_read_text(&value, type,
					bytes_str("{1: ['it''s'], 2: []}"),
					&error), 0);
	cql_format_value(&out, type, buf_bytes(&value));
	ck_assert_str_eq(buf_cstr(&out), "{1: ['it''s'], 2: []}");
	type_put(type);
	buf_release(&value);
	buf_release(&out);
}
END_TEST

/* Characters that are two places wide on a terminal, and some that are none. */
static const struct {
	const char *text;
	uint32_t width;
} widths[] = {
	{ "", 0 }, { "abc", 3 }, { "\xc3\xa9", 1 },
	{ "\xe6\x97\xa5\xe6\x9c\xac", 4 },		/* U+65E5 U+672C */
	{ "e\xcc\x81", 1 },				/* a combining accent */
	{ "a\xf0\x9f\x98\x80z", 4 },			/* U+1F600 */
	{ "\xe6\x97", 2 }, { "\xff", 1 },		/* no UTF-8 */
};

START_TEST(the_width_of_a_text)
{
	ck_assert_uint_eq(cql_format_width(bytes_str(widths[_i].text)),
			  widths[_i].width);
}
END_TEST

/* Two rows, with a page's end between them when it is for a person. */
static void format_two(struct buf *out, const char *name, bool person)
{
	struct cql_column column = { bytes_str(name), type_native(TYPE_TEXT) };
	struct bytes first = bytes_str("\xe6\x97\xa5"), second = bytes_str("x");
	struct cql_format *f;

	buf_clear(out);
	ck_assert_int_eq(cql_format_new(&f, CQL_FORMAT_TABLE, &column, 1,
					false), 0);
	if (person)
		cql_format_person(f);
	cql_format_begin(f, out);
	cql_format_row(f, out, &first);
	if (person)
		cql_format_page(f, out);
	cql_format_row(f, out, &second);
	cql_format_end(f, out);
	cql_format_free(f);
}

START_TEST(pages_and_counts)
{
	struct buf out = BUF_INIT;

	format_two(&out, "t", false);
	ck_assert_str_eq(buf_cstr(&out), "\n t\n----\n \xe6\x97\xa5\n  x\n"
			 "\n(2 rows)\n");
	format_two(&out, "t", true);
	ck_assert_str_eq(buf_cstr(&out), "\n t\n----\n \xe6\x97\xa5\n"
			 "\n t\n---\n x\n\n(2 rows)\n");
	/* The answer of a conditional write has no count. */
	format_two(&out, "[applied]", false);
	ck_assert_ptr_null(strstr(buf_cstr(&out), "rows"));
	buf_release(&out);
}
END_TEST

SUITE(format)
{
	TCase *tc = tcase_create("format");

	tcase_add_loop_test(tc, rows_in_a_form, 0, ARRAY_SIZE(forms));
	tcase_add_loop_test(tc, a_statement_without_rows, 0, 6);
	tcase_add_test(tc, a_json_row_and_an_error);
	tcase_add_test(tc, many_rows_in_pages);
	tcase_add_loop_test(tc, a_value_for_people, 0, ARRAY_SIZE(values));
	tcase_add_test(tc, a_compound_value_for_people);
	tcase_add_loop_test(tc, the_width_of_a_text, 0, ARRAY_SIZE(widths));
	tcase_add_test(tc, pages_and_counts);
	suite_add_tcase(suite, tc);
}
