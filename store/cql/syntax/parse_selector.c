/*
 * The items of a SELECT list (and of GROUP BY): terms with columns in them. In
 * Cassandra they have a grammar of their own, which allows more nesting.
 *
 * Cassandra looks whether a type hint with its value, or the .fields and
 * [elements] after a selector, can be read, and else continues as if they were
 * not there: an error in them is reported at the token where that fails.
 */
#include "store/cql/syntax/parse_selector.h"
#include "store/cql/syntax/parse_term.h"
#include "store/cql/syntax/parser.h"
#include "store/cql/syntax/type_name.h"

static struct term *parse_plain(struct parser *p);


static void parse_items(struct parser *p, struct term *t)
{
	do
		parse_add_item(p, t, parse_selector(p));
	while (accept(p, TOKEN_COMMA));
}

static struct term *parse_list_of(struct parser *p, enum term_kind kind,
				  enum token_kind close, const char *what)
{
	struct term *t = parse_new_term(p, kind, p->here.offset);

	next(p);
	if (kind == TERM_TUPLE || p->here.kind != close)
		parse_items(p, t);
	expect(p, close, what);
	return parse_finish_term(p, t);
}

static struct term *parse_braces(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_SET, p->here.offset);

	next(p);
	if (accept(p, TOKEN_CLOSE_SET))
		return parse_finish_term(p, t);
	parse_add_item(p, t, parse_selector(p));
	if (p->here.kind == TOKEN_COLON) {
		t->kind = TERM_MAP;
		while (expect(p, TOKEN_COLON, "':'").kind == TOKEN_COLON) {
			parse_add_item(p, t, parse_selector(p));
			if (!accept(p, TOKEN_COMMA))
				break;
			parse_add_item(p, t, parse_selector(p));
		}
	} else if (accept(p, TOKEN_COMMA)) {
		parse_items(p, t);
	}
	expect(p, TOKEN_CLOSE_SET, "'}'");
	return parse_finish_term(p, t);
}


static struct term *parse_column_term(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_COLUMN, p->here.offset);

	t->name = parse_name(p, "a column or a value");
	return parse_finish_term(p, t);
}

static struct term *parse_field(struct parser *p, struct term *left)
{
	struct term *t = parse_new_term(p, TERM_FIELD, left->span.offset);

	next(p);
	t->left = left;
	t->name = parse_name(p, "a field");
	parse_adopt_part(p, t, left);
	return parse_finish_term(p, t);
}

/* [k], [a..b], [a..], [..b] */
static struct term *parse_element(struct parser *p, struct term *left)
{
	struct term *t = parse_new_term(p, TERM_ELEMENT, left->span.offset);
	bool slice;

	next(p);
	t->left = left;
	parse_adopt_part(p, t, left);
	slice = p->here.kind == TOKEN_RANGE;
	if (!slice) {
		t->right = parse_term(p);
		parse_adopt_part(p, t, t->right);
	}
	if (accept(p, TOKEN_RANGE)) {
		t->kind = TERM_SLICE;
		if (slice || p->here.kind != TOKEN_CLOSE_LIST) {
			t->to = parse_term(p);
			parse_adopt_part(p, t, t->to);
		}
	}
	expect(p, TOKEN_CLOSE_LIST, "']'");
	return parse_finish_term(p, t);
}

/* True if this may come after a selector with fields or elements. */
static bool may_follow(const struct parser *p, enum token_kind kind)
{
	switch (kind) {
	case TOKEN_END:
	case TOKEN_COMMA:
	case TOKEN_COLON:
	case TOKEN_CLOSE:
	case TOKEN_CLOSE_LIST:
	case TOKEN_CLOSE_SET:
	case TOKEN_PLUS:
	case TOKEN_MINUS:
	case TOKEN_STAR:
	case TOKEN_SLASH:
	case TOKEN_PERCENT:
	case KEYWORD_FROM:
	case KEYWORD_AS:
	case KEYWORD_ORDER:
	case KEYWORD_PER:
	case KEYWORD_LIMIT:
	case KEYWORD_ALLOW:
		return true;
	default:
		return kind == TOKEN_SEMICOLON && p->grouping;
	}
}

/* Check the token after a column, alone or with a field, as Cassandra does
 * before it reads on. */
static void check_after_column(struct parser *p)
{
	uint32_t n = p->here.kind != TOKEN_DOT ? 0 :
		     token_is_name(parse_peek_ahead(p, 1)) ? 2 : 1;
	enum token_kind kind = parse_peek_ahead(p, n);

	if (n == 1)
		parser_expected(p, p->tokens[p->at + n], "a field");
	else if (!may_follow(p, kind) && kind != TOKEN_SEMICOLON &&
		 kind != TOKEN_DOT && kind != TOKEN_OPEN_LIST)
		parser_expected(p, p->tokens[p->at + n], "FROM");
}

static struct term *parse_modifiers(struct parser *p, struct term *t)
{
	if (p->here.kind == TOKEN_DOT && !token_is_name(parse_peek_ahead(p, 1))) {
		next(p);
		parser_expected(p, p->here, "a field");
		return t;
	}
	while (p->here.kind == TOKEN_DOT || p->here.kind == TOKEN_OPEN_LIST)
		t = p->here.kind == TOKEN_DOT ? parse_field(p, t)
					 : parse_element(p, t);
	return t;
}

static struct term *parse_modified(struct parser *p, struct term *plain)
{
	struct parser copy;
	struct term *t;

	if (p->here.kind != TOKEN_DOT && p->here.kind != TOKEN_OPEN_LIST)
		return plain;
	copy = *p;
	t = parse_modifiers(p, plain);
	if (!may_follow(p, p->here.kind))
		parser_expected(p, p->here, "FROM");
	return parser_retry(p, &copy) ? plain : t;
}

/* Parse count(*), writetime(c), writetime(*) (of the row; only we have it),
 * CAST(x AS t): their words are names elsewhere. */
static struct term *parse_special(struct parser *p, enum token_kind kind)
{
	struct term *t = parse_new_term(p, TERM_CAST, p->here.offset);

	next(p);
	next(p);
	if (kind == KEYWORD_COUNT) {
		t->kind = TERM_COUNT_ROWS;
		next(p);
	} else if (kind == KEYWORD_CAST) {
		t->left = parse_selector(p);
		expect(p, KEYWORD_AS, "AS");
		t->type = parse_native_type(p);
	} else {
		t->kind = kind == KEYWORD_TTL ? TERM_TTL :
			  kind == KEYWORD_WRITETIME ? TERM_WRITETIME
						    : TERM_MAXWRITETIME;
		if (p->here.kind == TOKEN_STAR && kind != KEYWORD_MAXWRITETIME)
			next(p);
		else
			t->left = parse_modifiers(p, parse_column_term(p));
	}
	if (t->left)
		parse_adopt_part(p, t, t->left);
	expect(p, TOKEN_CLOSE, "')'");
	return parse_finish_term(p, t);
}

static struct term *parse_call(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_CALL, p->here.offset);

	parse_function_name(p, t);
	if (p->here.kind != TOKEN_CLOSE) {
		if (p->here.kind == TOKEN_STAR)
			parser_expected(p, p->here, "')'");
		parse_items(p, t);
	}
	expect(p, TOKEN_CLOSE, "')'");
	return parse_finish_term(p, t);
}

/* Parse a column or a function: the token after the name decides. */
static struct term *parse_named(struct parser *p)
{
	enum token_kind kind = p->here.kind, after = parse_peek_ahead(p, 1);
	struct term *t;

	if (after == TOKEN_OPEN) {
		if (kind == KEYWORD_COUNT &&
		    parse_peek_ahead(p, 2) == TOKEN_STAR)
			return parse_special(p, kind);
		if (kind == KEYWORD_CAST || kind == KEYWORD_TTL ||
		    kind == KEYWORD_WRITETIME || kind == KEYWORD_MAXWRITETIME)
			return parse_special(p, kind);
		return parse_call(p);
	}
	if (after == TOKEN_DOT && parse_peek_ahead(p, 3) == TOKEN_OPEN)
		return parse_call(p);
	t = parse_column_term(p);
	check_after_column(p);
	return t;
}


static struct term *parse_brackets(struct parser *p)
{
	struct parser copy;
	struct term *t;

	if (parse_at_type_in_brackets(p, true)) {
		copy = *p;
		t = parse_hint(p, parse_plain);
		if (!parser_retry(p, &copy))
			return t;
	}
	return parse_list_of(p, TERM_TUPLE, TOKEN_CLOSE, "')'");
}

static struct term *parse_plain_inside(struct parser *p)
{
	enum token_kind kind = p->here.kind;

	if (token_is_name(kind))
		return parse_named(p);
	if (parse_at_constant(kind))
		return parse_constant(p);
	switch (kind) {
	case KEYWORD_TOKEN:
		return parse_call(p);
	case KEYWORD_NULL:
		return parse_null(p);
	case TOKEN_QUESTION:
	case TOKEN_COLON:
		return parse_marker(p);
	case TOKEN_OPEN:
		return parse_brackets(p);
	case TOKEN_OPEN_LIST:
		return parse_list_of(p, TERM_LIST, TOKEN_CLOSE_LIST, "']'");
	case TOKEN_OPEN_SET:
		return parse_braces(p);
	default:
		return parse_column_term(p);	/* tells what was expected */
	}
}

static struct term *parse_plain(struct parser *p)
{
	struct term *t;

	if (!parser_enter(p))
		return parse_new_term(p, TERM_NULL, 0);
	t = parse_plain_inside(p);
	parser_leave(p);
	return t;
}

static struct term *parse_signed(struct parser *p)
{
	struct term *t;

	if (p->here.kind != TOKEN_MINUS)
		return parse_modified(p, parse_plain(p));
	t = parse_new_term(p, TERM_NEGATE, p->here.offset);
	if (!parser_enter(p))
		return t;
	next(p);
	t->left = parse_signed(p);
	parser_leave(p);
	parse_adopt_part(p, t, t->left);
	return parse_finish_term(p, t);
}

struct term *parse_selector(struct parser *p)
{
	return parse_sum(p, parse_signed, false);
}
