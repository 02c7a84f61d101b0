/* ALTER, and DESCRIBE. */
#include <errno.h>
#include <stdlib.h>

#include "store/cql/syntax/parse_alter.h"
#include "store/cql/syntax/parse_refused.h"
#include "store/cql/syntax/parse_schema.h"
#include "store/cql/syntax/parse_table.h"
#include "store/cql/syntax/parse_term.h"
#include "store/cql/syntax/parser.h"
#include "store/cql/syntax/type_name.h"

static void parse_alter_column(struct parser *p, struct alter_table *t)
{
	struct column_definition *c = append(p, t->columns, t->column_count);

	t->if_column_exists = parse_if_exists(p);
	c->name = parse_column(p);
	if (!t->if_column_exists && accept(p, KEYWORD_TYPE)) {
		t->kind = ALTER_TABLE_TYPE;
		c->type = parse_type(p);
		return;
	}
	t->kind = ALTER_TABLE_MASK;
	if (p->here.kind == KEYWORD_MASKED) {
		parse_mask(p);
	} else if (accept(p, KEYWORD_DROP)) {
		t->kind = ALTER_TABLE_UNMASK;
		expect(p, KEYWORD_MASKED, "MASKED");
	} else {
		parser_expected(p, p->here, "TYPE");
	}
}

static void parse_add(struct parser *p, struct alter_table *t)
{
	bool several;

	t->kind = ALTER_TABLE_ADD;
	t->if_column_not_exists = parse_if_not_exists(p);
	several = accept(p, TOKEN_OPEN);
	do
		parse_column_definition(p, append(p, t->columns,
						  t->column_count));
	while (several && accept(p, TOKEN_COMMA));
	if (several)
		expect(p, TOKEN_CLOSE, "')'");
}

static void parse_drop_time(struct parser *p, struct alter_table *t)
{
	struct token token = expect(p, TOKEN_INTEGER, "an integer");
	struct bytes text = parse_text(p, token);

	errno = 0;
	t->timestamp = strtoll((const char *)text.ptr, NULL, 10);
	t->has_timestamp = true;
	if (errno == ERANGE)
		parse_refuse_number(p, token,
				    arena_format(p->arena,
						 "For input string: \"%s\"",
						 (const char *)text.ptr));
}

static void parse_drop_columns(struct parser *p, struct alter_table *t)
{
	bool several;

	if (p->here.kind == KEYWORD_COMPACT &&
	    parse_peek_ahead(p, 1) == KEYWORD_STORAGE) {
		next(p);
		next(p);
		t->kind = ALTER_TABLE_DROP_COMPACT;
		return;
	}
	t->kind = ALTER_TABLE_DROP;
	t->if_column_exists = parse_if_exists(p);
	several = accept(p, TOKEN_OPEN);
	do
		*append(p, t->names, t->name_count) =
			parse_name(p, "a column");
	while (several && accept(p, TOKEN_COMMA));
	if (several)
		expect(p, TOKEN_CLOSE, "')'");
	if (!accept(p, KEYWORD_USING))
		return;
	expect(p, KEYWORD_TIMESTAMP, "TIMESTAMP");
	parse_drop_time(p, t);
}

/* a TO b AND c TO d */
static void parse_renames(struct parser *p, struct identifier **names,
			  uint32_t *count)
{
	do {
		*append(p, *names, *count) = parse_name(p, "a name");
		expect(p, KEYWORD_TO, "TO");
		*append(p, *names, *count) = parse_name(p, "a name");
	} while (accept(p, KEYWORD_AND));
}

static void parse_alter_table(struct parser *p, struct statement *s)
{
	struct alter_table *t = new_node(p, struct alter_table);

	s->kind = STATEMENT_ALTER_TABLE;
	s->alter_table = t;
	next(p);
	t->if_exists = parse_if_exists(p);
	t->table = parse_qualified(p, "table");
	switch (p->here.kind) {
	case KEYWORD_ALTER:
		next(p);
		parse_alter_column(p, t);
		break;
	case KEYWORD_ADD:
		next(p);
		parse_add(p, t);
		break;
	case KEYWORD_DROP:
		next(p);
		parse_drop_columns(p, t);
		break;
	case KEYWORD_RENAME:
		next(p);
		t->kind = ALTER_TABLE_RENAME;
		t->if_column_exists = parse_if_exists(p);
		parse_renames(p, &t->names, &t->name_count);
		break;
	case KEYWORD_WITH:
		next(p);
		t->kind = ALTER_TABLE_WITH;
		parse_properties(p, &t->properties);
		break;
	default:
		parser_expected(p, p->here, "ADD, DROP, RENAME or WITH");
	}
}

static void parse_alter_field(struct parser *p, struct alter_type *t,
			      bool change)
{
	uint32_t start;

	t->kind = change ? ALTER_TYPE_TYPE : ALTER_TYPE_ADD;
	if (!change)
		t->if_field_not_exists = parse_if_not_exists(p);
	start = p->here.offset;
	t->field.name = parse_name(p, "a field");
	if (change)
		expect(p, KEYWORD_TYPE, "TYPE");
	t->field.type = parse_type(p);
	t->field.span = span_from(p, start);
}

static void parse_alter_type(struct parser *p, struct statement *s)
{
	struct alter_type *t = new_node(p, struct alter_type);

	s->kind = STATEMENT_ALTER_TYPE;
	s->alter_type = t;
	next(p);
	t->if_exists = parse_if_exists(p);
	t->name = parse_user_type_name(p);
	if (accept(p, KEYWORD_ALTER)) {
		parse_alter_field(p, t, true);
	} else if (accept(p, KEYWORD_ADD)) {
		parse_alter_field(p, t, false);
	} else if (accept(p, KEYWORD_RENAME)) {
		t->kind = ALTER_TYPE_RENAME;
		t->if_field_exists = parse_if_exists(p);
		parse_renames(p, &t->names, &t->name_count);
	} else {
		parser_expected(p, p->here, "ADD or RENAME");
	}
}

static void parse_alter_view(struct parser *p, struct statement *s)
{
	struct properties properties;

	memset(&properties, 0, sizeof(properties));
	next(p);
	expect(p, KEYWORD_VIEW, "VIEW");
	parse_if_exists(p);
	s->kind = STATEMENT_ALTER_VIEW;
	s->named = new_node(p, struct table_name);
	*s->named = parse_qualified(p, "table");
	expect(p, KEYWORD_WITH, "WITH");
	parse_properties(p, &properties);
}

void parse_alter(struct parser *p, struct statement *s)
{
	switch (p->here.kind) {
	case KEYWORD_TABLE:
		parse_alter_table(p, s);
		break;
	case KEYWORD_KEYSPACE:
		parse_alter_keyspace(p, s);
		break;
	case KEYWORD_TYPE:
		parse_alter_type(p, s);
		break;
	case KEYWORD_MATERIALIZED:
		parse_alter_view(p, s);
		break;
	case KEYWORD_ROLE:
	case KEYWORD_USER:
		s->kind = STATEMENT_ROLES;
		parse_alter_role(p);
		break;
	default:
		parser_expected(p, p->here, "a kind of object to alter");
	}
}

static void parse_generic(struct parser *p, struct describe *d)
{
	d->kind = DESCRIBE_ANY;
	if (token_is_name(p->here.kind) && parse_peek_ahead(p, 1) == TOKEN_DOT) {
		d->name.keyspace = parse_name(p, "a keyspace");
		next(p);
	}
	d->name.name = parse_name(p, "the name of an object to describe");
}

/* True if a name follows TYPE, FUNCTION or AGGREGATE: otherwise these words are
 * themselves the name of an object. */
static bool is_before_name(struct parser *p)
{
	return token_is_name(parse_peek_ahead(p, 1));
}

static bool parse_describe_list(struct parser *p, struct describe *d)
{
	static const struct { uint8_t word, kind; } lists[] = {
		{ KEYWORD_CLUSTER, DESCRIBE_CLUSTER },
		{ KEYWORD_SCHEMA, DESCRIBE_SCHEMA },
		{ KEYWORD_KEYSPACES, DESCRIBE_KEYSPACES },
		{ KEYWORD_TABLES, DESCRIBE_TABLES },
		{ KEYWORD_TYPES, DESCRIBE_TYPES },
		{ KEYWORD_FUNCTIONS, DESCRIBE_FUNCTIONS },
		{ KEYWORD_AGGREGATES, DESCRIBE_AGGREGATES },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		if (p->here.kind != lists[i].word)
			continue;
		next(p);
		d->kind = lists[i].kind;
		return true;
	}
	return false;
}

static void parse_describe_one(struct parser *p, struct describe *d)
{
	switch (p->here.kind) {
	case KEYWORD_KEYSPACE:
		next(p);
		d->kind = DESCRIBE_KEYSPACE;
		if (token_is_name(p->here.kind))
			d->name.name = parse_keyspace_name(p);
		return;
	case KEYWORD_TABLE:
		next(p);
		d->kind = DESCRIBE_TABLE;
		d->name = parse_qualified(p, "table");
		return;
	case KEYWORD_INDEX:
		next(p);
		d->kind = DESCRIBE_INDEX;
		d->name = parse_qualified(p, "table");
		return;
	case KEYWORD_MATERIALIZED:
		next(p);
		expect(p, KEYWORD_VIEW, "VIEW");
		d->kind = DESCRIBE_VIEW;
		d->name = parse_qualified(p, "table");
		return;
	case KEYWORD_TYPE:
	case KEYWORD_FUNCTION:
	case KEYWORD_AGGREGATE:
		if (!is_before_name(p))
			break;
		d->kind = p->here.kind == KEYWORD_TYPE ? DESCRIBE_TYPE :
			  p->here.kind == KEYWORD_FUNCTION ? DESCRIBE_FUNCTION
						      : DESCRIBE_AGGREGATE;
		next(p);
		d->name = d->kind == DESCRIBE_TYPE ? parse_user_type_name(p)
						   : parse_qualified(p,
								"function");
		return;
	default:
		break;
	}
	parse_generic(p, d);
}

void parse_describe(struct parser *p, struct statement *s)
{
	struct describe *d = new_node(p, struct describe);

	s->kind = STATEMENT_DESCRIBE;
	s->describe = d;
	if (accept(p, KEYWORD_FULL)) {
		d->full = true;
		expect(p, KEYWORD_SCHEMA, "SCHEMA");
		d->kind = DESCRIBE_SCHEMA;
	} else if (p->here.kind == KEYWORD_ONLY &&
		   parse_peek_ahead(p, 1) == KEYWORD_KEYSPACE) {
		next(p);
		d->only = true;
		parse_describe_one(p, d);
	} else if (!parse_describe_list(p, d)) {
		parse_describe_one(p, d);
	}
	if (!accept(p, KEYWORD_WITH))
		return;
	expect(p, KEYWORD_INTERNALS, "INTERNALS");
	d->internals = true;
}
