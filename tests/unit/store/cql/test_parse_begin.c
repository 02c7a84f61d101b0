/* Texts that can no longer begin a statement, and those that can. */
#include "store/cql/syntax/parse.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/random.h"
#include "tests/lib/vectors.h"
#include "tests/unit/suite.h"

#define FOLDER "tests/vectors/"
static glob_t files;

/* Texts that no end makes a statement of, and where that is told; NULL: it may
 * continue. */
static const struct {
	const char *text, *message;
} begins[] = {
	{ "SELEC\n", "line 1:0 expected a statement, found 'SELEC'" },
	{ "SELEC", NULL }, { "", NULL }, { "\n", NULL }, { "-- x\n", NULL },
	{ "/* x", NULL }, { "'x", NULL }, { "\"x", NULL }, { "SEL\xc3", NULL },
	{ "42 ", "line 1:0 expected a statement, found '42'" },
	{ "-- x\nSELECT * FORM t ", "line 2:9 expected FROM, found 'FORM'" },
	{ "SELECT * FORM", NULL }, { "SELECT * FROM t WHERE (a, b", NULL },
	{ "SELECT * FROM t WHERE a = 'x", NULL },
	{ "INSERT INTO t (a) VALUE (1)",
	  "line 1:18 expected VALUES, found 'VALUE'" },
	{ "BEGIN BATCH DELETE FROM t WHERE k = 1; SELECT ",
	  "line 1:39 expected APPLY BATCH, found 'SELECT'" },
	{ "SELECT * FROM t; x ",
	  "line 1:17 expected the end of the statement, found 'x'" },
	{ "CREATE TABLE t (,\n", "line 1:16 expected a column, found ','" },
	{ "CREATE TABLE t (a 5\n", "line 1:18 expected a type, found '5'" },
	{ "CREATE INDEX ON t (,\n", "line 1:19 expected a column, found ','" },
	{ "UPDATE t SET a = =\n", "line 1:17 expected a value, found '='" },
};

START_TEST(a_text_that_begins_a_statement)
{
	struct arena arena = ARENA_INIT;
	struct cql_error error;
	int err = cql_parse_begin(&arena, bytes_str(begins[_i].text), &error);

	ck_assert_int_eq(err, begins[_i].message ? -EINVAL : 0);
	ck_assert_str_eq(error.message,
			 begins[_i].message ? begins[_i].message : "");
	arena_release(&arena);
}
END_TEST

static bool is_statement(struct bytes text)
{
	struct arena arena = ARENA_INIT;
	struct statement *s;
	struct cql_error error;
	int err = cql_parse(&arena, &s, text, NULL, &error);

	arena_release(&arena);
	return !err;
}

/* Check that the first length bytes of a statement are not refused. */
static void check_begin(struct bytes text, size_t length)
{
	struct arena arena = ARENA_INIT;
	struct cql_error error;
	struct bytes begin = arena_copy(&arena, bytes_of(text.ptr, length));

	ck_assert_msg(!cql_parse_begin(&arena, begin, &error),
		      "%.*s<here>%.*s: %s", (int)length,
		      (const char *)text.ptr, (int)(text.len - length),
		      (const char *)text.ptr + length, error.message);
	arena_release(&arena);
}

/* Cut a statement at every byte, or a longer one at so many random places. */
static void check_begins(struct bytes text, size_t cuts, struct random *r)
{
	if (text.len <= cuts) {
		for (size_t i = 0; i <= text.len; i++)
			check_begin(text, i);
		return;
	}
	for (size_t i = 0; i < cuts; i++)
		check_begin(text, random_below(r, (uint32_t)text.len));
	check_begin(text, text.len);
}

/* _i: the file of recorded statements. */
START_TEST(no_beginning_of_a_statement_is_refused)
{
	struct random r = random_seeded(test_seed() + (uint64_t)_i);
	size_t cuts = (size_t)test_scale(30) * (size_t)test_rounds();
	const char *path = files.gl_pathv[_i];
	struct vectors file;
	struct vector v;
	char name[64];

	ck_assert_int_eq(sscanf(path, FOLDER "%63[^.]", name), 1);
	vectors_open(&file, name);
	while (vectors_next(&file, &v))
		if (!bytes_is_null(v.cql) && is_statement(v.cql))
			check_begins(v.cql, cuts, &r);
	vectors_close(&file);
}
END_TEST

SUITE(parse_begin)
{
	TCase *tc = tcase_create("begin");

	if (glob(FOLDER "*.jsonl", 0, NULL, &files) ||
	    glob(FOLDER "random/*.jsonl", GLOB_APPEND, NULL, &files)) {
		perror(FOLDER);
		exit(EXIT_FAILURE);
	}
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_text_that_begins_a_statement, 0,
			    ARRAY_SIZE(begins));
	tcase_add_loop_test(tc, no_beginning_of_a_statement_is_refused, 0,
			    (int)files.gl_pathc);
	suite_add_tcase(suite, tc);
}
