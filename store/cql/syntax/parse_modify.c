/* INSERT, UPDATE, DELETE and BATCH. */
#include "store/cql/syntax/parse_modify.h"
#include "store/cql/syntax/parse_select.h"
#include "store/cql/syntax/parse_term.h"
#include "store/cql/syntax/parser.h"

static void parse_using(struct parser *p, struct using_clause *using)
{
	do {
		if (accept(p, KEYWORD_TIMESTAMP)) {
			using->timestamp = parse_integer(p);
		} else if (accept(p, KEYWORD_TTL)) {
			using->ttl = parse_integer(p);
		} else {
			parser_expected(p, p->here, "TIMESTAMP or TTL");
			return;
		}
	} while (accept(p, KEYWORD_AND));
}

static void parse_insert_values(struct parser *p, struct insert *s)
{
	next(p);
	parse_columns(p, &s->columns, &s->column_count);
	expect(p, KEYWORD_VALUES, "VALUES");
	expect(p, TOKEN_OPEN, "'('");
	do
		*append(p, s->values, s->value_count) = parse_term(p);
	while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE, "')'");
}

static void parse_insert_json(struct parser *p, struct insert *s)
{
	next(p);
	s->json = parse_string(p);
	if (!accept(p, KEYWORD_DEFAULT))
		return;
	s->json_default_unset = accept(p, KEYWORD_UNSET);
	if (!s->json_default_unset)
		expect(p, KEYWORD_NULL, "NULL or UNSET");
}

struct insert *parse_insert(struct parser *p)
{
	struct insert *s = new_node(p, struct insert);

	expect(p, KEYWORD_INTO, "INTO");
	s->table = parse_qualified(p, "table");
	if (p->here.kind == TOKEN_OPEN)
		parse_insert_values(p, s);
	else if (p->here.kind == KEYWORD_JSON)
		parse_insert_json(p, s);
	else
		parser_expected(p, p->here, "'(' or JSON");
	s->if_not_exists = parse_if_not_exists(p);
	if (accept(p, KEYWORD_USING))
		parse_using(p, &s->using);
	return s;
}

/*
 * Set a as the assignment of a column in set, or of a field of it (else null).
 * Return the one that was there, or NULL; it may lie in an array that has been
 * replaced by a larger one.
 */
static const struct assignment *replace(struct parser *p, struct hash *set,
					struct bytes column, struct bytes field,
					struct assignment *a)
{
	const struct assignment *before = NULL;
	struct hash_place *place = NULL;
	struct buf key = BUF_INIT;

	buf_add_sized(&key, column);
	if (!bytes_is_null(field))
		buf_add_sized(&key, field);
	if (!key.failed)
		place = hash_place(set, p->arena, buf_bytes(&key));
	buf_release(&key);
	if (place) {
		before = place->value;
		place->value = a;
	} else {
		parser_no_memory(p);
	}
	return before;
}

/*
 * Check for two assignments of a column. They are valid together only as steps:
 * adding, elements, different fields. A plain one allows no other.
 */
static void check_double(struct parser *p, struct hash *set,
			 struct assignment *a)
{
	struct token at = { .offset = a->span.offset,
			    .length = a->span.length };
	const struct assignment *before;
	bool double_field;

	if (p->result)
		return;
	double_field = a->kind == ASSIGN_FIELD &&
		       replace(p, set, a->column.text, a->field.text, a);
	before = replace(p, set, a->column.text, BYTES_NULL, a);
	if (double_field || (before && (a->kind == ASSIGN_SET ||
					before->kind == ASSIGN_SET)))
		parser_note(p, at, "Multiple incompatible setting of column %s",
			    (const char *)a->column.text.ptr);
}

/* Check the token after a term, which may be one that follows terms in any
 * statement. Faults of the assignment are checked after that. */
static void check_after_term(struct parser *p)
{
	switch (p->here.kind) {
	case TOKEN_END:
	case TOKEN_SEMICOLON:
	case TOKEN_COMMA:
	case TOKEN_COLON:
	case TOKEN_RANGE:
	case TOKEN_CLOSE:
	case TOKEN_CLOSE_LIST:
	case TOKEN_CLOSE_SET:
	case KEYWORD_ALLOW:
	case KEYWORD_AND:
	case KEYWORD_APPLY:
	case KEYWORD_ASC:
	case KEYWORD_DELETE:
	case KEYWORD_DESC:
	case KEYWORD_GROUP:
	case KEYWORD_IF:
	case KEYWORD_INSERT:
	case KEYWORD_LIMIT:
	case KEYWORD_ORDER:
	case KEYWORD_PER:
	case KEYWORD_PRIMARY:
	case KEYWORD_UPDATE:
	case KEYWORD_WHERE:
		break;
	default:
		parser_expected(p, p->here, "WHERE");
	}
}

static void check_same_column(struct parser *p, const struct assignment *a,
			      struct token at, const struct identifier *other,
			      const char *form)
{
	if (!p->result && !bytes_equal(a->column.text, other->text))
		parser_note(p, at, "Only expressions of the form %s are "
				   "supported.", form);
}

/* c = term | term + c | c + term | c - term | c -1 */
static void parse_plain_assignment(struct parser *p, struct assignment *a)
{
	enum token_kind kind = p->here.kind, after = TOKEN_END;
	struct token at = p->here;
	struct identifier other;
	bool minus;

	if (token_is_name(kind) || kind == TOKEN_EMPTY_QUOTED_NAME)
		after = parse_peek_ahead(p, 1);
	if ((!token_is_name(kind) && kind != TOKEN_EMPTY_QUOTED_NAME) ||
	    (after != TOKEN_PLUS && after != TOKEN_MINUS &&
	     after != TOKEN_INTEGER)) {
		a->value = parse_assigned_term(p);
		a->kind = ASSIGN_SET;
		if (!accept(p, TOKEN_PLUS)) {
			check_after_term(p);
			return;
		}
		at = p->here;
		a->kind = ASSIGN_PREPEND;
		other = parse_column(p);
		if (p->here.kind != TOKEN_COMMA && p->here.kind != KEYWORD_WHERE)
			parser_expected(p, p->here, "WHERE");
		check_same_column(p, a, at, &other, "X = <value> + X");
		return;
	}
	other = parse_column(p);
	a->kind = after == TOKEN_MINUS ? ASSIGN_SUBTRACT : ASSIGN_ADD;
	if (after == TOKEN_INTEGER) {
		minus = p->text.ptr[p->here.offset] == '-';
		a->value = parse_integer(p);
		check_same_column(p, a, at, &other,
				  minus ? "X = X - <value>" : "X = X + <value>");
		return;
	}
	next(p);
	a->value = parse_term(p);
	check_after_term(p);
	check_same_column(p, a, at, &other, after == TOKEN_MINUS ?
			  "X = X -<value>" : "X = X +<value>");
}

static void parse_assignment(struct parser *p, struct assignment *a)
{
	uint32_t start = p->here.offset;

	a->column = parse_column(p);
	switch (p->here.kind) {
	case TOKEN_EQ:
		next(p);
		parse_plain_assignment(p, a);
		break;
	case TOKEN_ADD_TO:
	case TOKEN_TAKE_FROM:
		a->kind = next(p).kind == TOKEN_ADD_TO ? ASSIGN_ADD
						       : ASSIGN_SUBTRACT;
		a->value = parse_term(p);
		check_after_term(p);
		break;
	case TOKEN_OPEN_LIST:
		next(p);
		a->kind = ASSIGN_ELEMENT;
		a->key = parse_term(p);
		expect(p, TOKEN_CLOSE_LIST, "']'");
		expect(p, TOKEN_EQ, "'='");
		a->value = parse_term(p);
		check_after_term(p);
		break;
	case TOKEN_DOT:
		next(p);
		a->kind = ASSIGN_FIELD;
		a->field = parse_name(p, "a field");
		expect(p, TOKEN_EQ, "'='");
		a->value = parse_term(p);
		check_after_term(p);
		break;
	default:
		parser_expected(p, p->here, "'='");
	}
	a->span = span_from(p, start);
}

static void parse_condition(struct parser *p, struct condition *c)
{
	uint32_t start = p->here.offset;
	bool whole = true;

	c->column = parse_column(p);
	if (accept(p, TOKEN_OPEN_LIST)) {
		c->key = parse_term(p);
		expect(p, TOKEN_CLOSE_LIST, "']'");
		whole = false;
	} else if (accept(p, TOKEN_DOT)) {
		c->field = parse_name(p, "a field");
		whole = false;
	}
	if (accept(p, KEYWORD_IN)) {
		c->op = OPERATOR_IN;
		parse_in_values(p, &c->value, &c->values, &c->value_count);
	} else if (whole && accept(p, KEYWORD_CONTAINS)) {
		c->op = accept(p, KEYWORD_KEY) ? OPERATOR_CONTAINS_KEY
					       : OPERATOR_CONTAINS;
		c->value = parse_term(p);
	} else {
		c->op = parse_comparison(p);
		c->value = parse_term(p);
	}
	c->span = span_from(p, start);
}

/* True at EXISTS of IF EXISTS; but in IF exists = 1 it is a column. */
static bool at_exists(struct parser *p)
{
	enum token_kind after = p->here.kind == KEYWORD_EXISTS ?
			parse_peek_ahead(p, 1) : TOKEN_END;

	return p->here.kind == KEYWORD_EXISTS && !parse_at_comparison(after) &&
	       after != KEYWORD_IN && after != KEYWORD_CONTAINS &&
	       after != TOKEN_OPEN_LIST && after != TOKEN_DOT;
}

static void parse_if(struct parser *p, struct if_clause *c)
{
	uint32_t start = p->here.offset;

	if (!accept(p, KEYWORD_IF))
		return;
	if (at_exists(p)) {
		next(p);
		c->exists = true;
	} else {
		do
			parse_condition(p, append(p, c->conditions,
						  c->condition_count));
		while (accept(p, KEYWORD_AND));
	}
	c->span = span_from(p, start);
}

struct update *parse_update(struct parser *p)
{
	struct update *s = new_node(p, struct update);
	struct hash set = { .count = 0 };
	struct assignment *a;

	s->table = parse_qualified(p, "table");
	if (accept(p, KEYWORD_USING))
		parse_using(p, &s->using);
	expect(p, KEYWORD_SET, "SET");
	do {
		a = append(p, s->assignments, s->assignment_count);
		parse_assignment(p, a);
		check_double(p, &set, a);
	} while (accept(p, TOKEN_COMMA));
	expect(p, KEYWORD_WHERE, "WHERE");
	parse_where(p, &s->relations, &s->relation_count);
	parse_if(p, &s->condition);
	return s;
}

static void parse_deletion(struct parser *p, struct deleted_item *d)
{
	uint32_t start = p->here.offset;

	d->column = parse_column(p);
	if (accept(p, TOKEN_OPEN_LIST)) {
		d->key = parse_term(p);
		expect(p, TOKEN_CLOSE_LIST, "']'");
	} else if (accept(p, TOKEN_DOT)) {
		d->field = parse_name(p, "a field");
	}
	d->span = span_from(p, start);
}

struct delete *parse_delete(struct parser *p)
{
	struct delete *s = new_node(p, struct delete);

	if (token_is_name(p->here.kind) || p->here.kind == TOKEN_EMPTY_QUOTED_NAME) {
		do
			parse_deletion(p, append(p, s->deletions,
						 s->deletion_count));
		while (accept(p, TOKEN_COMMA));
	}
	expect(p, KEYWORD_FROM, "FROM");
	s->table = parse_qualified(p, "table");
	if (accept(p, KEYWORD_USING)) {
		expect(p, KEYWORD_TIMESTAMP, "TIMESTAMP");
		s->using.timestamp = parse_integer(p);
	}
	expect(p, KEYWORD_WHERE, "WHERE");
	parse_where(p, &s->relations, &s->relation_count);
	parse_if(p, &s->condition);
	return s;
}

/* Parse a statement of a batch, from its verb: INSERT, UPDATE or DELETE. */
static struct statement *parse_batched(struct parser *p)
{
	struct statement *s = new_node(p, struct statement);
	uint32_t start = p->here.offset;

	switch (next(p).kind) {
	case KEYWORD_INSERT:
		s->kind = STATEMENT_INSERT;
		s->insert = parse_insert(p);
		break;
	case KEYWORD_UPDATE:
		s->kind = STATEMENT_UPDATE;
		s->update = parse_update(p);
		break;
	default:
		s->kind = STATEMENT_DELETE;
		s->delete = parse_delete(p);
		break;
	}
	s->span = span_from(p, start);
	return s;
}

struct batch_statement *parse_batch(struct parser *p)
{
	struct batch_statement *s = new_node(p, struct batch_statement);

	if (accept(p, KEYWORD_UNLOGGED))
		s->kind = BATCH_UNLOGGED;
	else if (accept(p, KEYWORD_COUNTER))
		s->kind = BATCH_COUNTER;
	expect(p, KEYWORD_BATCH, "BATCH");
	if (accept(p, KEYWORD_USING))
		parse_using(p, &s->using);
	while (p->here.kind == KEYWORD_INSERT || p->here.kind == KEYWORD_UPDATE ||
	       p->here.kind == KEYWORD_DELETE) {
		struct statement *inner = parse_batched(p);

		*append(p, s->statements, s->statement_count) = inner;
		accept(p, TOKEN_SEMICOLON);
	}
	expect(p, KEYWORD_APPLY, "APPLY BATCH");
	expect(p, KEYWORD_BATCH, "BATCH");
	return s;
}
