/* A text in statements: whole, and in pieces of every size. */
#include "store/cql/syntax/statement_end.h"
#include "store/cql/syntax/statement_text.h"

#include "tests/unit/suite.h"

static const struct {
	const char *text;
	const char *statements[8];	/* "" for an empty one */
} texts[] = {
	{ "", { NULL } },
	{ " \n-- nothing\n/* at ; all */ // here;", { NULL } },
	{ "a", { "a" } }, { "a;", { "a;" } }, { " a ; b ", { "a ;", "b " } },
	{ ";;a;", { "", "", "a;" } },
	{ "'a;';b", { "'a;';", "b" } }, { "'it''s;' x;b", { "'it''s;' x;", "b" } },
	{ "\"a;\"\";\";b;", { "\"a;\"\";\";", "b;" } },
	{ "$$a;'$;$$;b;", { "$$a;'$;$$;", "b;" } },
	{ "a -- ;\n;b", { "a -- ;\n;", "b" } },
	{ "a // ;'\r;b", { "a // ;'\r;", "b" } },
	{ "a /* ;' * / */;b", { "a /* ;' * / */;", "b" } },
	{ "a - b / c * d $ e;f", { "a - b / c * d $ e;", "f" } },
	{ "-- c\na;", { "a;" } },
	{ "begin batch a; b;\napply batch; c;",
	  { "begin batch a; b;\napply batch;", "c;" } },
	{ "BEGIN UNLOGGED /* x */ BATCH a; APPLY -- y\nBATCH ;c",
	  { "BEGIN UNLOGGED /* x */ BATCH a; APPLY -- y\nBATCH ;", "c" } },
	{ "BEGIN COUNTER BATCH a; APPLY BATCH",
	  { "BEGIN COUNTER BATCH a; APPLY BATCH" } },
	{ "BEGIN BATCH 'apply batch;'; x.apply; APPLY BATCH; y",
	  { "BEGIN BATCH 'apply batch;'; x.apply; APPLY BATCH;", "y" } },
	{ "BEGIN x; BATCH y;", { "BEGIN x;", "BATCH y;" } },
	{ "BEGIN 'x' BATCH y; z;", { "BEGIN 'x' BATCH y;", "z;" } },
	{ "\"BEGIN\" BATCH a; b;", { "\"BEGIN\" BATCH a;", "b;" } },
	{ "x BEGIN BATCH a; b;", { "x BEGIN BATCH a;", "b;" } },
	{ "BEGINS BATCH a; b;", { "BEGINS BATCH a;", "b;" } },
	{ "'open; a;", { "'open; a;" } }, { "a; $$x; $", { "a;", "$$x; $" } },
	{ "a; /* x; *", { "a;", "/* x; *" } },
	{ "/* x", { "/* x" } }, { "-- x", { NULL } }, { " /* x */ ", { NULL } },
	{ "/* a */ /* b; ", { "/* b; " } }, { "a /", { "a /" } }, { "a -", { "a -" } },
	{ "\xc3\xa9;b;", { "\xc3\xa9;", "b;" } },
};

/* Give the text in pieces of size bytes, as they come from a pipe. */
static void split_in_pieces(const char *whole, size_t size,
			    const char *const *expected)
{
	struct bytes text = bytes_str(whole), statement;
	size_t given = 0, used;
	struct cql_split s;

	cql_split_init(&s);
	for (;;) {
		bool last = given == text.len;
		int found = cql_split_next(&s, bytes_of(text.ptr, given), last,
					   &statement, &used);

		if (found) {
			ck_assert_msg(*expected &&
				      bytes_equal(statement,
						  bytes_str(*expected)),
				      "<%s> by %zu: <%.*s>", whole, size,
				      (int)statement.len,
				      (const char *)statement.ptr);
			expected++;
			text.ptr += used;
			text.len -= used;
			given -= used;
			cql_split_init(&s);
		} else if (last) {
			break;
		} else {
			given += size;
			if (given > text.len)
				given = text.len;
		}
	}
	ck_assert_msg(!*expected, "<%s> by %zu ends before %s", whole, size,
		      *expected);
}

START_TEST(a_text_in_pieces)
{
	size_t size;

	for (size = 1; size < 20; size++)
		split_in_pieces(texts[_i].text, size, texts[_i].statements);
	split_in_pieces(texts[_i].text, 1000, texts[_i].statements);
}
END_TEST

static const struct {
	const char *text;
	enum cql_split_inside inside;
} prompts[] = {
	{ "", CQL_SPLIT_NOTHING }, { " -- x\n", CQL_SPLIT_NOTHING },
	{ "a ", CQL_SPLIT_STATEMENT }, { "a 'b", CQL_SPLIT_STRING },
	{ "a $$b", CQL_SPLIT_STRING }, { "a \"b", CQL_SPLIT_NAME },
	{ "a /* b", CQL_SPLIT_COMMENT },
	{ "BEGIN BATCH a; ", CQL_SPLIT_BATCH },
	{ "BEGIN BATCH a; APPLY ", CQL_SPLIT_BATCH },
	{ "BEGIN BATCH a; APPLY BATCH ", CQL_SPLIT_STATEMENT },
};

START_TEST(the_place_within_a_statement)
{
	struct bytes statement;
	struct cql_split s;
	size_t used;

	cql_split_init(&s);
	ck_assert_int_eq(cql_split_next(&s, bytes_str(prompts[_i].text), false,
					&statement, &used), 0);
	ck_assert_int_eq(cql_split_inside(&s), prompts[_i].inside);
}
END_TEST

/* Statements with keyspace k in them, and the same with "B" for it. */
static const struct {
	const char *text, *renamed;
	const char *created;	/* the keyspace that it creates; or NULL */
} renames[] = {
	{ "CREATE KEYSPACE k WITH x = 'k.k';", "CREATE KEYSPACE \"B\" WITH x = 'k.k';", "k" },
	{ "create keyspace if not exists \"k\"", "create keyspace if not exists \"B\"", "k" },
	{ "CREATE KEYSPACE K", "CREATE KEYSPACE \"B\"", "k" },
	{ "CREATE KEYSPACE \"K\"", "CREATE KEYSPACE \"K\"", "K" },
	{ "CREATE KEYSPACE exists", "CREATE KEYSPACE exists", "exists" },
	{ "CREATE /* k.t */ TABLE k /* k. */ . k (k frozen<k.k>, PRIMARY KEY (k))",
	  "CREATE /* k.t */ TABLE \"B\" /* k. */ . k (k frozen<\"B\".k>, PRIMARY KEY (k))", NULL },
	{ "CREATE INDEX k ON k.k (k)", "CREATE INDEX k ON \"B\".k (k)", NULL },
	{ "ALTER TABLE kk.k ADD k int", "ALTER TABLE kk.k ADD k int", NULL },
	{ "USE k", "USE \"B\"", NULL },
	{ "DROP KEYSPACE IF EXISTS k;", "DROP KEYSPACE IF EXISTS \"B\";", NULL },
	{ "", "", NULL }, { "CREATE KEYSPACE", "CREATE KEYSPACE", NULL }, { "k. 'open", "\"B\". 'open", NULL },
};

START_TEST(the_keyspace_of_a_statement)
{
	struct bytes text = bytes_str(renames[_i].text), created;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;

	created = cql_statement_created_keyspace(&arena, text);
	if (renames[_i].created)
		ck_assert(bytes_equal(created, bytes_str(renames[_i].created)));
	else
		ck_assert(bytes_is_null(created));
	cql_statement_rename_keyspace(&out, text, bytes_str("k"), bytes_str("B"));
	ck_assert_str_eq(buf_cstr(&out), renames[_i].renamed);
	buf_release(&out);
	arena_release(&arena);
}
END_TEST

static const struct {
	const char *text;
	enum cql_to_table does;
	const char *table;
} tables[] = {
	{ "CREATE TABLE t (", CQL_CREATES_TABLE, "t" },
	{ "create table IF NOT EXISTS \"K\" . \"T\" (a int)", CQL_CREATES_TABLE, "T" },
	{ "ALTER /* x */ TABLE k.t ADD c int", CQL_ALTERS_TABLE, "t" },
	{ "ALTER TABLE IF EXISTS t DROP c", CQL_ALTERS_TABLE, "t" },
	{ "DROP TABLE IF EXISTS k.t", CQL_ALTERS_TABLE, "t" },
	{ "CREATE INDEX ON t (c)", CQL_INDEXES_TABLE, "t" },
	{ "create custom index IF NOT EXISTS i ON \"K\".\"T\" (c)", CQL_INDEXES_TABLE, "T" },
	{ "CREATE INDEX \"ON\" ON k.t (c)", CQL_INDEXES_TABLE, "t" },
	{ "CREATE INDEX IF NOT EXISTS ON t (c)", CQL_INDEXES_TABLE, "t" },
	{ "DROP TYPE t", CQL_CREATES_TABLE, NULL },
	{ "CREATE TYPE t (a int)", CQL_CREATES_TABLE, NULL },
	{ "DROP INDEX t", CQL_CREATES_TABLE, NULL },
	{ "ALTER KEYSPACE t WITH x = 1", CQL_CREATES_TABLE, NULL },
	{ "CREATE INDEX i", CQL_CREATES_TABLE, NULL },
	{ "CREATE INDEX ON", CQL_CREATES_TABLE, NULL },
	{ "CREATE INDEX i ON k.;", CQL_CREATES_TABLE, NULL },
	{ "CREATE CUSTOM", CQL_CREATES_TABLE, NULL },
	{ "CREATE TABLE", CQL_CREATES_TABLE, NULL },
	{ "ALTER TABLE k.", CQL_CREATES_TABLE, NULL },
	{ "", CQL_CREATES_TABLE, NULL },
};

START_TEST(the_table_of_a_statement)
{
	static const enum cql_to_table all[] = {
		CQL_CREATES_TABLE, CQL_ALTERS_TABLE, CQL_INDEXES_TABLE,
	};
	struct arena arena = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct bytes got = cql_statement_table(
			&arena, bytes_str(tables[_i].text), all[i]);

		if (tables[_i].table && all[i] == tables[_i].does)
			ck_assert(bytes_equal(got, bytes_str(tables[_i].table)));
		else
			ck_assert(bytes_is_null(got));
	}
	arena_release(&arena);
}
END_TEST

SUITE(split)
{
	TCase *tc = tcase_create("split");

	tcase_add_loop_test(tc, the_keyspace_of_a_statement, 0, ARRAY_SIZE(renames));
	tcase_add_loop_test(tc, the_table_of_a_statement, 0, ARRAY_SIZE(tables));
	tcase_add_loop_test(tc, a_text_in_pieces, 0, ARRAY_SIZE(texts));
	tcase_add_loop_test(tc, the_place_within_a_statement, 0,
			    ARRAY_SIZE(prompts));
	suite_add_tcase(suite, tc);
}
