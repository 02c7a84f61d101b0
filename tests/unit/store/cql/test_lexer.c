/* Tokens: what Cassandra's lexer makes of a text, and where it fails. */
#include "store/cql/syntax/lexer.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/schema/schema.h"
#include "tests/unit/suite.h"

static const struct {
	const char *text;
	uint8_t kinds[12];	/* up to END */
} cuts[] = {
	{ "", { TOKEN_END } },
	{ "  -- all\n/* of\nit */ // is blank", { TOKEN_END } },
	{ "--", { TOKEN_END } },
	{ "a_1 A", { TOKEN_IDENTIFIER, TOKEN_IDENTIFIER } },
	{ "select SELECT sElEcT", { KEYWORD_SELECT, KEYWORD_SELECT,
				    KEYWORD_SELECT } },
	{ "table columnfamily TABLES ColumnFamilies",
	  { KEYWORD_TABLE, KEYWORD_TABLE, KEYWORD_TABLES, KEYWORD_TABLES } },
	{ "selec selectt sel_ect", { TOKEN_IDENTIFIER, TOKEN_IDENTIFIER,
				     TOKEN_IDENTIFIER } },
	{ "true FALSE", { TOKEN_BOOLEAN, TOKEN_BOOLEAN } },
	{ "'a''b' '' $$it's$$ $$$$", { TOKEN_STRING, TOKEN_STRING, TOKEN_STRING,
				       TOKEN_STRING } },
	{ "\"a\"\"b\" \"\" \"\"\"\"", { TOKEN_QUOTED_NAME,
					TOKEN_EMPTY_QUOTED_NAME,
					TOKEN_QUOTED_NAME } },
	{ "1 -1 007 - 1", { TOKEN_INTEGER, TOKEN_INTEGER, TOKEN_INTEGER,
			    TOKEN_MINUS, TOKEN_INTEGER } },
	{ "k-1", { TOKEN_IDENTIFIER, TOKEN_INTEGER } },
	{ "1. 1.5 -1.5e3 1e+3 1.e3 1E-3", { TOKEN_FLOAT, TOKEN_FLOAT,
					    TOKEN_FLOAT, TOKEN_FLOAT,
					    TOKEN_FLOAT, TOKEN_FLOAT } },
	{ "1..2", { TOKEN_INTEGER, TOKEN_RANGE, TOKEN_INTEGER } },
	{ "1...2", { TOKEN_FLOAT, TOKEN_RANGE, TOKEN_INTEGER } },
	{ "1.2.3 .5", { TOKEN_FLOAT, TOKEN_DOT, TOKEN_INTEGER, TOKEN_DOT,
			TOKEN_INTEGER } },
	{ "NaN -nan Infinity -INFINITY", { KEYWORD_NAN, TOKEN_NEGATIVE_NAN,
					   KEYWORD_INFINITY,
					   TOKEN_NEGATIVE_INFINITY } },
	{ "0x 0xCafe 0X1 0xzz", { TOKEN_HEX, TOKEN_HEX, TOKEN_HEX, TOKEN_HEX,
				  TOKEN_IDENTIFIER } },
	{ "550e8400-e29b-41d4-a716-446655440000",
	  { TOKEN_UUID } },
	{ "DEADBEEF-e29b-41d4-a716-446655440000 deadbeef",
	  { TOKEN_UUID, TOKEN_IDENTIFIER } },
	{ "12345678-1234-1234-1234-1234567890123", { TOKEN_UUID,
						     TOKEN_INTEGER } },
	{ "1234567-12", { TOKEN_INTEGER, TOKEN_INTEGER } },
	{ "1y2mo3w4d5h6m7s8ms9us10ns -1D 1\xc2\xb5s", { TOKEN_DURATION,
							TOKEN_DURATION,
							TOKEN_DURATION } },
	{ "P1Y2M3DT4H5M6S P5W PT1S -P1D P0001-02-03T04:05:06 P1DT6H",
	  { TOKEN_DURATION, TOKEN_DURATION, TOKEN_DURATION, TOKEN_DURATION,
	    TOKEN_DURATION, TOKEN_DURATION } },
	{ "p1y P PT P1H P1Y1W P1DT", { TOKEN_IDENTIFIER, TOKEN_IDENTIFIER,
				       TOKEN_IDENTIFIER, TOKEN_IDENTIFIER,
				       TOKEN_IDENTIFIER, TOKEN_IDENTIFIER } },
	{ "1x 1L 1000z", { TOKEN_INTEGER, TOKEN_IDENTIFIER, TOKEN_INTEGER,
			   TOKEN_IDENTIFIER, TOKEN_INTEGER, TOKEN_IDENTIFIER } },
	{ "1.5h", { TOKEN_FLOAT, TOKEN_IDENTIFIER } },
	{ "()[]{},;:?=", { TOKEN_OPEN, TOKEN_CLOSE, TOKEN_OPEN_LIST,
			   TOKEN_CLOSE_LIST, TOKEN_OPEN_SET, TOKEN_CLOSE_SET,
			   TOKEN_COMMA, TOKEN_SEMICOLON, TOKEN_COLON,
			   TOKEN_QUESTION, TOKEN_EQ } },
	{ "< <= > >= != + += - -= * / %",
	  { TOKEN_LT, TOKEN_LE, TOKEN_GT, TOKEN_GE, TOKEN_NE, TOKEN_PLUS,
	    TOKEN_ADD_TO, TOKEN_MINUS, TOKEN_TAKE_FROM, TOKEN_STAR,
	    TOKEN_SLASH, TOKEN_PERCENT } },
	{ "expr( expr ( EXPR(", { TOKEN_EXPR_OPEN, TOKEN_IDENTIFIER, TOKEN_OPEN,
				  TOKEN_IDENTIFIER, TOKEN_OPEN } },
};

START_TEST(a_text_and_its_tokens)
{
	struct lexer lexer;
	struct token token;
	size_t i;

	lexer_init(&lexer, bytes_str(cuts[_i].text));
	for (i = 0; i < ARRAY_SIZE(cuts[_i].kinds) && cuts[_i].kinds[i]; i++) {
		lexer_next(&lexer, &token);
		ck_assert_msg(token.kind == cuts[_i].kinds[i],
			      "token %zu of <%s> is of kind %d", i,
			      cuts[_i].text, token.kind);
		ck_assert(token.length > 0);
	}
	lexer_next(&lexer, &token);
	ck_assert_msg(token.kind == TOKEN_END, "<%s> goes on", cuts[_i].text);
	ck_assert_uint_eq(token.offset, strlen(cuts[_i].text));
}
END_TEST

static const struct {
	const char *text;
	uint32_t at;
} wrong[] = {
	{ "@", 0 }, { "k@v", 1 }, { "\xc3\xa9", 0 }, { "_a", 0 }, { "1_0", 1 },
	{ "k! ", 2 }, { "!", 1 }, { "$x$", 1 }, { "a$ ", 2 },
	{ "'open", 5 }, { "'''", 3 }, { "\"open", 5 }, { "$$open", 5 },
	{ "$$", 2 }, { "/* open", 7 }, { "/*", 2 }, { "/* * /", 6 },
	{ "1e;", 2 }, { "1e+", 3 }, { "1.e", 3 }, { "-i ", 2 }, { "-nax", 3 },
	{ "-Infinite", 8 }, { "1bad ", 4 }, { "1h30", 4 }, { "1h30x", 4 },
	{ "12345678-1234-1234-1234-12345678901)", 35 },
	{ "deadbeef-x", 9 }, { "12345678-1", 10 }, { "P0001-x", 6 },
	{ "-Px", 2 }, { "1nx", 2 },
};

START_TEST(a_text_that_makes_no_token)
{
	struct lexer lexer;
	struct token token;

	lexer_init(&lexer, bytes_str(wrong[_i].text));
	do
		lexer_next(&lexer, &token);
	while (token.kind > TOKEN_BAD);
	ck_assert_msg(token.kind == TOKEN_BAD, "<%s> is taken", wrong[_i].text);
	ck_assert_msg(token.offset == wrong[_i].at, "<%s> fails at %u",
		      wrong[_i].text, token.offset);
	ck_assert_ptr_nonnull(lexer.problem);
}
END_TEST

static const struct {
	const char *text, *value;
} values[] = {
	{ "'it''s'", "it's" }, { "''", "" }, { "''''", "'" },
	{ "'a''''b'", "a''b" }, { "$$it's $1$$", "it's $1" }, { "$$$$", "" },
	{ "\"A\"\"b\"", "A\"b" }, { "\"\"", "" }, { "AbC_1", "abc_1" },
	{ "KEY", "key" }, { "SELECT_MASKED", "select_masked" },
	{ "0xCAFE", "0xCAFE" }, { "TRUE", "TRUE" }, { "1.50", "1.50" },
};

START_TEST(the_value_of_a_token)
{
	struct arena arena = ARENA_INIT;
	struct bytes text = bytes_str(values[_i].text), value;
	struct lexer lexer;
	struct token token;

	lexer_init(&lexer, text);
	lexer_next(&lexer, &token);
	value = token_copy(&arena, text, token);
	ck_assert(bytes_equal(value, bytes_str(values[_i].value)));
	ck_assert_int_eq(value.ptr[value.len], 0);
	arena_release(&arena);
}
END_TEST

/* Cassandra's reserved words. */
static const char reserved[] =
	"ADD ALLOW ALTER AND APPLY ASC AUTHORIZE BATCH BEGIN BY COLUMNFAMILY "
	"CREATE DELETE DESC DESCRIBE DROP ENTRIES EXECUTE FROM FULL GRANT IF "
	"IN INDEX INFINITY INSERT INTO IS KEYSPACE LIMIT MATERIALIZED MODIFY "
	"NAN NORECURSIVE NOT NULL OF ON OR ORDER PRIMARY RENAME REVOKE SCHEMA "
	"SELECT SET TABLE TO TOKEN TRUNCATE UNLOGGED UPDATE USE USING VIEW "
	"WHERE WITH";
static const char unreserved[] =
	"TIMESTAMP TTL COUNT KEY USER USERS ROLE PASSWORD VALUES TYPE LIST MAP "
	"JSON DISTINCT CLUSTERING FILTERING GROUP PER PARTITION STATIC FROZEN "
	"COUNTER EXISTS WRITETIME MAXWRITETIME CAST INT BIGINT TEXT VARCHAR "
	"VECTOR ANN LIKE CONTAINS AS CUSTOM DEFAULT UNSET INTERNALS ONLY "
	"TABLES COLUMNFAMILIES KEYSPACES TYPES FUNCTIONS AGGREGATES CLUSTER "
	"DATACENTERS IDENTITY";

static uint32_t count_words(const char *words, bool want_reserved)
{
	char copy[1024], *word, *rest = copy, *c;
	uint32_t n = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&rest, " "))) {
		enum token_kind kind = token_find_keyword(
			(const uint8_t *)word, (uint32_t)strlen(word));

		ck_assert_msg(kind != TOKEN_IDENTIFIER, "%s", word);
		ck_assert_msg(token_is_reserved(kind) == want_reserved, "%s",
			      word);
		ck_assert(token_is_name(kind) == !want_reserved);
		for (c = word; *c; c++)
			*c |= 32;
		ck_assert_msg(schema_name_is_reserved(bytes_str(word)) ==
			      want_reserved, "%s", word);
		n++;
	}
	return n;
}

START_TEST(reserved_words)
{
	/* no other is reserved: TABLE and COLUMNFAMILY are of one kind */
	ck_assert_uint_eq(count_words(reserved, true),
			  KEYWORD_BASIC - KEYWORD_RESERVED + 1);
	count_words(unreserved, false);
}
END_TEST

START_TEST(the_lexer_ends_on_any_bytes)	/* _i is the seed */
{
	static const char alphabet[] =
		"'\"$-/*.0123456789abefxPTYMDHSWnuy \n();,:{}[]<>=!+%_\xc2\xb5";
	char text[200];
	struct lexer lexer;
	struct token token;
	uint32_t n = 0, last = 0;
	size_t i;

	srandom((unsigned)_i);
	for (i = 0; i < sizeof(text); i++)
		text[i] = alphabet[random() % (sizeof(alphabet) - 1)];
	lexer_init(&lexer, bytes_of(text, sizeof(text)));
	do {
		lexer_next(&lexer, &token);
		ck_assert_uint_le(token.offset + token.length, sizeof(text));
		ck_assert_uint_ge(token.offset, last);
		last = token.offset + token.length;
		ck_assert_uint_le(++n, sizeof(text) + 1);
	} while (token.kind > TOKEN_BAD);
}
END_TEST

SUITE(lexer)
{
	TCase *tc = tcase_create("lexer");

	tcase_add_loop_test(tc, a_text_and_its_tokens, 0, ARRAY_SIZE(cuts));
	tcase_add_loop_test(tc, a_text_that_makes_no_token, 0,
			    ARRAY_SIZE(wrong));
	tcase_add_loop_test(tc, the_value_of_a_token, 0, ARRAY_SIZE(values));
	tcase_add_test(tc, reserved_words);
	tcase_add_loop_test(tc, the_lexer_ends_on_any_bytes, 0, 300);
	suite_add_tcase(suite, tc);
}
