/* CREATE and DROP, and the properties of WITH. */
#include "store/cql/parser.h"

/* More than any object has; the rest would be compared with all before. */
#define PROPERTIES_MAX 1000

/* What a property's value may be written as: a constant, or a free word. */
static struct bytes parse_property_value(struct parser *p)
{
	enum token_kind kind = peek(p);

	if (token_is_unreserved_keyword(kind))
		return parse_text(p, next(p));
	return parse_constant(p)->text;
}

static void add_entry(struct parser *p, struct written_property *property,
		      const struct term *key, const struct term *value,
		      struct token at)
{
	uint32_t i;

	if (p->result)
		return;
	if (property->entry_count >= PROPERTIES_MAX) {
		parser_refuse(p, at, CQL_SYNTAX, "Too many sub-options");
		return;
	}
	for (i = 0; i < property->entry_count; i++)
		if (bytes_equal(property->entries[i].key, key->text))
			parser_refuse(p, at, CQL_SYNTAX,
				      "Multiple definition for property %s",
				      (const char *)key->text.ptr);
	append(p, property->entries, property->entry_count);
	if (p->result)
		return;
	i = property->entry_count - 1;
	property->entries[i].key = key->text;
	property->entries[i].value = value->text;
}

static void refuse_term(struct parser *p, struct token at, const char *what,
			const struct term *t, const char *of)
{
	struct buf text = BUF_INIT;

	term_print(&text, t);
	parser_refuse(p, at, CQL_SYNTAX, "%s%s%s%s", what, buf_cstr(&text), of,
		      t->kind == TERM_MARKER ? " (bind variables are not "
					       "supported in DDL queries)" : "");
	buf_release(&text);
}

/* {'class': 'x', 'n': 1}: any terms by the grammar, constants by meaning. */
static void parse_property_map(struct parser *p,
			       struct written_property *property)
{
	const struct term *key, *value, *bad = NULL, *bad_key = NULL;
	const char *what = "";
	struct token at, bad_at = here(p);
	struct buf of = BUF_INIT;

	property->is_map = true;
	next(p);
	if (accept(p, TOKEN_CLOSE_SET))
		return;
	do {
		at = here(p);
		key = parse_term(p);
		expect(p, TOKEN_COLON, "':'");
		value = parse_term(p);
		if (p->result)
			return;
		if (bad)
			continue;
		if (key->kind == TERM_CONSTANT &&
		    value->kind == TERM_CONSTANT) {
			add_entry(p, property, key, value, at);
			continue;
		}
		bad_at = at;
		bad_key = key;
		bad = key->kind == TERM_CONSTANT ? value : key;
		what = bad == key ? "Invalid property name: "
				  : "Invalid property value: ";
	} while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE_SET, "'}'");
	if (bad && bad != bad_key) {
		buf_add_str(&of, " for property: ");
		term_print(&of, bad_key);
	}
	if (bad)
		refuse_term(p, bad_at, what, bad, buf_cstr(&of));
	buf_release(&of);
}

void parse_property(struct parser *p, struct properties *properties)
{
	struct written_property *property;
	struct token at = here(p);
	uint32_t start, i;

	property = append(p, properties->items, properties->count);
	property->name = parse_name(p, "a property");
	expect(p, TOKEN_EQ, "'='");
	start = here(p).offset;
	if (peek(p) == TOKEN_OPEN_SET)
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
			parser_refuse(p, at, CQL_SYNTAX, "Multiple definitions "
				      "for property '%s'",
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

/* MASKED WITH DEFAULT | f(a, b) */
struct term *parse_mask(struct parser *p)
{
	enum token_kind after;

	expect(p, KEYWORD_MASKED, "MASKED");
	expect(p, KEYWORD_WITH, "WITH");
	after = peek_ahead(p, 1);
	if (peek(p) == KEYWORD_DEFAULT && after != TOKEN_OPEN &&
	    after != TOKEN_DOT) {
		struct term *t = new_term(p, TERM_CALL, here(p).offset);

		next(p);
		t->name.text = bytes_str("mask_default");
		return finish_term(p, t);
	}
	return parse_function_call(p);
}

/* name type [STATIC] [MASKED …] */
void parse_column_definition(struct parser *p, struct column_definition *c)
{
	uint32_t start = here(p).offset;

	c->name = parse_name(p, "a column");
	c->type = parse_type(p);
	c->is_static = accept(p, KEYWORD_STATIC);
	if (peek(p) == KEYWORD_MASKED)
		c->mask = parse_mask(p);
	c->span = span_from(p, start);
}

void parse_primary_key(struct parser *p, struct create_table *t)
{
	t->key_count++;
	t->partition_key = t->clustering_key = NULL;
	t->partition_key_count = t->clustering_key_count = 0;
	expect(p, KEYWORD_KEY, "KEY");
	expect(p, TOKEN_OPEN, "'('");
	if (accept(p, TOKEN_OPEN)) {
		do
			*append(p, t->partition_key, t->partition_key_count) =
				parse_name(p, "a column");
		while (accept(p, TOKEN_COMMA));
		expect(p, TOKEN_CLOSE, "')'");
	} else {
		*append(p, t->partition_key, t->partition_key_count) =
			parse_name(p, "a column");
	}
	while (accept(p, TOKEN_COMMA))
		*append(p, t->clustering_key, t->clustering_key_count) =
			parse_name(p, "a column");
	expect(p, TOKEN_CLOSE, "')'");
}

static void parse_table_item(struct parser *p, struct create_table *t)
{
	struct column_definition *c;

	if (accept(p, KEYWORD_PRIMARY)) {
		parse_primary_key(p, t);
		return;
	}
	c = append(p, t->columns, t->column_count);
	parse_column_definition(p, c);
	if (!accept(p, KEYWORD_PRIMARY))
		return;
	expect(p, KEYWORD_KEY, "KEY");
	c->primary_key = true;
	t->key_count++;
}

static void parse_clustering_order(struct parser *p, struct create_table *t)
{
	next(p);
	next(p);
	expect(p, KEYWORD_BY, "BY");
	expect(p, TOKEN_OPEN, "'('");
	do {
		struct clustering_order *o = append(p, t->orders,
						    t->order_count);

		o->column = parse_name(p, "a column");
		o->descending = peek(p) == KEYWORD_DESC;
		if (!o->descending)
			expect(p, KEYWORD_ASC, "ASC or DESC");
		else
			next(p);
	} while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE, "')'");
}

static void parse_table_property(struct parser *p, struct create_table *t)
{
	enum token_kind after = peek_ahead(p, 1);

	if (peek(p) == KEYWORD_COMPACT && after == KEYWORD_STORAGE) {
		next(p);
		next(p);
		t->compact_storage = true;
	} else if (peek(p) == KEYWORD_CLUSTERING && after == KEYWORD_ORDER) {
		parse_clustering_order(p, t);
	} else {
		parse_property(p, &t->properties);
	}
}

void parse_table_properties(struct parser *p, struct create_table *t)
{
	if (!accept(p, KEYWORD_WITH))
		return;
	do
		parse_table_property(p, t);
	while (accept(p, KEYWORD_AND));
}

static void parse_create_table(struct parser *p, struct statement *s)
{
	struct create_table *t = new_node(p, struct create_table);

	s->kind = STATEMENT_CREATE_TABLE;
	s->create_table = t;
	next(p);
	t->if_not_exists = parse_if_not_exists(p);
	t->table = parse_qualified(p, "table");
	expect(p, TOKEN_OPEN, "'('");
	parse_table_item(p, t);
	/* an empty item between or behind the others is none */
	while (accept(p, TOKEN_COMMA))
		if (peek(p) != TOKEN_COMMA && peek(p) != TOKEN_CLOSE)
			parse_table_item(p, t);
	expect(p, TOKEN_CLOSE, "')'");
	parse_table_properties(p, t);
}

static void parse_type_field(struct parser *p, struct create_type *t)
{
	struct column_definition *f = append(p, t->fields, t->field_count);
	uint32_t start = here(p).offset;

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
		if (peek(p) != TOKEN_COMMA && peek(p) != TOKEN_CLOSE)
			parse_type_field(p, t);
	expect(p, TOKEN_CLOSE, "')'");
}

static void parse_index_target(struct parser *p, struct indexed_column *t)
{
	bool function = peek_ahead(p, 1) == TOKEN_OPEN;

	switch (peek(p)) {
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
	if (!parse_marked_name(p, "index") && token_is_name(peek(p)))
		i->name = parse_name(p, "an index");
	expect(p, KEYWORD_ON, "ON");
	i->table = parse_qualified(p, "table");
	expect(p, TOKEN_OPEN, "'('");
	if (peek(p) != TOKEN_CLOSE) {
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
	enum token_kind kind = peek(p);

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
		parser_expected(p, here(p), "what to create");
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
	if (!accept(p, TOKEN_OPEN) || accept(p, TOKEN_CLOSE))
		return;
	do
		parse_type(p);
	while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE, "')'");
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
	enum token_kind kind = peek(p);

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
		parser_expected(p, here(p), "what to drop");
	}
}
