/* Rows as lines: what is printed is read again, in both forms; refusals. */
#include <errno.h>

#include "store/document/line.h"
#include "tests/lib/answers.h"
#include "tests/lib/fuzz.h"
#include "tests/lib/native.h"
#include "tests/lib/store.h"
#include "tests/lib/values.h"
#include "tests/unit/suite.h"

static struct test_store t;
static struct cql_session *session;
static struct table *table;

static void run(const char *statement)
{
	ck_assert_int_eq(answer_to(session, statement, NULL), 0);
}

static void open_store(void)
{
	test_store_open(&t);
	ck_assert_int_eq(cql_session_new(&session, t.store), 0);
	run(TEST_KEYSPACE);
	run("USE k");
}

static void close_store(void)
{
	table_put(table);
	table = NULL;
	cql_session_free(session);
	test_store_close(&t);
}

static void use_table(const char *statement)
{
	run(statement);
	table_put(table);
	table = test_table(t.store, "k", "t");
}

/* ------------------------------------------------------------------- lines */
/* Write the lines of a text; what was refused is in why ("" if nothing). */
static int write_lines(enum row_form form, const struct line_place *place,
		       struct bytes text, char why[2000])
{
	static const struct line_place of_table;
	struct arena arena = ARENA_INIT;
	struct line_row rows[100];
	struct line_reader r;
	struct write w;
	bool quoted = false;
	size_t len, count = 0, done = 0, taken;
	int got = 0;

	ck_assert_int_eq(line_reader_init(&r, table, form,
					  place ? place : &of_table, &arena),
			 0);
	while (got >= 0 && (len = line_length(form, text, &quoted))) {
		got = line_read(&r, bytes_of(text.ptr, len), &rows[count]);
		count += got > 0;
		text = bytes_of(text.ptr + len, text.len - len);
	}
	strcpy(why, got < 0 ? r.error.text : "");
	while (got >= 0 && done < count) {
		write_init(&w, t.store);
		ck_assert_int_eq(line_rows_collect(&w, table, rows + done,
						   count - done, &taken), 0);
		ck_assert_int_eq(commit_write(&w), 0);
		write_release(&w);
		done += taken;
	}
	line_reader_release(&r);
	arena_release(&arena);
	return got < 0 ? got : 0;
}

static void takes(enum row_form form, const char *text)
{
	char why[2000];
	int err = write_lines(form, NULL, bytes_str(text), why);

	ck_assert_msg(!err, "%s", why);
}

static void refuses(enum row_form form, const char *text, const char *reason)
{
	char why[2000];

	ck_assert_int_eq(write_lines(form, NULL, bytes_str(text), why),
			 -EINVAL);
	ck_assert_str_eq(why, reason);
}

/* Print the whole table as lines. */
static void print(struct buf *out, enum row_form form)
{
	struct cursor *cursor;
	struct row_text text;
	struct row_view row;
	struct query q;
	int more;

	query_init(&q, table);
	q.with_statics = q.static_only_rows = true;
	q.now_s = 1;
	ck_assert_int_eq(table_query(&cursor, t.store, &q), 0);
	ck_assert_int_eq(row_text_init(&text, table, form), 0);
	row_text_head(&text, out);
	while ((more = cursor_next(cursor, &row)) > 0) {
		ck_assert_int_eq(row_text_add(&text, out, &row, row.statics,
					      row.static_count), 0);
		buf_add_byte(out, '\n');
	}
	ck_assert_int_eq(more, 0);
	row_text_release(&text);
	cursor_close(cursor);
}

static void shows(enum row_form form, const char *expected)
{
	struct buf out = BUF_INIT;

	print(&out, form);
	ck_assert_str_eq(buf_cstr(&out), expected);
	buf_release(&out);
}

/* ------------------------------------------------------------------- tests */
START_TEST(lines_of_json)
{
	use_table("CREATE TABLE t (p int, c text, s text STATIC, a int, "
		  "m map<text, int>, PRIMARY KEY (p, c))");
	takes(ROW_JSON, "{\"p\": 1, \"c\": \"x\", \"a\": 5, \"m\": {\"z\": 1}}\n"
			"\n  \r\n"
			"{ \"c\":\"y\",\"p\":1,\"s\":\"of all\" }\r\n"
			"{\"p\": 2, \"s\": \"alone\"}\n");
	shows(ROW_JSON,
	      "{\"p\": 1, \"c\": \"x\", \"s\": \"of all\", \"a\": 5, "
	      "\"m\": {\"z\": 1}}\n"
	      "{\"p\": 1, \"c\": \"y\", \"s\": \"of all\"}\n"
	      "{\"p\": 2, \"s\": \"alone\"}\n");
	/* Only what is given; null deletes; of two lines the later wins. */
	takes(ROW_JSON, "{\"p\": 1, \"c\": \"x\", \"a\": null}\n"
			"{\"p\": 1, \"c\": \"y\", \"a\": 1, \"m\": {\"a\": 1}}\n"
			"{\"p\": 1, \"c\": \"y\", \"a\": 0, \"m\": {\"b\": 2}}\n"
			"{\"p\": 2, \"s\": null}\n");
	shows(ROW_JSON,
	      "{\"p\": 1, \"c\": \"x\", \"s\": \"of all\", "
	      "\"m\": {\"z\": 1}}\n"
	      "{\"p\": 1, \"c\": \"y\", \"s\": \"of all\", \"a\": 0, "
	      "\"m\": {\"b\": 2}}\n");
}
END_TEST

START_TEST(records_of_csv)
{
	use_table("CREATE TABLE t (p int, c text, s text STATIC, a int, "
		  "b text, PRIMARY KEY (p, c))");
	takes(ROW_CSV, "c,p,b\r\nx,1,\"a \"\"quote\"\", and\na line\"\r\n"
		       "y,1,\"\"\n\nz,1,\n");
	shows(ROW_CSV, "p,c,s,a,b\n"
		       "1,x,,,\"a \"\"quote\"\", and\na line\"\n"
		       "1,y,,,\"\"\n1,z,,,\n");
	/* An empty field deletes; a record without its row is of the
	 * statics. */
	takes(ROW_CSV, "p,c,s,a,b\n1,y,,7,\n2,,\" \",,\n");
	shows(ROW_CSV, "p,c,s,a,b\n"
		       "1,x,,,\"a \"\"quote\"\", and\na line\"\n"
		       "1,y,,7,\n1,z,,,\n2,, ,,\n");
}
END_TEST

START_TEST(invalid_documents_are_refused)
{
	use_table("CREATE TABLE t (p int, c text, s text STATIC, a int, "
		  "b text, PRIMARY KEY (p, c))");
	refuses(ROW_JSON, "{\"p\": 1, \"c\": \"x\", \"a\": \"five\"}\n",
		"a: Unable to make int from 'five'");
	refuses(ROW_JSON, "{\"p\": 1, \"c\": \"x\", \"a\": 2147483648}\n",
		"a: Expected an int value, but got an integer: 2147483648");
	refuses(ROW_JSON, "{\"p\": 1, \"c\": \"x\", \"aa\": 1}\n",
		"there is no column 'aa'");
	refuses(ROW_JSON, "{\"c\": \"x\", \"a\": 1}\n",
		"p is missing: it is of the key");
	refuses(ROW_JSON, "{\"p\": 1, \"a\": 1}\n",
		"c is missing: it is of the key");
	refuses(ROW_JSON, "{\"p\": 1}\n", "c is missing: it is of the key");
	refuses(ROW_JSON, "{\"p\": null, \"c\": \"x\"}\n",
		"p is null, and is of the key");
	refuses(ROW_JSON, "{\"p\": 1, \"c\": \"x\"\n",
		"Unexpected end-of-input: expected close marker for Object "
		"(column 18)");
	refuses(ROW_JSON, "{\"p\": 1, \"c\": \"x\"} {}\n",
		"Unexpected character ('{' (code 123)): expected the end "
		"(column 21)");
	refuses(ROW_JSON, "[1]\n", "Cannot deserialize: expected an Object "
				   "(column 4)");
	refuses(ROW_CSV, "p,c,zz\n1,x,1\n",
		"there is no column 'zz'; the first line names the columns");
	refuses(ROW_CSV, "p,c,p\n", "the first line names p twice");
	refuses(ROW_CSV, "p,c,a\n1,x\n",
		"a line has fewer fields than the first, which has 3");
	refuses(ROW_CSV, "p,c,a\n1,x,2,3\n",
		"a line has more fields than the first, which has 3");
	refuses(ROW_CSV, "p,c,b\n1,x,a\"b\"\n",
		"a quote is in a field that has none around it");
	refuses(ROW_CSV, "p,c,b\n1,x,\"a\"b\n",
		"there is text between a field in quotes and its comma");
	refuses(ROW_CSV, "p,c,a\n1,x,five\n",
		"a: Unable to make int from 'five'");
	shows(ROW_CSV, "p,c,s,a,b\n");
	run("CREATE TABLE u (p text PRIMARY KEY)");
	table_put(table);
	table = test_table(t.store, "k", "u");
	refuses(ROW_JSON, "{\"p\": \"\"}\n", "Key may not be empty");
}
END_TEST

START_TEST(a_place_gives_the_key)
{
	uint8_t key[4] = { 0, 0, 0, 1 };
	struct bytes c = bytes_str("x");
	struct line_place place = { bytes_of(key, 4), &c, 1 };
	char why[2000];

	use_table("CREATE TABLE t (p int, c text, d int, a int, "
		  "PRIMARY KEY (p, c, d))");
	ck_assert_int_eq(write_lines(ROW_JSON, &place,
				     bytes_str("{\"d\": 1, \"a\": 2}\n"
					       "{\"d\": 2, \"p\": 1}\n"),
				     why), 0);
	shows(ROW_CSV, "p,c,d,a\n1,x,1,2\n1,x,2,\n");
	ck_assert_int_eq(write_lines(ROW_JSON, &place,
				     bytes_str("{\"d\": 1, \"p\": 2}\n"), why),
			 -EINVAL);
	ck_assert_str_eq(why, "p is another than that of the path");
	ck_assert_int_eq(write_lines(ROW_CSV, &place,
				     bytes_str("d,c\n1,y\n"), why), -EINVAL);
	ck_assert_str_eq(why, "c is another than that of the path");
}
END_TEST

/* Rows that somebody wrote with later timestamps are replaced too. */
START_TEST(later_timestamps_are_replaced)
{
	use_table("CREATE TABLE t (p int PRIMARY KEY, a int, l list<int>)");
	run("INSERT INTO t (p, a, l) VALUES (1, 1, [1, 2]) "
	    "USING TIMESTAMP 9000000000000000");
	takes(ROW_JSON, "{\"p\": 0, \"a\": 1}\n{\"p\": 1, \"a\": 2}\n"
			"{\"p\": 1, \"a\": 3, \"l\": [3]}\n"
			"{\"p\": 0, \"a\": 2}\n");
	shows(ROW_CSV, "p,a,l\n1,3,[3]\n0,2,\n");
}
END_TEST

static const char *const types[] = {
	"ascii", "bigint", "blob", "boolean", "date", "decimal", "double",
	"duration", "float", "inet", "int", "smallint", "text", "time",
	"timestamp", "timeuuid", "tinyint", "uuid", "varint", "list<int>",
	"frozen<map<text, double>>", "set<text>", "map<double, text>",
	"tuple<int, text>", "vector<float, 3>",
};

static void make_wide_table(void)
{
	struct buf text = BUF_INIT;
	size_t i;

	buf_add_str(&text, "CREATE TABLE t (p text, \"C\" bigint, st text "
			   "STATIC");
	for (i = 0; i < ARRAY_SIZE(types); i++)
		buf_add_format(&text, ", v%zu %s", i, types[i]);
	buf_add_str(&text, ", PRIMARY KEY (p, \"C\"))");
	use_table(buf_cstr(&text));
	buf_release(&text);
}

static void random_of(struct buf *out, struct random *rng, const struct type *of)
{
	struct type *frozen;

	if (kind_is_native(of->kind)) {
		native_random(out, rng, of->kind);
		return;
	}
	frozen = type_frozen((struct type *)of);
	random_value(out, rng, frozen, true);
	type_put(frozen);
}

static void write_random(struct random *rng, uint32_t count)
{
	struct arena arena = ARENA_INIT;
	struct buf value = BUF_INIT;
	struct line_row row;
	struct write w;
	size_t taken;
	uint32_t i;

	while (count--) {
		struct line_value values[64];
		struct bytes *key = arena_alloc(&arena, sizeof(*key));

		buf_clear(&value);
		random_of(&value, rng, table->columns[1].type);
		*key = arena_copy(&arena, buf_bytes(&value));
		row = (struct line_row){ bytes_str(count % 3 ? "a,\"" : "b\n"),
					 key, values, 0 };
		for (i = 2; i < table->column_count; i++) {
			const struct column *c = &table->columns[i];

			if (!random_below(rng, 4))
				continue;
			buf_clear(&value);
			random_of(&value, rng, c->type);
			values[row.count++] = (struct line_value){
				c, arena_copy(&arena, value.len ?
						      buf_bytes(&value) :
						      BYTES_EMPTY) };
		}
		write_init(&w, t.store);
		ck_assert_int_eq(line_rows_collect(&w, table, &row, 1, &taken),
				 0);
		ck_assert_int_eq(commit_write(&w), 0);
		write_release(&w);
	}
	buf_release(&value);
	arena_release(&arena);
}

START_TEST(random_rows_come_back)	/* _i is the seed */
{
	struct random rng = random_seeded((uint64_t)_i);
	enum row_form form = _i % 2 ? ROW_JSON : ROW_CSV;
	struct buf before = BUF_INIT, after = BUF_INIT;
	char why[2000];
	int err;

	make_wide_table();
	write_random(&rng, 8);
	print(&before, form);
	run("TRUNCATE t");
	err = write_lines(form, NULL, buf_bytes(&before), why);
	ck_assert_msg(!err, "%s", why);
	print(&after, form);
	ck_assert_str_eq(buf_cstr(&after), buf_cstr(&before));
	buf_release(&before);
	buf_release(&after);
}
END_TEST

/* The fast scanner reads a line as the general reader does. */
START_TEST(both_readers_agree)	/* _i is the seed */
{
	static const char *const members[] = {
		"\"a\": ", "\"c\":", "\"d\": ", "\"d\" : ", "\"b\": ",
		"\"\\\"Up\\\"\": ", "\"S\": ", "\"u\": ", "\"t\": ", "\"x\": ",
	};
	static const char *const values[] = {
		"true", "false", "null", "\"a\\n\"", "\"\xc3\xbc\"", "\"\"", "-0",
		"-0.0", "0.5", "1e3", "2147483648", "-129", "127", "\"NaN\"",
		"\"0x41\"", "[1]", "01", "1.", "\"2020-01-01\"",
		"9223372036854775807", "-9223372036854775808",
		"0.10000000000000001", "123456789012345.6",
		"\"00000000-0000-1000-8000-000000000001\"",
	};
	struct random rng = random_seeded((uint64_t)_i);
	struct buf text = BUF_INIT;
	int i, n;

	for (i = 0; i < 200; i++) {
		buf_clear(&text);
		buf_add_str(&text, "1{\"p\": \"k\"");
		for (n = (int)random_below(&rng, 6); n; n--) {
			buf_add_str(&text, ", ");
			buf_add_str(&text, members[random_below(&rng,
						ARRAY_SIZE(members))]);
			if (random_below(&rng, 2))
				buf_add_str(&text, values[random_below(&rng,
						ARRAY_SIZE(values))]);
			else
				buf_add_format(&text, "%s%u.%0*u",
					       random_below(&rng, 2) ? "-" : "",
					       random_below(&rng, 1000),
					       1 + (int)random_below(&rng, 9),
					       random_below(&rng, 1000000));
		}
		buf_add_str(&text, ", \"c\": 1}\n");
		fuzz_lines(buf_bytes(&text));
	}
	buf_release(&text);
}
END_TEST

START_TEST(ends_of_lines)
{
	bool quoted = false;

	ck_assert_uint_eq(line_length(ROW_JSON, bytes_str("a\"\nb\n"), &quoted),
			  3);
	ck_assert_uint_eq(line_length(ROW_JSON, bytes_str("a"), &quoted), 0);
	ck_assert_uint_eq(line_length(ROW_CSV, bytes_str("a,\"\n\"\"\n"),
				      &quoted), 0);
	ck_assert(quoted);
	/* The line goes on within the quotes. */
	ck_assert_uint_eq(line_length(ROW_CSV, bytes_str("\n\",b\nc\n"),
				      &quoted), 5);
	ck_assert(!quoted);
}
END_TEST

START_TEST(odd_names_come_back)
{
	static const char line[] =
		"{\"p\": 1, \"\\\"\\\"y\\\"\\\"\": 2, "
		"\"\\\"U\\\"q\\\"\": 3, \"s\\\"q\": 4}\n";

	use_table("CREATE TABLE t (p int PRIMARY KEY, \"\"\"y\"\"\" int, "
		  "\"U\"\"q\" int, \"s\"\"q\" int)");
	takes(ROW_JSON, line);
	shows(ROW_JSON, line);
}
END_TEST

/* A short line of a wide table takes little memory. */
START_TEST(wide_tables)
{
	static const struct line_place of_table;
	struct arena arena = ARENA_INIT;
	struct buf create = BUF_INIT;
	struct line_reader r;
	struct line_row row;
	int i;

	buf_add_str(&create, "CREATE TABLE t (p int PRIMARY KEY");
	for (i = 0; i < 1000; i++)
		buf_add_format(&create, ", c%d int", i);
	buf_add_str(&create, ")");
	use_table(buf_cstr(&create));
	buf_release(&create);
	ck_assert_int_eq(line_reader_init(&r, table, ROW_JSON, &of_table,
					  &arena), 0);
	for (i = 0; i < 1000; i++)
		ck_assert_int_eq(line_read(&r,
					   bytes_str("{\"p\": 1, \"c7\": 2}"),
					   &row), 1);
	ck_assert_uint_eq(row.count, 1);
	ck_assert_str_eq(row.values[0].column->name, "c7");
	/* Room for all columns would be 24 MB. */
	ck_assert_uint_lt(arena.total, 1 << 20);
	line_reader_release(&r);
	arena_release(&arena);
}
END_TEST

SUITE(document)
{
	TCase *tc = tcase_create("lines");

	tcase_add_checked_fixture(tc, open_store, close_store);
	tcase_add_test(tc, lines_of_json);
	tcase_add_test(tc, records_of_csv);
	tcase_add_test(tc, invalid_documents_are_refused);
	tcase_add_test(tc, a_place_gives_the_key);
	tcase_add_test(tc, later_timestamps_are_replaced);
	tcase_add_loop_test(tc, random_rows_come_back, 1, test_scale(41));
	tcase_add_loop_test(tc, both_readers_agree, 1, test_scale(41));
	tcase_add_test(tc, ends_of_lines);
	tcase_add_test(tc, odd_names_come_back);
	tcase_add_test(tc, wide_tables);
	suite_add_tcase(suite, tc);
}
