/*
 * Statements: every recorded one parses or fails as Cassandra's did, at the
 * same place; and what the trees say.
 */
#include "store/cql/syntax/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/alloc.h"
#include "tests/lib/vectors.h"
#include "tests/unit/suite.h"
#include "store/cql/select/selector.h"
#include "store/cql/syntax/ast_print.h"

/* How many lines of a file are refused by the grammar: counted in Cassandra's
 * answers, so that a reader that skips lines is seen. */
static const struct {
	const char *name;
	int places, sentences, parsed;
} files[] = {
	{ "ddl", 179, 20, 582 },
	{ "indexes", 11, 0, 418 },
	{ "order", 0, 0, 1309 },
	{ "reads", 91, 0, 960 },
	{ "syntax", 426, 2, 60 },
	{ "tokens", 0, 0, 401 },
	{ "types-compound", 15, 3, 509 },
	{ "types-numbers", 41, 10, 1102 },
	{ "types-text", 22, 0, 572 },
	{ "types-time", 14, 0, 796 },
	{ "types-wrong", 66, 0, 1277 },
	{ "writes", 53, 6, 1126 },
};

struct counts {
	int places, sentences, parsed;
};

/* True for a sentence that Cassandra says after parsing, not in its parser. */
static bool is_said_later(struct bytes message)
{
	static const char *const begins[] = {
		"Unknown property", "Invalid value for property",
		"Invalid integer", "Invalid double", "Invalid boolean",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (bytes_begin_with(message, bytes_str(begins[i])))
			return true;
	return false;
}

/* True for a refusal while the text is read that is no error of syntax. */
static bool is_thrown(struct bytes message)
{
	struct bytes begin = bytes_str("Duplicate column '");

	return (bytes_begin_with(message, begin) &&
		!memmem(message.ptr, message.len, "PRIMARY KEY clause", 18)) ||
	       bytes_begin_with(message, bytes_str("Multiple PRIMARY KEY"));
}

/* No part of a statement from its beginning on is taken for a wrong one. */
static void cut_everywhere(const struct vector *v)
{
	struct arena space = ARENA_INIT;
	struct cql_error why;
	size_t len;

	for (len = (size_t)v->line % 3; len <= v->cql.len && len < 1000; len += 3) {
		ck_assert_msg(!cql_parse_begin(&space, bytes_of(v->cql.ptr, len),
					       &why), "%d: %.*s: %s", v->line,
			      (int)len, (const char *)v->cql.ptr, why.message);
		arena_clear(&space);
	}
	arena_release(&space);
}

static void compare(const struct vector *v, struct counts *counts)
{
	struct cql_error error;
	struct arena arena = ARENA_INIT;
	struct statement *s;
	int err = cql_parse(&arena, &s, v->cql, NULL, &error), line, column;
	const char *cql = (const char *)v->cql.ptr;
	bool syntax = (bytes_equal(v->code, bytes_str("SyntaxException")) &&
		       !is_said_later(v->message)) || is_thrown(v->message);

	if (v->differs.ptr) {
		;	/* whatever it says, it ends */
	} else if (!syntax) {
		ck_assert_msg(!err, "%d: %s: %s", v->line, cql, error.message);
		cut_everywhere(v);
		counts->parsed++;
	} else if (sscanf((const char *)v->message.ptr, "line %d:%d ", &line,
			  &column) == 2) {
		ck_assert_msg(err == -EINVAL && error.line == line &&
			      error.column == column, "%d: %s: %s not %s",
			      v->line, cql, error.message, v->message.ptr);
		ck_assert_int_eq(error.code, CQL_SYNTAX);
		ck_assert_uint_le(error.offset + error.length, v->cql.len);
		counts->places++;
	} else {
		ck_assert_int_eq(err, -EINVAL);
		ck_assert_str_eq(error.message, (const char *)v->message.ptr);
		counts->sentences++;
	}
	arena_release(&arena);
}

START_TEST(recorded_statements)
{
	struct counts counts = { 0, 0, 0 };
	struct vectors vectors;
	struct vector v;

	vectors_open(&vectors, files[_i].name);
	while (vectors_next(&vectors, &v))
		compare(&v, &counts);
	vectors_close(&vectors);
	ck_assert_int_eq(counts.places, files[_i].places);
	ck_assert_int_eq(counts.sentences, files[_i].sentences);
	ck_assert_int_eq(counts.parsed, files[_i].parsed);
}
END_TEST

START_TEST(random_scripts)	/* number _i */
{
	struct counts counts = { 0, 0, 0 };
	struct vectors vectors;
	struct vector v;
	char name[20];

	snprintf(name, sizeof(name), "random/%03d", _i);
	vectors_open(&vectors, name);
	while (vectors_next(&vectors, &v))
		if (v.cql.ptr)
			compare(&v, &counts);
	vectors_close(&vectors);
	ck_assert_int_gt(counts.parsed, 200);
}
END_TEST

static struct arena arena;
static struct statement *statement;
static struct cql_error error;

static int parse(const char *text)
{
	arena_release(&arena);
	return cql_parse(&arena, &statement, bytes_str(text), NULL, &error);
}

static void setup(void)
{
	arena = ARENA_INIT;
}

static void teardown(void)
{
	arena_release(&arena);
}

static bool says(struct identifier id, const char *text)
{
	return bytes_equal(id.text, bytes_str(text));
}

static bool prints(const struct term *t, const char *text)
{
	struct buf out = BUF_INIT;
	bool same;

	ast_print_term(&out, t);
	same = bytes_equal(buf_bytes(&out), bytes_str(text));
	if (!same)
		fprintf(stderr, "<%s> not <%s>\n", buf_cstr(&out), text);
	buf_release(&out);
	return same;
}

/* A value, and how Cassandra prints it. */
static const struct {
	const char *text, *printed;
	enum term_kind kind;
} terms[] = {
	{ "1", "1", TERM_CONSTANT },
	{ "'it''s'", "'it's'", TERM_CONSTANT },
	{ "-NaN", "NaN", TERM_CONSTANT },
	{ "-infinity", "-Infinity", TERM_CONSTANT },
	{ "0xCAFE", "0xCAFE", TERM_CONSTANT },
	{ "null", "NULL", TERM_NULL },
	{ "?", "?", TERM_MARKER },
	{ ":Name", "?", TERM_MARKER },
	{ "[1,2]", "[1, 2]", TERM_LIST },
	{ "[]", "[]", TERM_LIST },
	{ "{ }", "{}", TERM_SET },
	{ "{1,2}", "{1, 2}", TERM_SET },
	{ "{'a':1,'b':2}", "{'a': 1, 'b': 2}", TERM_MAP },
	{ "{a:1,\"B\":{c:2}}", "{a: 1, B: {c: 2}}", TERM_USER },
	{ "(1)", "(1)", TERM_TUPLE },
	{ "(1,(2,3))", "(1, (2, 3))", TERM_TUPLE },
	{ "(int)1", "(int)1", TERM_HINT },
	{ "(map<text,frozen<list<int>>>){}",
	  "(map<text, frozen<list<int>>>){}", TERM_HINT },
	{ "(ks.t){a:1}", "(ks.t){a: 1}", TERM_HINT },
	{ "(\"T\")null", "(\"T\")NULL", TERM_HINT },
	{ "(vector<float,3>)[1]", "(vector<float, 3>)[1]", TERM_HINT },
	{ "CAST(1 AS text)", "system.cast_as_text(1)", TERM_CAST },
	{ "NOW()", "now()", TERM_CALL },
	{ "system.f(1,'a')", "system.f(1, 'a')", TERM_CALL },
	{ "(now())", "(now())", TERM_TUPLE },
	{ "(date(1))", "(date(1))", TERM_TUPLE },
	{ "token(1)", "token(1)", TERM_CALL },
	{ "1+2*3- 4",
	  "system.\"_substract\"(system.\"_add\"(1, "
	  "system.\"_multiply\"(2, 3)), 4)", TERM_BINARY },
	{ "1 + 2 * 3",
	  "system.\"_add\"(1, system.\"_multiply\"(2, 3))",
	  TERM_BINARY },
	{ "- now()", "system.\"_negate\"(now())", TERM_NEGATE },
	{ "- 1", "system.\"_negate\"(1)", TERM_NEGATE },
	{ "1 - -1", "system.\"_substract\"(1, -1)", TERM_BINARY },
};

START_TEST(a_term)
{
	char text[200];
	const struct term *t;

	snprintf(text, sizeof(text), "INSERT INTO t (a) VALUES (%s)",
		 terms[_i].text);
	ck_assert_msg(!parse(text), "%s: %s", text, error.message);
	ck_assert_int_eq(statement->kind, STATEMENT_INSERT);
	ck_assert_uint_eq(statement->insert->value_count, 1);
	t = statement->insert->values[0];
	ck_assert_int_eq(t->kind, terms[_i].kind);
	ck_assert(prints(t, terms[_i].printed));
	ck_assert_uint_eq(t->span.offset, 26);
	ck_assert_uint_eq(t->span.length, strlen(terms[_i].text));
}
END_TEST

static const struct {
	const char *text, *why;		/* why NULL: it is a constant */
} floats[] = {
	{ "1.5", NULL }, { "1e-400", NULL }, { "1e-2147483647", NULL },
	{ "NaN", NULL }, { "-Infinity", NULL }, { "1e0000000000000005", NULL },
	{ "1e309", "Character I is neither a decimal digit number, decimal "
		   "point, nor \"e\" notation exponential mark." },
	{ "1e2147483648", "Exponent overflow." },
	{ "1e-2147483648", "Scale out of range." },
	{ "1e99999999999", "Too many nonzero exponent digits." },
};

START_TEST(a_float_that_java_reads)
{
	char text[100], message[300];

	snprintf(text, sizeof(text), "INSERT INTO t (a) VALUES (%s)",
		 floats[_i].text);
	ck_assert_int_eq(parse(text), floats[_i].why ? -EINVAL : 0);
	if (!floats[_i].why)
		return;
	snprintf(message, sizeof(message), "Failed parsing statement: [%s] "
		 "reason: NumberFormatException %s", text, floats[_i].why);
	ck_assert_str_eq(error.message, message);
}
END_TEST

static const struct {
	const char *text, *printed;
	enum term_kind kind;
} selectors[] = {
	{ "a", "a", TERM_COLUMN }, { "\"A b\"", "A b", TERM_COLUMN },
	{ "json", "json", TERM_COLUMN }, { "distinct", "distinct", TERM_COLUMN },
	{ "ttl", "ttl", TERM_COLUMN }, { "count", "count", TERM_COLUMN },
	{ "count(*)", "count(*)", TERM_COUNT_ROWS },
	{ "COUNT(1)", "count(1)", TERM_CALL },
	{ "writetime(m['k'])", "writetime(m['k'])", TERM_WRITETIME },
	{ "maxwritetime(c)", "maxwritetime(c)", TERM_MAXWRITETIME },
	{ "ttl(u.f)", "ttl(u.f)", TERM_TTL },
	{ "cast(a AS bigint)", "system.cast_as_bigint(a)", TERM_CAST },
	{ "a.b.c", "a.b.c", TERM_FIELD },
	{ "a[1]", "a[1]", TERM_ELEMENT },
	{ "a['a'..'l']", "a['a'..'l']", TERM_SLICE },
	{ "a[1..]", "a[1..]", TERM_SLICE }, { "a[..1]", "a[..1]", TERM_SLICE },
	{ "f(a)[1].b", "f(a)[1].b", TERM_FIELD },
	{ "ks.f(a)", "ks.f(a)", TERM_CALL },
	{ "a+b*-c",
	  "system.\"_add\"(a, system.\"_multiply\"(b, "
	  "system.\"_negate\"(c)))", TERM_BINARY },
	{ "(a+b)*c",
	  "system.\"_multiply\"((system.\"_add\"(a, b)), c)", TERM_BINARY },
	{ "(a)", "(a)", TERM_TUPLE }, { "(int)a", "(int)a", TERM_HINT },
	{ "(a) - b", "system.\"_substract\"((a), b)", TERM_BINARY },
	{ "{'a':v}", "{'a': v}", TERM_MAP }, { "{a}", "{a}", TERM_SET },
	{ "[a,b]", "[a, b]", TERM_LIST }, { "null", "NULL", TERM_NULL },
	{ "token(a,b)", "token(a, b)", TERM_CALL },
};

START_TEST(a_selector)
{
	char text[200];
	const struct select *s;

	snprintf(text, sizeof(text), "SELECT %s AS x FROM ks.\"T\"",
		 selectors[_i].text);
	ck_assert_msg(!parse(text), "%s: %s", text, error.message);
	s = statement->select;
	ck_assert(!s->json && !s->distinct && !s->all);
	ck_assert_uint_eq(s->selection_count, 1);
	ck_assert_int_eq(s->selections->term->kind, selectors[_i].kind);
	ck_assert(prints(s->selections->term, selectors[_i].printed));
	ck_assert_uint_eq(s->selections->term->span.length,
			  strlen(selectors[_i].text));
	ck_assert(says(s->selections->alias, "x"));
	ck_assert(says(s->table.keyspace, "ks") && says(s->table.name, "T"));
}
END_TEST

START_TEST(a_whole_select)
{
	const struct select *s;

	ck_assert(!parse("SELECT JSON DISTINCT a, b FROM t WHERE k = 1 AND "
			 "(c, d) > (1, 2) AND token(k) <= ? AND m['x'] = 2 AND "
			 "((e IN (1, 2))) AND l CONTAINS KEY 3 AND expr(i, 'x')"
			 " AND w LIKE 'a%' AND v IS NOT NULL AND z IN ? "
			 "GROUP BY k, c ORDER BY c DESC, d, v ANN OF [1] "
			 "PER PARTITION LIMIT 2 LIMIT :n ALLOW FILTERING ;;"));
	s = statement->select;
	ck_assert(s->json && s->distinct && s->allow_filtering && !s->all);
	ck_assert_uint_eq(s->selection_count, 2);
	ck_assert_uint_eq(s->relation_count, 10);
	ck_assert_uint_eq(s->group_count, 2);
	ck_assert_uint_eq(s->ordering_count, 3);
	ck_assert(s->orderings[0].descending && !s->orderings[1].descending);
	ck_assert(prints(s->orderings[2].ann_of, "[1]"));
	ck_assert(prints(s->per_partition_limit, "2"));
	ck_assert_uint_eq(statement->marker_count, 3);
	ck_assert_uint_eq(s->limit->marker, 2);
	ck_assert(says(s->limit->name, "n"));
	ck_assert_int_eq(s->relations[1].kind, RELATION_TUPLE);
	ck_assert_int_eq(s->relations[2].kind, RELATION_TOKEN);
	ck_assert_int_eq(s->relations[3].kind, RELATION_ELEMENT);
	ck_assert_uint_eq(s->relations[4].value_count, 2);
	ck_assert_int_eq(s->relations[5].op, OPERATOR_CONTAINS_KEY);
	ck_assert_int_eq(s->relations[6].kind, RELATION_CUSTOM);
	ck_assert_int_eq(s->relations[7].op, OPERATOR_LIKE);
	ck_assert_int_eq(s->relations[8].op, OPERATOR_IS_NOT);
	ck_assert_int_eq(s->relations[9].value->kind, TERM_MARKER);
}
END_TEST

static const struct {
	const char *text, *printed;
} relations[] = {
	{ "c!=1", "c != 1" }, { "\"C\" = 1", "\"C\" = 1" },
	{ "c IN (1,2)", "c IN (1, 2)" }, { "c in ()", "c IN ()" },
	{ "c IN ?", "c IN ?" }, { "(c,d)=(1,1)", "(c, d) = (1, 1)" },
	{ "(c) IN ((1),(2))", "(c) IN ((1), (2))" },
	{ "token(a,b)!=1", "token(a, b) != 1" },
	{ "c IS NOT NULL", "c IS NOT NULL" }, { "m['a']>1", "m['a'] > 1" },
	{ "expr(i, 'x')", "expr(i, 'x')" }, { "(c <= 1)", "c <= 1" },
	{ "c contains key 'x'", "c CONTAINS KEY 'x'" },
};

START_TEST(a_relation)
{
	struct buf out = BUF_INIT;
	char text[200];

	snprintf(text, sizeof(text), "SELECT * FROM t WHERE %s",
		 relations[_i].text);
	ck_assert_msg(!parse(text), "%s: %s", text, error.message);
	ck_assert_uint_eq(statement->select->relation_count, 1);
	ast_print_relation(&out, statement->select->relations);
	ck_assert_str_eq(buf_cstr(&out), relations[_i].printed);
	buf_release(&out);
}
END_TEST

static const struct {
	const char *text;
	enum assignment_kind kind;
	const char *value;
} assignments[] = {
	{ "c = 1", ASSIGN_SET, "1" }, { "c = c + 1", ASSIGN_ADD, "1" },
	{ "c = c -1", ASSIGN_ADD, "-1" }, { "c=c-1", ASSIGN_ADD, "-1" },
	{ "c = c - 1", ASSIGN_SUBTRACT, "1" },
	{ "c += [1]", ASSIGN_ADD, "[1]" },
	{ "c -= {1}", ASSIGN_SUBTRACT, "{1}" },
	{ "c = [1] + c", ASSIGN_PREPEND, "[1]" },
	{ "c = 1 + f(2)", ASSIGN_SET, "system.\"_add\"(1, f(2))" },
	{ "c = 1 + k.f(2)", ASSIGN_SET,
	  "system.\"_add\"(1, k.f(2))" },
	{ "c = 1 + 2 + c", ASSIGN_PREPEND, "system.\"_add\"(1, 2)" },
	{ "c = f() + 1", ASSIGN_SET, "system.\"_add\"(f(), 1)" },
	{ "c = c + 1 + 2", ASSIGN_ADD, "system.\"_add\"(1, 2)" },
	{ "c['a'] = 1", ASSIGN_ELEMENT, "1" },
	{ "c.f = 'x'", ASSIGN_FIELD, "'x'" },
};

START_TEST(an_assignment)
{
	char text[200];
	const struct update *s;

	snprintf(text, sizeof(text), "UPDATE t USING TTL 5 AND TIMESTAMP ? "
		 "SET %s WHERE k = 1 IF v = 1 AND m['a'] IN (1, 2) AND u.f < 3",
		 assignments[_i].text);
	ck_assert_msg(!parse(text), "%s: %s", text, error.message);
	s = statement->update;
	ck_assert(prints(s->using.ttl, "5") && prints(s->using.timestamp, "?"));
	ck_assert_uint_eq(s->assignment_count, 1);
	ck_assert_int_eq(s->assignments->kind, assignments[_i].kind);
	ck_assert(says(s->assignments->column, "c"));
	ck_assert(prints(s->assignments->value, assignments[_i].value));
	ck_assert_uint_eq(s->condition.condition_count, 3);
	ck_assert(prints(s->condition.conditions[1].key, "'a'"));
	ck_assert_uint_eq(s->condition.conditions[1].value_count, 2);
	ck_assert(says(s->condition.conditions[2].field, "f"));
}
END_TEST

START_TEST(settings_of_one_column)
{
	ck_assert(!parse("UPDATE t SET l = l + [1], l[0] = 2, m['a'] = 1, "
			 "m['a'] = 2, n = n + 1, n = n + 2, u.a = 1, u.b = 2 "
			 "WHERE k = 1"));
	ck_assert(parse("UPDATE t SET u.a = 1, v = 2, u.a = 3 WHERE k = 1"));
	ck_assert_str_eq(error.message,
			 "Multiple incompatible setting of column u");
	ck_assert(parse("UPDATE t SET l = l + [1], v = 2, l = [1] WHERE k = 1"));
	ck_assert_str_eq(error.message,
			 "Multiple incompatible setting of column l");
	ck_assert(parse("UPDATE t SET l = [1] + m WHERE k = 1"));
	ck_assert_str_eq(error.message, "Only expressions of the form "
			 "X = <value> + X are supported.");
}
END_TEST

START_TEST(other_forms_of_modifications)
{
	ck_assert(!parse("INSERT INTO t JSON '{}' DEFAULT UNSET IF NOT EXISTS "
			 "USING TTL 1"));
	ck_assert(statement->insert->json_default_unset &&
		  statement->insert->if_not_exists);
	ck_assert(!parse("DELETE a, b[1], c.f FROM t USING TIMESTAMP 1 WHERE "
			 "k = 1 IF exists"));
	ck_assert_uint_eq(statement->delete->deletion_count, 3);
	ck_assert(statement->delete->condition.exists);
	ck_assert(!parse("DELETE FROM t WHERE k = 1 IF exists = 1"));
	ck_assert_uint_eq(statement->delete->condition.condition_count, 1);
	ck_assert(!parse("BEGIN COUNTER BATCH USING TIMESTAMP 1 UPDATE t SET "
			 "a = 1 WHERE k = ?; DELETE FROM t WHERE k = ? "
			 "INSERT INTO t (k) VALUES (?) APPLY BATCH;"));
	ck_assert_int_eq(statement->batch->kind, BATCH_COUNTER);
	ck_assert_uint_eq(statement->batch->statement_count, 3);
	ck_assert_uint_eq(statement->marker_count, 3);
	ck_assert(!parse("TRUNCATE TABLE ks.t"));
	ck_assert(says(statement->drop->name.keyspace, "ks"));
	ck_assert(!parse("USE \"Ks\""));
	ck_assert(says(*statement->use, "Ks"));
}
END_TEST

START_TEST(a_table)
{
	const struct create_table *t;

	ck_assert(!parse("CREATE COLUMNFAMILY IF NOT EXISTS Ks.T (a int, b "
			 "frozen<map<text, u>> static, \"C\" 'Int32Type',, d k.u, "
			 "PRIMARY KEY ((a, b), c, d),) WITH COMPACT STORAGE AND "
			 "CLUSTERING ORDER BY (c DESC, d ASC) AND comment = "
			 "'it''s' AND clustering = default AND compaction = "
			 "{'class': 'X', 'n': 1.50} AND id = 12345678-1234-"
			 "1234-1234-123456789012"));
	t = statement->create_table;
	ck_assert(t->if_not_exists && t->compact_storage);
	ck_assert(says(t->table.keyspace, "ks") && says(t->table.name, "t"));
	ck_assert_uint_eq(t->column_count, 4);
	ck_assert(t->columns[1].is_static && t->columns[1].type->frozen);
	ck_assert_int_eq(t->columns[2].type->kind, TYPE_NAME_CUSTOM);
	ck_assert(says(t->columns[3].type->user.keyspace, "k"));
	ck_assert_uint_eq(t->partition_key_count, 2);
	ck_assert_uint_eq(t->clustering_key_count, 2);
	ck_assert(t->has_key);
	ck_assert_uint_eq(t->order_count, 2);
	ck_assert(t->orders[0].descending && !t->orders[1].descending);
	ck_assert_uint_eq(t->properties.count, 4);
	ck_assert(bytes_equal(t->properties.items[0].value, bytes_str("it's")));
	ck_assert(bytes_equal(t->properties.items[1].value,
			      bytes_str("default")));
	ck_assert(t->properties.items[2].is_map);
	ck_assert(bytes_equal(t->properties.items[2].entries[1].value,
			      bytes_str("1.50")));
	ck_assert(parse("CREATE TABLE t (a int PRIMARY KEY) WITH c = {'a': 1, "
			"'a': 2}"));
	ck_assert_str_eq(error.message,
			 "Multiple definition for property a");
}
END_TEST

/* Each form once: what kind it is. */
static const struct {
	const char *text;
	enum statement_kind kind;
} forms[] = {
	{ "CREATE KEYSPACE IF NOT EXISTS k WITH replication = {}",
	  STATEMENT_CREATE_KEYSPACE },
	{ "ALTER KEYSPACE IF EXISTS k WITH a = b_ AND c = 1 ", 99 },
	{ "ALTER KEYSPACE IF EXISTS k WITH a = 1", STATEMENT_ALTER_KEYSPACE },
	{ "DROP KEYSPACE IF EXISTS k", STATEMENT_DROP_KEYSPACE },
	{ "ALTER TABLE t ADD IF NOT EXISTS (a int, b text static)",
	  STATEMENT_ALTER_TABLE },
	{ "ALTER TABLE t DROP IF EXISTS a USING TIMESTAMP 5",
	  STATEMENT_ALTER_TABLE },
	{ "ALTER TABLE t DROP (a, b)", STATEMENT_ALTER_TABLE },
	{ "ALTER TABLE t DROP COMPACT STORAGE", STATEMENT_ALTER_TABLE },
	{ "ALTER TABLE t DROP compact", STATEMENT_ALTER_TABLE },
	{ "ALTER TABLE t RENAME a TO b AND c TO d", STATEMENT_ALTER_TABLE },
	{ "ALTER TABLE t ALTER a TYPE int", STATEMENT_ALTER_TABLE },
	{ "ALTER TABLE t ALTER a MASKED WITH f(1)", STATEMENT_ALTER_TABLE },
	{ "DROP TABLE IF EXISTS k.t", STATEMENT_DROP_TABLE },
	{ "CREATE TYPE k.u (a int, b frozen<set<int>>,)",
	  STATEMENT_CREATE_TYPE },
	{ "CREATE TYPE Byte (a int)", STATEMENT_CREATE_TYPE },
	{ "ALTER TYPE u ADD a int", STATEMENT_ALTER_TYPE },
	{ "ALTER TYPE u RENAME a TO b AND c TO d", STATEMENT_ALTER_TYPE },
	{ "ALTER TYPE u ALTER a TYPE int", STATEMENT_ALTER_TYPE },
	{ "DROP TYPE u", STATEMENT_DROP_TYPE },
	{ "CREATE INDEX ON t (keys(m))", STATEMENT_CREATE_INDEX },
	{ "CREATE INDEX ON t (keys)", STATEMENT_CREATE_INDEX },
	{ "CREATE CUSTOM INDEX IF NOT EXISTS i ON t (a, b) USING 'x' WITH "
	  "OPTIONS = {'a': 'b'}", STATEMENT_CREATE_INDEX },
	{ "DROP INDEX IF EXISTS k.i", STATEMENT_DROP_INDEX },
	{ "DESC SCHEMA", STATEMENT_DESCRIBE },
	{ "DESCRIBE FULL SCHEMA WITH INTERNALS", STATEMENT_DESCRIBE },
	{ "DESCRIBE ONLY KEYSPACE k", STATEMENT_DESCRIBE },
	{ "DESCRIBE type", STATEMENT_DESCRIBE },
	{ "DESCRIBE TYPE type", STATEMENT_DESCRIBE },
	{ "DESCRIBE only", STATEMENT_DESCRIBE },
	{ "DESCRIBE k.t", STATEMENT_DESCRIBE },
	{ "CREATE MATERIALIZED VIEW v AS SELECT a, b FROM t WHERE a IS NOT "
	  "NULL PRIMARY KEY ((a), b) WITH CLUSTERING ORDER BY (b ASC)",
	  STATEMENT_CREATE_VIEW },
	{ "ALTER MATERIALIZED VIEW v WITH comment = 'x'",
	  STATEMENT_ALTER_VIEW },
	{ "DROP MATERIALIZED VIEW v", STATEMENT_DROP_VIEW },
	{ "CREATE OR REPLACE FUNCTION k.f (a int, b text) RETURNS NULL ON NULL "
	  "INPUT RETURNS int LANGUAGE java AS $$return 1;$$",
	  STATEMENT_CREATE_FUNCTION },
	{ "DROP FUNCTION IF EXISTS k.f(int)", STATEMENT_DROP_FUNCTION },
	{ "CREATE AGGREGATE a(int) SFUNC f STYPE int FINALFUNC g INITCOND 0",
	  STATEMENT_CREATE_AGGREGATE },
	{ "DROP AGGREGATE a", STATEMENT_DROP_AGGREGATE },
	{ "CREATE TRIGGER x ON t USING 'c'", STATEMENT_CREATE_TRIGGER },
	{ "DROP TRIGGER x ON k.t", STATEMENT_DROP_TRIGGER },
	{ "CREATE ROLE r WITH PASSWORD = 'x' AND LOGIN = true AND ACCESS TO "
	  "DATACENTERS {'a', 'b'}", STATEMENT_ROLES },
	{ "CREATE USER u WITH PASSWORD 'x' SUPERUSER", STATEMENT_ROLES },
	{ "ALTER ROLE r WITH OPTIONS = {'a': 1}", STATEMENT_ROLES },
	{ "DROP ROLE 'r'", STATEMENT_ROLES },
	{ "GRANT SELECT ON KEYSPACE k TO r", STATEMENT_ROLES },
	{ "GRANT ALL PERMISSIONS ON ALL TABLES IN KEYSPACE k TO r",
	  STATEMENT_ROLES },
	{ "GRANT r TO s", STATEMENT_ROLES },
	{ "REVOKE EXECUTE ON FUNCTION f(int) FROM r", STATEMENT_ROLES },
	{ "LIST ALL PERMISSIONS ON t OF r NORECURSIVE", STATEMENT_ROLES },
	{ "LIST ROLES OF r", STATEMENT_ROLES },
	{ "LIST USERS", STATEMENT_ROLES },
	{ "ADD IDENTITY 'i' TO ROLE 'r'", STATEMENT_ROLES },
};

START_TEST(a_form)
{
	int err = parse(forms[_i].text);

	if (forms[_i].kind == 99) {
		ck_assert_int_eq(err, -EINVAL);
		return;
	}
	ck_assert_msg(!err, "%s: %s", forms[_i].text, error.message);
	ck_assert_int_eq(statement->kind, forms[_i].kind);
	ck_assert_uint_eq(statement->span.length, strlen(forms[_i].text));
}
END_TEST

START_TEST(one_statement_is_taken_of_several)
{
	struct bytes text = bytes_str("USE a; SELECT * FROM 'no");
	size_t consumed;

	ck_assert(!cql_parse(&arena, &statement, text, &consumed, &error));
	ck_assert_uint_eq(consumed, 6);
	ck_assert(cql_parse(&arena, &statement, text, NULL, &error));
	ck_assert_uint_eq(error.offset, 7);
	text = bytes_str("USE a -- end");
	ck_assert(!cql_parse(&arena, &statement, text, &consumed, &error));
	ck_assert_uint_eq(consumed, text.len);
	ck_assert(cql_parse(&arena, &statement, BYTES_NULL, NULL, &error));
	ck_assert_int_eq(error.line, 0);
	ck_assert_int_eq(error.column, -1);
}
END_TEST

START_TEST(text_that_is_not_utf8)
{
	ck_assert_int_eq(parse("USE a; -- \n \"\xc3\xa9\" '\xc3\xa9\xc3'"),
			 -EINVAL);
	ck_assert_str_eq(error.message, "line 2:7 not UTF-8");
	ck_assert_uint_eq(error.offset, 20);
	ck_assert_int_eq(parse("USE \"\xff"), -EINVAL);
	ck_assert_str_eq(error.message, "line 1:5 not UTF-8");
	ck_assert_int_eq(parse("USE \"\xf0\x9f\x98\x80\""), 0);
	ck_assert_int_eq(parse("USE a \xe6\xbc"), -EINVAL);
	ck_assert_str_eq(error.message, "line 1:6 not UTF-8");
}
END_TEST

/* Texts with endless nesting or length give an error or a tree in linear
 * time. */
static const struct {
	const char *begin, *unit, *end;
	bool legal;
} endless[] = {
	{ "INSERT INTO t (a) VALUES (", "[", "", false },
	{ "INSERT INTO t (a) VALUES (", "(", "", false },
	{ "INSERT INTO t (a) VALUES (", "(int)", "1)", false },
	{ "INSERT INTO t (a) VALUES (", "{a:", "", false },
	{ "INSERT INTO t (a) VALUES (", "f(", "", false },
	{ "INSERT INTO t (a) VALUES (1", "+1", ")", false },
	{ "INSERT INTO t (a) VALUES ([1", ",1", "])", true },
	{ "SELECT ", "- ", "a FROM t", false },
	{ "SELECT a", ".a", " FROM t", false },
	{ "SELECT a", "[1]", " FROM t", false },
	{ "SELECT a", ",a", " FROM t", true },
	{ "SELECT * FROM t WHERE ", "(", "k = 1", false },
	{ "SELECT * FROM t WHERE k = 1", " AND k = 1", "", true },
	{ "CREATE TABLE t (a ", "list<", "", false },
	{ "CREATE TABLE t (a ", "frozen<", "", false },
	{ "CREATE TABLE t (a int PRIMARY KEY", ",", ")", true },
	{ "CREATE TABLE t (a int PRIMARY KEY) WITH a0 = 1", " AND a=1", "",
	  false },
	{ "UPDATE t SET a = 1", ",m[1]=1", " WHERE k=1", true },
	{ "UPDATE t SET a = 1", ",a=1", " WHERE k=1", false },
	{ "BEGIN BATCH ", "DELETE FROM t WHERE k=1;", "APPLY BATCH", true },
	{ "USE a", ";", "", true },
	{ "USE a", " ", "", true },
	{ "USE a", "/**/", "", true },
};

START_TEST(endless_repetitions_come_to_an_end)
{
	struct buf text = BUF_INIT;
	int i, err;

	buf_add_str(&text, endless[_i].begin);
	for (i = 0; i < 30000; i++)
		buf_add_str(&text, endless[_i].unit);
	buf_add_str(&text, endless[_i].end);
	err = cql_parse(&arena, &statement, buf_bytes(&text), NULL, &error);
	ck_assert_msg(err == (endless[_i].legal ? 0 : -EINVAL), "%s: %s",
		      endless[_i].unit, error.message);
	buf_release(&text);
}
END_TEST

static const char long_one[] =
	"BEGIN BATCH UPDATE ks.t USING TTL 5 SET a = {b: [1, 'x'], c: (1, 2)}, "
	"d = d + {1: 2} WHERE k IN (1, 2) AND (c, d) > (1, f(2)) IF a[1] = ? "
	"INSERT INTO t (k) VALUES ((map<int, text>) {}) APPLY BATCH";

START_TEST(any_allocation_may_fail)	/* the _ith */
{
	int err;

	mem_fail_at(_i + 1, 0);
	err = cql_parse(&arena, &statement, bytes_str(long_one), NULL, &error);
	mem_fail_at(0, 0);
	ck_assert(err == 0 || err == -ENOMEM);
	ck_assert_int_eq(err == 0, statement != NULL);
	if (!_i)
		ck_assert_int_eq(err, -ENOMEM);
}
END_TEST

/* A recorded statement with bytes changed, doubled or cut: any answer. */
START_TEST(damaged_statements)	/* _i is the seed */
{
	static const char bytes[] = "()[]{}'\",;:.=<>+-*/%$? 1ae_\\\n";
	struct vectors vectors;
	struct vector v;
	uint8_t text[300];
	size_t length;
	int i;

	srandom((unsigned)_i);
	vectors_open(&vectors, files[_i].name);
	while (vectors_next(&vectors, &v)) {
		length = v.cql.len < sizeof(text) ? v.cql.len : sizeof(text);
		memcpy(text, v.cql.ptr, length);
		for (i = (int)(random() % 3); i >= 0 && length; i--)
			text[(size_t)random() % length] =
				(uint8_t)bytes[random() % 29];
		length -= (size_t)random() % (length / 4 + 1);
		arena_clear(&arena);
		cql_parse(&arena, &statement, bytes_of(text, length), NULL,
			  &error);
		ck_assert_ptr_nonnull(error.message);
		ck_assert_uint_le(error.offset + error.length, length);
	}
	vectors_close(&vectors);
}
END_TEST

static const struct {
	const char *name, *printed;
} names[] = {
	{ "a", "a" }, { "a_1", "a_1" }, { "A", "\"A\"" }, { "1a", "\"1a\"" },
	{ "select", "\"select\"" }, { "key", "key" }, { "true", "\"true\"" },
	{ "a\"b", "\"a\"\"b\"" }, { "", "\"\"" }, { "\xc3\xa9", "\"\xc3\xa9\"" },
};

START_TEST(a_name_as_cql)
{
	struct buf out = BUF_INIT;

	cql_print_name(&out, bytes_str(names[_i].name));
	ck_assert_str_eq(buf_cstr(&out), names[_i].printed);
	buf_release(&out);
}
END_TEST

SUITE(parse)
{
	TCase *tc = tcase_create("recorded");

	tcase_add_loop_test(tc, recorded_statements, 0, ARRAY_SIZE(files));
	tcase_add_loop_test(tc, random_scripts, 1, 21);
	suite_add_tcase(suite, tc);
	tc = tcase_create("trees");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_term, 0, ARRAY_SIZE(terms));
	tcase_add_loop_test(tc, a_float_that_java_reads, 0, ARRAY_SIZE(floats));
	tcase_add_loop_test(tc, a_selector, 0, ARRAY_SIZE(selectors));
	tcase_add_test(tc, a_whole_select);
	tcase_add_loop_test(tc, a_relation, 0, ARRAY_SIZE(relations));
	tcase_add_loop_test(tc, an_assignment, 0, ARRAY_SIZE(assignments));
	tcase_add_test(tc, settings_of_one_column);
	tcase_add_test(tc, other_forms_of_modifications);
	tcase_add_test(tc, a_table);
	tcase_add_loop_test(tc, a_form, 0, ARRAY_SIZE(forms));
	tcase_add_test(tc, one_statement_is_taken_of_several);
	tcase_add_test(tc, text_that_is_not_utf8);
	tcase_add_loop_test(tc, endless_repetitions_come_to_an_end, 0, ARRAY_SIZE(endless));
	tcase_add_loop_test(tc, any_allocation_may_fail, 0, 40);
	tcase_add_loop_test(tc, damaged_statements, 0, ARRAY_SIZE(files));
	tcase_add_loop_test(tc, a_name_as_cql, 0, ARRAY_SIZE(names));
	suite_add_tcase(suite, tc);
}
