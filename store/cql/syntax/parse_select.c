/* SELECT, and the WHERE that it shares with UPDATE and DELETE. */
#include "store/cql/syntax/parse_select.h"
#include "store/cql/syntax/parse_selector.h"
#include "store/cql/syntax/parse_term.h"
#include "store/cql/syntax/parser.h"

bool parse_at_comparison(enum token_kind kind)
{
	return kind >= TOKEN_EQ && kind <= TOKEN_GE;
}

enum operator_kind parse_comparison(struct parser *p)
{
	static const uint8_t operators[] = {
		[TOKEN_EQ] = OPERATOR_EQ, [TOKEN_NE] = OPERATOR_NE,
		[TOKEN_LT] = OPERATOR_LT, [TOKEN_LE] = OPERATOR_LE,
		[TOKEN_GT] = OPERATOR_GT, [TOKEN_GE] = OPERATOR_GE,
	};
	enum token_kind kind = p->here.kind;

	if (!parse_at_comparison(kind)) {
		parser_expected(p, p->here, "an operator");
		return OPERATOR_EQ;
	}
	next(p);
	return operators[kind];
}

void parse_columns(struct parser *p, struct identifier **columns,
		   uint32_t *count)
{
	do
		*append(p, *columns, *count) = parse_column(p);
	while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE, "')'");
}

/* Parse the right side of IN, of values that parse_one reads. */
static void parse_in(struct parser *p, parse_operand *parse_one,
		     struct term **value, struct term ***values,
		     uint32_t *count)
{
	if (parse_at_marker(p)) {
		*value = parse_marker(p);
		return;
	}
	expect(p, TOKEN_OPEN, "'('");
	if (accept(p, TOKEN_CLOSE))
		return;
	do
		*append(p, *values, *count) = parse_one(p);
	while (accept(p, TOKEN_COMMA));
	expect(p, TOKEN_CLOSE, "')'");
}

void parse_in_values(struct parser *p, struct term **value,
		     struct term ***values, uint32_t *count)
{
	parse_in(p, parse_term, value, values, count);
}

static struct term *parse_tuple_or_marker(struct parser *p)
{
	if (parse_at_marker(p))
		return parse_marker(p);
	if (p->here.kind != TOKEN_OPEN)
		parser_expected(p, p->here, "a tuple");
	return parse_tuple(p);
}

/* (a, b) op (1, 2); (a, b) IN ((1, 2), (3, 4)) */
static void parse_tuple_relation(struct parser *p, struct relation *r)
{
	r->kind = RELATION_TUPLE;
	next(p);
	parse_columns(p, &r->columns, &r->column_count);
	if (!accept(p, KEYWORD_IN)) {
		r->op = parse_comparison(p);
		r->value = parse_tuple_or_marker(p);
		return;
	}
	r->op = OPERATOR_IN;
	parse_in(p, parse_tuple_or_marker, &r->value, &r->values,
		 &r->value_count);
}

static void parse_token_relation(struct parser *p, struct relation *r)
{
	r->kind = RELATION_TOKEN;
	next(p);
	expect(p, TOKEN_OPEN, "'('");
	parse_columns(p, &r->columns, &r->column_count);
	r->op = parse_comparison(p);
	r->value = parse_term(p);
}

/* Parse a column, and after it an operator and a value in all their forms. */
static void parse_column_relation(struct parser *p, struct relation *r)
{
	*append(p, r->columns, r->column_count) = parse_column(p);
	switch (p->here.kind) {
	case TOKEN_OPEN_LIST:
		next(p);
		r->kind = RELATION_ELEMENT;
		r->key = parse_term(p);
		expect(p, TOKEN_CLOSE_LIST, "']'");
		break;
	case KEYWORD_IN:
		next(p);
		r->op = OPERATOR_IN;
		parse_in_values(p, &r->value, &r->values, &r->value_count);
		return;
	case KEYWORD_IS:
		next(p);
		r->op = OPERATOR_IS_NOT;
		expect(p, KEYWORD_NOT, "NOT");
		r->value = parse_null(p);
		return;
	case KEYWORD_LIKE:
		next(p);
		r->op = OPERATOR_LIKE;
		r->value = parse_term(p);
		return;
	case KEYWORD_CONTAINS:
		next(p);
		r->op = accept(p, KEYWORD_KEY) ? OPERATOR_CONTAINS_KEY
					       : OPERATOR_CONTAINS;
		r->value = parse_term(p);
		return;
	default:
		break;
	}
	r->op = parse_comparison(p);
	r->value = parse_term(p);
}

/* True at ( name , or ( name ): the beginning of a tuple; else a relation in
 * brackets. */
static bool at_columns(struct parser *p)
{
	enum token_kind kind = parse_peek_ahead(p, 1),
		after = parse_peek_ahead(p, 2);

	return (token_is_name(kind) || kind == TOKEN_EMPTY_QUOTED_NAME) &&
	       (after == TOKEN_COMMA || after == TOKEN_CLOSE);
}

static void parse_relation(struct parser *p, struct relation *r)
{
	uint32_t brackets = 0;

	while (p->here.kind == TOKEN_OPEN && !at_columns(p)) {
		next(p);
		brackets++;
	}
	r->kind = RELATION_COLUMN;
	r->span.offset = p->here.offset;
	if (p->here.kind == TOKEN_OPEN)
		parse_tuple_relation(p, r);
	else if (p->here.kind == KEYWORD_TOKEN)
		parse_token_relation(p, r);
	else
		parse_column_relation(p, r);
	r->span = span_from(p, r->span.offset);
	while (brackets--) {
		if (p->here.kind != TOKEN_CLOSE) {
			parser_expected(p, p->here, "')'");
			return;
		}
		next(p);
	}
}

static void parse_custom_expression(struct parser *p, struct relation *r)
{
	uint32_t start = next(p).offset;

	r->kind = RELATION_CUSTOM;
	*append(p, r->columns, r->column_count) = parse_name(p, "an index");
	expect(p, TOKEN_COMMA, "','");
	r->value = parse_term(p);
	expect(p, TOKEN_CLOSE, "')'");
	r->span = span_from(p, start);
}

void parse_where(struct parser *p, struct relation **relations,
		 uint32_t *count)
{
	do {
		struct relation *r = append(p, *relations, *count);

		if (p->here.kind == TOKEN_EXPR_OPEN)
			parse_custom_expression(p, r);
		else
			parse_relation(p, r);
	} while (accept(p, KEYWORD_AND));
}

void parse_selections(struct parser *p, struct select *s)
{
	if (accept(p, TOKEN_STAR)) {
		s->all = true;
		return;
	}
	do {
		struct selection *selection =
			append(p, s->selections, s->selection_count);

		selection->term = parse_selector(p);
		if (accept(p, KEYWORD_AS))
			selection->alias = parse_name(p, "an alias");
	} while (accept(p, TOKEN_COMMA));
}

/*
 * Parse a word and what follows it. JSON and DISTINCT are names too: each is a
 * keyword if a selection can be read after it, else a column: then false, and
 * nothing is read.
 */
static bool parse_after_word(struct parser *p, struct select *s,
			      enum token_kind word,
			      void (*parse)(struct parser *p, struct select *s))
{
	struct parser copy;

	if (p->here.kind != word)
		return false;
	copy = *p;
	next(p);
	parse(p, s);
	if (!parser_retry(p, &copy))
		return true;
	s->selections = NULL;
	s->selection_count = 0;
	s->all = s->distinct = false;
	return false;
}

static void parse_distinct(struct parser *p, struct select *s)
{
	s->distinct = parse_after_word(p, s, KEYWORD_DISTINCT,
				       parse_selections);
	if (!s->distinct)
		parse_selections(p, s);
}

static void parse_select_clause(struct parser *p, struct select *s)
{
	s->json = parse_after_word(p, s, KEYWORD_JSON, parse_distinct);
	if (!s->json)
		parse_distinct(p, s);
	expect(p, KEYWORD_FROM, "FROM");
}

static void parse_ordering(struct parser *p, struct ordering *o)
{
	o->column = parse_column(p);
	if (accept(p, KEYWORD_ANN)) {
		expect(p, KEYWORD_OF, "OF");
		o->ann_of = parse_term(p);
	}
	o->descending = p->here.kind == KEYWORD_DESC;
	if (!accept(p, KEYWORD_ASC))
		accept(p, KEYWORD_DESC);
}

static void parse_groups_and_orders(struct parser *p, struct select *s)
{
	if (accept(p, KEYWORD_GROUP)) {
		expect(p, KEYWORD_BY, "BY");
		p->grouping = true;
		do
			*append(p, s->groups, s->group_count) =
				parse_selector(p);
		while (accept(p, TOKEN_COMMA));
		p->grouping = false;
	}
	if (accept(p, KEYWORD_ORDER)) {
		expect(p, KEYWORD_BY, "BY");
		do
			parse_ordering(p, append(p, s->orderings,
						 s->ordering_count));
		while (accept(p, TOKEN_COMMA));
	}
}

struct select *parse_select(struct parser *p)
{
	struct select *s = new_node(p, struct select);

	parse_select_clause(p, s);
	s->table = parse_qualified(p, "table");
	if (accept(p, KEYWORD_WHERE))
		parse_where(p, &s->relations, &s->relation_count);
	parse_groups_and_orders(p, s);
	if (accept(p, KEYWORD_PER)) {
		expect(p, KEYWORD_PARTITION, "PARTITION");
		expect(p, KEYWORD_LIMIT, "LIMIT");
		s->per_partition_limit = parse_integer(p);
	}
	if (accept(p, KEYWORD_LIMIT))
		s->limit = parse_integer(p);
	if (accept(p, KEYWORD_ALLOW)) {
		expect(p, KEYWORD_FILTERING, "FILTERING");
		s->allow_filtering = true;
	}
	return s;
}
