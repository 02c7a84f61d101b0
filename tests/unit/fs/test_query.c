/* The names of queries: their terms, and names that are no query. */
#include <errno.h>

#include "fs/query/spelling.h"
#include "fs/query/terms.h"
#include "tests/unit/suite.h"

static void add_slice(struct buf *out, struct bytes b)
{
	if (bytes_is_null(b))
		buf_add_byte(out, '-');
	else
		buf_add_bytes(out, b);
}

/* Print what the name means: a line for each term. */
static void add_terms(struct buf *out, const struct query_terms *q)
{
	static const char signs[] = { [QUERY_EQUAL] = '=', [QUERY_RANGE] = ':',
				      [QUERY_LIKE] = '~' };
	uint32_t i;

	for (i = 0; i < q->count; i++) {
		const struct query_term *t = &q->terms[i];

		add_slice(out, t->on_token ? bytes_str("TOKEN") : t->column);
		buf_add_byte(out, (uint8_t)signs[t->operator]);
		add_slice(out, t->value);
		if (t->operator == QUERY_RANGE) {
			buf_add_byte(out, ' ');
			add_slice(out, t->end);
		}
		buf_add_byte(out, '\n');
	}
	if (q->limited)
		buf_add_format(out, "LIMIT %llu\n",
			       (unsigned long long)q->limit);
	buf_add_str(out, q->descending ? "DESC\n" : "");
	buf_add_str(out, q->scan ? "SCAN\n" : "");
	if (!bytes_is_null(q->after)) {
		buf_add_str(out, "AFTER ");
		add_slice(out, q->after);
		buf_add_byte(out, '\n');
	}
	if (!bytes_is_null(q->columns)) {
		struct bytes rest = q->columns, one;

		while (query_next_column(&rest, &one)) {
			buf_add_str(out, "COLUMN ");
			add_slice(out, one);
			buf_add_byte(out, '\n');
		}
	}
}

static const struct {
	const char *name, *terms;
} good[] = {
	{ "@c=1", "c=1\n" },
	{ "@c=1..2", "c:1 2\n" },
	{ "@c=..2", "c:- 2\n" },
	{ "@c=1..", "c:1 -\n" },
	{ "@c=1.5..2.5", "c:1.5 2.5\n" },
	{ "@c=a.b", "c=a.b\n" },
	{ "@c=a~b", "c=a~b\n" },
	{ "@c=%", "c=%\n" },
	{ "@c~%25x%25", "c~%25x%25\n" },
	{ "@c~a=b..c", "c~a=b..c\n" },
	{ "@a%3Db=x", "a%3Db=x\n" },
	{ "@token=5", "TOKEN=5\n" },
	{ "@token=-5..7", "TOKEN:-5 7\n" },
	{ "@token~x", "token~x\n" },
	{ "@tweet_id=..1765,@desc,@limit=50", "tweet_id:- 1765\nLIMIT 50\nDESC\n" },
	{ "@limit=999999999999999999,@scan", "LIMIT 999999999999999999\nSCAN\n" },
	{ "@desc=1,@scan=2,@%6Cimit=3", "desc=1\nscan=2\n%6Cimit=3\n" },
	{ "@after=a%2Cb", "AFTER a%2Cb\n" },
	{ "@after=a=b", "AFTER a=b\n" },
	{ "@desc,@cols=a,b", "DESC\nCOLUMN a\nCOLUMN b\n" },
	{ "@cols=a,@limit=3", "COLUMN a\nCOLUMN @limit=3\n" },
	{ "@c=1,@c=2", "c=1\nc=2\n" },
};

START_TEST(a_name_has_terms)
{
	struct buf out = BUF_INIT;
	struct query_terms q;
	const char *why;

	ck_assert_int_eq(query_parse(&q, bytes_str(good[_i].name), &why), 0);
	ck_assert_ptr_null(why);
	add_terms(&out, &q);
	ck_assert_str_eq(buf_cstr(&out), good[_i].terms);
	buf_release(&out);
}
END_TEST

static const struct {
	const char *name;
	int err;
} bad[] = {
	{ "", -ENOENT }, { "@", -ENOENT }, { "c=1", -ENOENT },
	{ "@c", -ENOENT }, { "@c=", -ENOENT }, { "@=1", -ENOENT },
	{ "@c~", -ENOENT }, { "@~x", -ENOENT }, { "@c>5", -ENOENT },
	{ "@c=..", -ENOENT }, { "@c=1..2..3", -ENOENT }, { "@c=1=2", -ENOENT },
	{ "@c=1,", -ENOENT }, { ",@c=1", -ENOENT }, { "@c=1,,@d=2", -ENOENT },
	{ "@c=1,2", -ENOENT }, { "@cols=", -ENOENT }, { "@cols", -ENOENT },
	{ "@after=", -ENOENT }, { "@limit", -ENOENT }, { "@@c=1,x", -ENOENT },
	{ "@limit=", -EINVAL }, { "@limit=0", -EINVAL },
	{ "@limit=-1", -EINVAL }, { "@limit=x", -EINVAL },
	{ "@limit=1000000000000000000", -EINVAL },
	{ "@limit=1,@limit=1", -EINVAL }, { "@desc,@desc", -EINVAL },
	{ "@scan,@scan", -EINVAL }, { "@after=a,@after=b", -EINVAL },
};

START_TEST(other_names_are_no_queries)
{
	struct query_terms q;
	const char *why;
	int err = query_parse(&q, bytes_str(bad[_i].name), &why);

	ck_assert_int_eq(err, bad[_i].err);
	ck_assert_ptr_nonnull(why);
}
END_TEST

START_TEST(a_name_of_any_length_is_bounded)
{
	struct buf name = BUF_INIT;
	struct query_terms q;
	const char *why;
	int i;

	for (i = 0; i < QUERY_TERMS_MAX; i++)
		buf_add_str(&name, i ? ",@c=1" : "@c=1");
	ck_assert_int_eq(query_parse(&q, buf_bytes(&name), &why), 0);
	ck_assert_uint_eq(q.count, QUERY_TERMS_MAX);
	buf_add_str(&name, ",@c=1");
	ck_assert_int_eq(query_parse(&q, buf_bytes(&name), &why), -ENOENT);
	buf_release(&name);
}
END_TEST

static const struct {
	const char *text, *value, *begin;	/* begin NULL: as the value */
} values[] = {
	{ "nz", "nz", NULL }, { "", "%", NULL }, { "a,b=c", "a%2Cb%3Dc", NULL },
	{ "a~b@c", "a~b@c", NULL }, { "@x", "%40x", NULL },
	{ "1.5", "1.5", NULL }, { "a..b", "a%2E%2Eb", NULL },
	{ "a...b.c", "a%2E%2E%2Eb.c", NULL }, { "..a", "%2E%2Ea", NULL },
	{ ".a", "%2Ea", NULL }, { "a.", "a.", "a%2E" },
	{ "a..", "a%2E%2E", NULL }, { "x.csv", "x%2Ecsv", NULL },
	{ "x..csv", "x%2E%2Ecsv", NULL }, { "100%", "100%25", NULL },
	{ "%2E.", "%252E.", "%252E%2E" }, { "a/b", "a%2Fb", NULL },
};

static void check_value(const char *text, bool before_dots, const char *right)
{
	struct buf out = BUF_INIT;

	buf_add_str(&out, ".");		/* what stands before it is not of it */
	spelling_value(&out, bytes_str(text), before_dots);
	ck_assert_str_eq(buf_cstr(&out) + 1, right);
	buf_release(&out);
}

START_TEST(a_value_has_one_spelling)
{
	check_value(values[_i].text, false, values[_i].value);
	check_value(values[_i].text, true, values[_i].begin ?
		    values[_i].begin : values[_i].value);
}
END_TEST

static const struct {
	const char *name, *column, *before_equal;	/* NULL: as the column */
} columns[] = {
	{ "country", "country", NULL }, { "a=b,c~d", "a%3Db%2Cc%7Ed", NULL },
	{ "a..b", "a..b", NULL }, { "desc", "desc", NULL },
	{ "limit", "limit", "%6Cimit" }, { "after", "after", "%61fter" },
	{ "token", "token", "%74oken" }, { "cols", "cols", "%63ols" },
	{ "limits", "limits", NULL }, { "@x", "%40x", NULL },
};

START_TEST(a_column_has_one_spelling)
{
	struct buf out = BUF_INIT;

	spelling_column(&out, bytes_str(columns[_i].name), false);
	ck_assert_str_eq(buf_cstr(&out), columns[_i].column);
	out.len = 0;
	spelling_column(&out, bytes_str(columns[_i].name), true);
	ck_assert_str_eq(buf_cstr(&out), columns[_i].before_equal ?
			 columns[_i].before_equal : columns[_i].column);
	buf_release(&out);
}
END_TEST

SUITE(query)
{
	TCase *tc = tcase_create("query");

	tcase_add_loop_test(tc, a_name_has_terms, 0, ARRAY_SIZE(good));
	tcase_add_loop_test(tc, other_names_are_no_queries, 0, ARRAY_SIZE(bad));
	tcase_add_test(tc, a_name_of_any_length_is_bounded);
	tcase_add_loop_test(tc, a_value_has_one_spelling, 0, ARRAY_SIZE(values));
	tcase_add_loop_test(tc, a_column_has_one_spelling, 0,
			    ARRAY_SIZE(columns));
	suite_add_tcase(suite, tc);
}
