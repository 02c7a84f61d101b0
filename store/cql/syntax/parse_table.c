/*
 * CREATE TABLE, and column definitions there and in ALTER TABLE. Cassandra
 * refuses duplicates as soon as it has read them, also where the statement has
 * an error before that, if it continued after it (parser_recover).
 */
#include "store/cql/syntax/parse_schema.h"
#include "store/cql/syntax/parse_table.h"
#include "store/cql/syntax/parse_term.h"
#include "store/cql/syntax/parser.h"
#include "store/cql/syntax/type_name.h"

/* Parse f(a, b). If its first argument is wrong, nothing of the mask, which
 * begins at start, is consumed. */
static struct term *parse_masking_call(struct parser *p, uint32_t start)
{
	struct term *t = parse_new_term(p, TERM_CALL, p->here.offset);
	uint32_t first;

	parse_function_name(p, t);
	first = p->here.offset;
	parse_arguments(p, t);
	if (p->stopped <= first)
		p->stopped = start;
	return t;
}

struct term *parse_mask(struct parser *p)
{
	uint32_t start = p->here.offset;
	enum token_kind after;

	expect(p, KEYWORD_MASKED, "MASKED");
	expect(p, KEYWORD_WITH, "WITH");
	after = parse_peek_ahead(p, 1);
	if (p->here.kind == KEYWORD_DEFAULT && after != TOKEN_OPEN &&
	    after != TOKEN_DOT) {
		struct term *t = parse_new_term(p, TERM_CALL, p->here.offset);

		next(p);
		t->name.text = bytes_str("mask_default");
		return parse_finish_term(p, t);
	}
	return parse_masking_call(p, start);
}

/* name type */
static void parse_name_and_type(struct parser *p, struct column_definition *c)
{
	c->span.offset = p->here.offset;
	c->name = parse_name(p, "a column");
	c->type = parse_type(p);
}

/* [STATIC] [MASKED …] */
static void parse_rest_of_column(struct parser *p, struct column_definition *c)
{
	bool no_error = !p->result;

	c->is_static = accept(p, KEYWORD_STATIC);
	if (p->here.kind == KEYWORD_MASKED)
		c->mask = parse_mask(p);
	parser_recover(p, no_error);
	c->span = span_from(p, c->span.offset);
}

void parse_column_definition(struct parser *p, struct column_definition *c)
{
	parse_name_and_type(p, c);
	parse_rest_of_column(p, c);
}

/* Return the table as it was written, with or without a keyspace; "null" for a
 * marker. */
static const char *table_as_written(struct parser *p, const struct table_name *name)
{
	const char *keyspace = (const char *)name->keyspace.text.ptr;
	const char *table = (const char *)name->name.text.ptr;

	if (!table)
		table = "null";
	if (!keyspace)
		return table;
	table = arena_format(p->arena, "%s.%s", keyspace, table);
	if (!table)
		parser_no_memory(p);
	return table;
}

static void refuse_double(struct parser *p, const struct create_table *t,
			  struct identifier name, const char *where,
			  const char *what)
{
	struct token at = { name.span.offset, name.span.length,
			    TOKEN_IDENTIFIER };

	parser_refuse(p, at, CQL_INVALID_REQUEST, "Duplicate column '%s' %s "
		      "for %s '%s'", (const char *)name.text.ptr, where, what,
		      table_as_written(p, &t->table));
}

static void set_key(struct parser *p, struct create_table *t, struct token at)
{
	if (p->result)
		return;
	if (t->has_key)
		parser_refuse(p, at, CQL_INVALID_REQUEST, "Multiple PRIMARY "
			      "KEY specified for table '%s' (exactly one "
			      "required)", table_as_written(p, &t->table));
	t->has_key = true;
}

/* Parse a name; after an invalid one the rest may still be read. */
static struct identifier parse_name_only(struct parser *p)
{
	bool no_error = !p->result;
	struct identifier name = parse_name(p, "a column");

	parser_recover(p, no_error);
	return name;
}

/* (a, b) or a */
static void parse_partition_key(struct parser *p, struct create_table *t,
				struct token at)
{
	bool no_error = !p->result;

	if (accept(p, TOKEN_OPEN)) {
		do
			*append(p, t->partition_key, t->partition_key_count) =
				parse_name_only(p);
		while (accept(p, TOKEN_COMMA));
		expect(p, TOKEN_CLOSE, "')'");
	} else {
		*append(p, t->partition_key, t->partition_key_count) =
			parse_name(p, "a column");
	}
	set_key(p, t, at);
	parser_recover(p, no_error);
}

void parse_primary_key(struct parser *p, struct create_table *t)
{
	struct token at = p->here;

	expect(p, KEYWORD_KEY, "KEY");
	expect(p, TOKEN_OPEN, "'('");
	parse_partition_key(p, t, at);
	while (accept(p, TOKEN_COMMA))
		*append(p, t->clustering_key, t->clustering_key_count) =
			parse_name_only(p);
	expect(p, TOKEN_CLOSE, "')'");
}

static void parse_column_item(struct parser *p, struct create_table *t,
			      struct hash *columns)
{
	struct column_definition *c = append(p, t->columns, t->column_count);
	struct token at;

	parse_name_and_type(p, c);
	if (!p->result && !parser_add_name(p, columns, c->name.text))
		refuse_double(p, t, c->name, "declaration", "table");
	parse_rest_of_column(p, c);
	at = p->here;
	if (!accept(p, KEYWORD_PRIMARY))
		return;
	expect(p, KEYWORD_KEY, "KEY");
	set_key(p, t, at);
	c->primary_key = true;
}

static void parse_table_item(struct parser *p, struct create_table *t,
			     struct hash *columns)
{
	bool no_error = !p->result;

	if (accept(p, KEYWORD_PRIMARY))
		parse_primary_key(p, t);
	else
		parse_column_item(p, t, columns);
	parser_recover(p, no_error);
}

static void parse_clustering_column(struct parser *p, struct create_table *t,
				    struct hash *ordered, const char *what)
{
	struct clustering_order *o = append(p, t->orders, t->order_count);
	bool no_error = !p->result;

	o->column = parse_name_only(p);
	o->descending = p->here.kind == KEYWORD_DESC;
	if (!o->descending)
		expect(p, KEYWORD_ASC, "ASC or DESC");
	else
		next(p);
	if (!p->result && !parser_add_name(p, ordered, o->column.text))
		refuse_double(p, t, o->column,
			      "in CLUSTERING ORDER BY clause", what);
	parser_recover(p, no_error);
}

static void parse_clustering_order(struct parser *p, struct create_table *t,
				   struct hash *ordered, const char *what)
{
	next(p);
	next(p);
	expect(p, KEYWORD_BY, "BY");
	expect(p, TOKEN_OPEN, "'('");
	do
		parse_clustering_column(p, t, ordered, what);
	while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE, "')'");
}

static void parse_compact_storage(struct parser *p, struct create_table *t,
				  bool view)
{
	struct token at = next(p);

	next(p);
	t->compact_storage = true;
	if (view)
		parser_refuse(p, at, CQL_SYNTAX, "COMPACT STORAGE tables are "
			      "not allowed starting with version 4.0");
}

void parse_table_properties(struct parser *p, struct create_table *t,
			    const char *what)
{
	struct hash ordered = { .count = 0 };

	p->recovers = true;
	if (!accept(p, KEYWORD_WITH))
		return;
	do {
		if (p->here.kind == KEYWORD_COMPACT &&
		    parse_peek_ahead(p, 1) == KEYWORD_STORAGE)
			parse_compact_storage(p, t, *what == 'v');
		else if (p->here.kind == KEYWORD_CLUSTERING &&
			 parse_peek_ahead(p, 1) == KEYWORD_ORDER)
			parse_clustering_order(p, t, &ordered, what);
		else
			parse_property(p, &t->properties);
	} while (accept(p, KEYWORD_AND));
}

void parse_create_table(struct parser *p, struct statement *s)
{
	struct create_table *t = new_node(p, struct create_table);
	struct hash columns = { .count = 0 };

	s->kind = STATEMENT_CREATE_TABLE;
	s->create_table = t;
	p->recovers = true;
	next(p);
	t->if_not_exists = parse_if_not_exists(p);
	t->table = parse_qualified(p, "table");
	expect(p, TOKEN_OPEN, "'('");
	/* an empty item between or after the others is ignored */
	parse_table_item(p, t, &columns);
	while (accept(p, TOKEN_COMMA))
		if (p->here.kind != TOKEN_COMMA && p->here.kind != TOKEN_CLOSE)
			parse_table_item(p, t, &columns);
	expect(p, TOKEN_CLOSE, "')'");
	parse_table_properties(p, t, "table");
}
