/* CREATE and DROP, and the properties of WITH; tables are in parse_table.c. */
#include "store/cql/syntax/ast_print.h"
#include "store/cql/syntax/parse_refused.h"
#include "store/cql/syntax/parse_schema.h"
#include "store/cql/syntax/parse_table.h"
#include "store/cql/syntax/parse_term.h"
#include "store/cql/syntax/parser.h"
#include "store/cql/syntax/type_name.h"

/* More properties than any object has: each is compared with all before. */
#define PROPERTIES_MAX 1000

/* Parse a property's value: a constant, or a free word. */
static struct bytes parse_property_value(struct parser *p)
{
	enum token_kind kind = p->here.kind;

	if (token_is_unreserved_keyword(kind))
		return parse_text(p, next(p));
	return parse_constant(p)->text;
}

struct written_entry {
	const struct term *key, *value;
};

static struct token token_of(const struct term *t)
{
	return (struct token){ t->span.offset, t->span.length, TOKEN_QUESTION };
}

/* Note a key or value that is no constant: the grammar allows any term. */
static void note_term(struct parser *p, const struct written_entry *e)
{
	bool key = e->key->kind != TERM_CONSTANT;
	const struct term *bad = key ? e->key : e->value;
	struct buf text = BUF_INIT;

	buf_add_str(&text, key ? "Invalid property name: " :
				 "Invalid property value: ");
	ast_print_term(&text, bad);
	if (!key) {
		buf_add_str(&text, " for property: ");
		ast_print_term(&text, e->key);
	}
	if (bad->kind == TERM_MARKER)
		buf_add_str(&text, " (bind variables are not supported in DDL "
				   "queries)");
	parser_note(p, token_of(bad), "%s", buf_cstr(&text));
	buf_release(&text);
}

/* Add entries up to the first wrong one. */
static void add_entries(struct parser *p, struct written_property *property,
			const struct written_entry *entries, uint32_t count)
{
	struct hash keys = { .count = 0 };

	for (uint32_t i = 0; i < count && !p->result; i++) {
		const struct written_entry *e = &entries[i];

		if (e->key->kind != TERM_CONSTANT ||
		    e->value->kind != TERM_CONSTANT) {
			note_term(p, e);
			return;
		}
		if (!parser_add_name(p, &keys, e->key->text))
			parser_note(p, token_of(e->key),
				    "Multiple definition for property %s",
				    (const char *)e->key->text.ptr);
		append(p, property->entries, property->entry_count);
		if (p->result)
			return;
		property->entries[i].key = e->key->text;
		property->entries[i].value = e->value->text;
	}
}

/* Parse {'class': 'x', 'n': 1}, and check it when all of it was read. */
static void parse_property_map(struct parser *p,
			       struct written_property *property)
{
	struct written_entry *entries = NULL;
	struct token at = p->here;
	uint32_t count = 0;

	property->is_map = true;
	next(p);
	if (accept(p, TOKEN_CLOSE_SET))
		return;
	do {
		struct written_entry *e = append(p, entries, count);
		bool no_error;

		e->key = parse_term(p);
		expect(p, TOKEN_COLON, "':'");
		no_error = !p->result;
		e->value = parse_term(p);
		parser_recover(p, no_error);
	} while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE_SET, "'}'");
	if (count > PROPERTIES_MAX)
		parser_refuse(p, at, CQL_SYNTAX, "Too many sub-options");
	if (!p->result && !p->noted)	/* else they may be no terms */
		add_entries(p, property, entries, count);
}

void parse_property(struct parser *p, struct properties *properties)
{
	struct written_property *property;
	struct token at = p->here;
	uint32_t start, i;

	property = append(p, properties->items, properties->count);
	property->name = parse_name(p, "a property");
	expect(p, TOKEN_EQ, "'='");
	start = p->here.offset;
	if (p->here.kind == TOKEN_OPEN_SET)
		parse_property_map(p, property);
	else
		property->value = parse_property_value(p);
	property->value_span = span_from(p, start);
	if (p->result)
		return;
	if (properties->count > PROPERTIES_MAX) {
		parser_refuse(p, at, CQL_SYNTAX, "Too many properties");
		return;
	}
	for (i = 0; i + 1 < properties->count; i++)
		if (bytes_equal(properties->items[i].name.text,
				property->name.text))
			parser_note(p, at, "Multiple definitions for property "
				    "'%s'",
				    (const char *)property->name.text.ptr);
}

void parse_properties(struct parser *p, struct properties *properties)
{
	do
		parse_property(p, properties);
	while (accept(p, KEYWORD_AND));
}

static void parse_keyspace_statement(struct parser *p, struct statement *s,
				     bool create)
{
	struct keyspace_statement *k = new_node(p, struct keyspace_statement);

	s->kind = create ? STATEMENT_CREATE_KEYSPACE : STATEMENT_ALTER_KEYSPACE;
	s->keyspace = k;
	next(p);
	if (create)
		k->if_not_exists = parse_if_not_exists(p);
	else
		k->if_exists = parse_if_exists(p);
	k->name = parse_keyspace_name(p);
	expect(p, KEYWORD_WITH, "WITH");
	parse_properties(p, &k->properties);
}

void parse_alter_keyspace(struct parser *p, struct statement *s)
{
	parse_keyspace_statement(p, s, false);
}

static void parse_type_field(struct parser *p, struct create_type *t)
{
	struct column_definition *f = append(p, t->fields, t->field_count);
	uint32_t start = p->here.offset;

	f->name = parse_name(p, "a field");
	f->type = parse_type(p);
	f->span = span_from(p, start);
}

static void parse_create_type(struct parser *p, struct statement *s)
{
	struct create_type *t = new_node(p, struct create_type);

	s->kind = STATEMENT_CREATE_TYPE;
	s->create_type = t;
	next(p);
	t->if_not_exists = parse_if_not_exists(p);
	t->name = parse_user_type_name(p);
	expect(p, TOKEN_OPEN, "'('");
	parse_type_field(p, t);
	while (accept(p, TOKEN_COMMA))
		if (p->here.kind != TOKEN_COMMA && p->here.kind != TOKEN_CLOSE)
			parse_type_field(p, t);
	expect(p, TOKEN_CLOSE, "')'");
}

static void parse_index_target(struct parser *p, struct indexed_column *t)
{
	bool function = token_is_name(p->here.kind) &&
			parse_peek_ahead(p, 1) == TOKEN_OPEN;

	switch (p->here.kind) {
	case KEYWORD_VALUES:
		t->kind = function ? INDEX_TARGET_VALUES : INDEX_TARGET_SIMPLE;
		break;
	case KEYWORD_KEYS:
		t->kind = function ? INDEX_TARGET_KEYS : INDEX_TARGET_SIMPLE;
		break;
	case KEYWORD_ENTRIES:
		t->kind = INDEX_TARGET_ENTRIES;
		break;
	case KEYWORD_FULL:
		t->kind = INDEX_TARGET_FULL;
		break;
	default:
		break;
	}
	if (t->kind == INDEX_TARGET_SIMPLE) {
		t->column = parse_column(p);
		return;
	}
	next(p);
	expect(p, TOKEN_OPEN, "'('");
	t->column = parse_column(p);
	expect(p, TOKEN_CLOSE, "')'");
}

static void parse_create_index(struct parser *p, struct statement *s)
{
	struct create_index *i = new_node(p, struct create_index);

	s->kind = STATEMENT_CREATE_INDEX;
	s->create_index = i;
	i->custom = accept(p, KEYWORD_CUSTOM);
	expect(p, KEYWORD_INDEX, "INDEX");
	i->if_not_exists = parse_if_not_exists(p);
	if (!parse_marked_name(p, "index") && token_is_name(p->here.kind))
		i->name = parse_name(p, "an index");
	expect(p, KEYWORD_ON, "ON");
	i->table = parse_qualified(p, "table");
	expect(p, TOKEN_OPEN, "'('");
	if (p->here.kind != TOKEN_CLOSE) {
		do
			parse_index_target(p, append(p, i->targets,
						     i->target_count));
		while (accept(p, TOKEN_COMMA));
	}
	expect(p, TOKEN_CLOSE, "')'");
	if (accept(p, KEYWORD_USING))
		i->using_class = parse_text(p, expect(p, TOKEN_STRING,
						      "a class in quotes"));
	if (accept(p, KEYWORD_WITH))
		parse_properties(p, &i->properties);
}

void parse_create(struct parser *p, struct statement *s)
{
	enum token_kind kind = p->here.kind;

	if (kind == KEYWORD_TABLE)
		parse_create_table(p, s);
	else if (kind == KEYWORD_KEYSPACE)
		parse_keyspace_statement(p, s, true);
	else if (kind == KEYWORD_TYPE)
		parse_create_type(p, s);
	else if (kind == KEYWORD_INDEX || kind == KEYWORD_CUSTOM)
		parse_create_index(p, s);
	else if (kind == KEYWORD_ROLE || kind == KEYWORD_USER) {
		s->kind = STATEMENT_ROLES;
		parse_create_role(p);
	} else if (!parse_create_other(p, s)) {
		parser_expected(p, p->here, "a kind of object to create");
	}
}

static void parse_drop_view_or_trigger(struct parser *p, struct statement *s)
{
	bool view = next(p).kind == KEYWORD_MATERIALIZED;

	s->kind = view ? STATEMENT_DROP_VIEW : STATEMENT_DROP_TRIGGER;
	s->named = new_node(p, struct table_name);
	if (view)
		expect(p, KEYWORD_VIEW, "VIEW");
	parse_if_exists(p);
	if (view) {
		*s->named = parse_qualified(p, "table");
		return;
	}
	parse_name(p, "a trigger");
	expect(p, KEYWORD_ON, "ON");
	*s->named = parse_qualified(p, "table");
}

static void parse_drop_function(struct parser *p, struct statement *s)
{
	bool aggregate = next(p).kind == KEYWORD_AGGREGATE;

	s->kind = aggregate ? STATEMENT_DROP_AGGREGATE
			    : STATEMENT_DROP_FUNCTION;
	s->named = new_node(p, struct table_name);
	parse_if_exists(p);
	*s->named = parse_qualified(p, "function");
	if (p->here.kind == TOKEN_OPEN)
		parse_types_in_brackets(p);
}

static void parse_plain_drop(struct parser *p, struct statement *s,
			     enum token_kind kind)
{
	struct drop *d = s->drop = new_node(p, struct drop);

	next(p);
	d->if_exists = parse_if_exists(p);
	if (kind == KEYWORD_KEYSPACE) {
		s->kind = STATEMENT_DROP_KEYSPACE;
		d->name.name = parse_keyspace_name(p);
	} else if (kind == KEYWORD_TYPE) {
		s->kind = STATEMENT_DROP_TYPE;
		d->name = parse_user_type_name(p);
	} else if (kind == KEYWORD_INDEX) {
		s->kind = STATEMENT_DROP_INDEX;
		d->name = parse_qualified(p, "index");
	} else {
		s->kind = STATEMENT_DROP_TABLE;
		d->name = parse_qualified(p, "table");
	}
}

void parse_drop(struct parser *p, struct statement *s)
{
	enum token_kind kind = p->here.kind;

	switch (kind) {
	case KEYWORD_KEYSPACE:
	case KEYWORD_TABLE:
	case KEYWORD_TYPE:
	case KEYWORD_INDEX:
		parse_plain_drop(p, s, kind);
		break;
	case KEYWORD_MATERIALIZED:
	case KEYWORD_TRIGGER:
		parse_drop_view_or_trigger(p, s);
		break;
	case KEYWORD_FUNCTION:
	case KEYWORD_AGGREGATE:
		parse_drop_function(p, s);
		break;
	case KEYWORD_ROLE:
	case KEYWORD_USER:
	case KEYWORD_IDENTITY:
		s->kind = STATEMENT_ROLES;
		parse_drop_role(p);
		break;
	default:
		parser_expected(p, p->here, "a kind of object to drop");
	}
}
