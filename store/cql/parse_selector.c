/*
 * What a SELECT lists (and groups by): terms with columns in them. A grammar of
 * its own in Cassandra, more liberal in what nests.
 *
 * Cassandra looks whether the .fields and [elements] behind a selector parse,
 * and without them goes on as if they were not there: an error in them is told
 * at the first bracket. modifiers() does the same by moving the error.
 */
#include "store/cql/parser.h"

static struct term *parse_plain(struct parser *p);
static struct term *parse_product(struct parser *p);

static void add_item(struct parser *p, struct term *t, struct term *item)
{
	adopt(p, t, item);
	*append(p, t->items, t->item_count) = item;
}

static void parse_items(struct parser *p, struct term *t)
{
	do
		add_item(p, t, parse_selector(p));
	while (accept(p, TOKEN_COMMA));
}

static struct term *parse_list_of(struct parser *p, enum term_kind kind,
				  enum token_kind close, const char *what)
{
	struct term *t = new_term(p, kind, here(p).offset);

	next(p);
	if (kind == TERM_TUPLE || peek(p) != close)
		parse_items(p, t);
	expect(p, close, what);
	return finish_term(p, t);
}

static struct term *parse_braces(struct parser *p)
{
	struct term *t = new_term(p, TERM_SET, here(p).offset);

	next(p);
	if (accept(p, TOKEN_CLOSE_SET))
		return finish_term(p, t);
	add_item(p, t, parse_selector(p));
	if (peek(p) == TOKEN_COLON) {
		t->kind = TERM_MAP;
		while (expect(p, TOKEN_COLON, "':'").kind == TOKEN_COLON) {
			add_item(p, t, parse_selector(p));
			if (!accept(p, TOKEN_COMMA))
				break;
			add_item(p, t, parse_selector(p));
		}
	} else if (accept(p, TOKEN_COMMA)) {
		parse_items(p, t);
	}
	expect(p, TOKEN_CLOSE_SET, "'}'");
	return finish_term(p, t);
}

static struct term *parse_hint(struct parser *p)
{
	struct term *t = new_term(p, TERM_HINT, here(p).offset);

	next(p);
	t->type = parse_type(p);
	expect(p, TOKEN_CLOSE, "')'");
	t->left = parse_plain(p);
	adopt(p, t, t->left);
	return finish_term(p, t);
}

static struct term *parse_column_term(struct parser *p)
{
	struct term *t = new_term(p, TERM_COLUMN, here(p).offset);

	t->name = parse_name(p, "a column or a value");
	return finish_term(p, t);
}

static struct term *parse_field(struct parser *p, struct term *left)
{
	struct term *t = new_term(p, TERM_FIELD, left->span.offset);

	next(p);
	t->left = left;
	t->name = parse_name(p, "a field");
	adopt(p, t, left);
	return finish_term(p, t);
}

/* [k], [a..b], [a..], [..b] */
static struct term *parse_element(struct parser *p, struct term *left)
{
	struct term *t = new_term(p, TERM_ELEMENT, left->span.offset);
	bool slice;

	next(p);
	t->left = left;
	adopt(p, t, left);
	slice = peek(p) == TOKEN_RANGE;
	if (!slice) {
		t->right = parse_term(p);
		adopt(p, t, t->right);
	}
	if (accept(p, TOKEN_RANGE)) {
		t->kind = TERM_SLICE;
		if (slice || peek(p) != TOKEN_CLOSE_LIST) {
			t->to = parse_term(p);
			adopt(p, t, t->to);
		}
	}
	expect(p, TOKEN_CLOSE_LIST, "']'");
	return finish_term(p, t);
}

/* Where an error inside the modifiers has to be told: see above. */
static struct token fallback(struct parser *p)
{
	uint32_t n = 0;

	if (peek(p) != TOKEN_DOT || !token_is_name(peek_ahead(p, 1)))
		return here(p);
	n = 2;
	peek_ahead(p, n);
	return p->at + n < p->count ? p->tokens[p->at + n] : here(p);
}

static struct term *parse_modifiers(struct parser *p, struct term *t)
{
	struct token at = fallback(p);
	bool failed = p->result;

	while (peek(p) == TOKEN_DOT || peek(p) == TOKEN_OPEN_LIST) {
		if (peek(p) == TOKEN_DOT && !token_is_name(peek_ahead(p, 1))) {
			next(p);
			parser_expected(p, here(p), "a field");
			return t;
		}
		t = peek(p) == TOKEN_DOT ? parse_field(p, t)
					 : parse_element(p, t);
	}
	if (p->result && !failed)
		parser_move_error(p, at, "FROM");
	return t;
}

/* count(*), writetime(c), CAST(x AS t): the words that are names otherwise. */
static struct term *parse_special(struct parser *p, enum token_kind kind)
{
	struct term *t = new_term(p, TERM_CAST, here(p).offset);

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
		t->left = parse_modifiers(p, parse_column_term(p));
	}
	if (t->left)
		adopt(p, t, t->left);
	expect(p, TOKEN_CLOSE, "')'");
	return finish_term(p, t);
}

static struct term *parse_call(struct parser *p)
{
	struct term *t = new_term(p, TERM_CALL, here(p).offset);

	parse_function_name(p, t);
	if (peek(p) != TOKEN_CLOSE) {
		if (peek(p) == TOKEN_STAR)
			parser_expected(p, here(p), "')'");
		parse_items(p, t);
	}
	expect(p, TOKEN_CLOSE, "')'");
	return finish_term(p, t);
}

/* A column or a function: by what comes behind the name. */
static struct term *parse_named(struct parser *p)
{
	enum token_kind kind = peek(p), after = peek_ahead(p, 1);

	if (after == TOKEN_OPEN) {
		if (kind == KEYWORD_COUNT && peek_ahead(p, 2) == TOKEN_STAR)
			return parse_special(p, kind);
		if (kind == KEYWORD_CAST || kind == KEYWORD_TTL ||
		    kind == KEYWORD_WRITETIME || kind == KEYWORD_MAXWRITETIME)
			return parse_special(p, kind);
		return parse_call(p);
	}
	if (after == TOKEN_DOT && peek_ahead(p, 3) == TOKEN_OPEN)
		return parse_call(p);
	return parse_column_term(p);
}

static struct term *parse_null(struct parser *p)
{
	struct term *t = new_term(p, TERM_NULL, here(p).offset);

	next(p);
	return finish_term(p, t);
}

static struct term *parse_plain_inside(struct parser *p)
{
	enum token_kind kind = peek(p);

	if (token_is_name(kind))
		return parse_named(p);
	if (at_constant(kind))
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
		if (at_type_in_brackets(p, true))
			return parse_hint(p);
		return parse_list_of(p, TERM_TUPLE, TOKEN_CLOSE, "')'");
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
		return new_term(p, TERM_NULL, 0);
	t = parse_plain_inside(p);
	parser_leave(p);
	return t;
}

static struct term *parse_signed(struct parser *p)
{
	struct term *t;

	if (peek(p) != TOKEN_MINUS) {
		t = parse_plain(p);
		return peek(p) == TOKEN_DOT || peek(p) == TOKEN_OPEN_LIST
			? parse_modifiers(p, t) : t;
	}
	t = new_term(p, TERM_NEGATE, here(p).offset);
	if (!parser_enter(p))
		return t;
	next(p);
	t->left = parse_signed(p);
	parser_leave(p);
	adopt(p, t, t->left);
	return finish_term(p, t);
}

static struct term *binary(struct parser *p, struct term *left,
			   struct term *(*operand)(struct parser *p))
{
	struct term *t = new_term(p, TERM_BINARY, left->span.offset);

	t->left = left;
	t->op = (char)p->text.ptr[next(p).offset];
	t->right = operand(p);
	adopt(p, t, t->left);
	adopt(p, t, t->right);
	return finish_term(p, t);
}

static struct term *parse_product(struct parser *p)
{
	struct term *t = parse_signed(p);

	while (peek(p) == TOKEN_STAR || peek(p) == TOKEN_SLASH ||
	       peek(p) == TOKEN_PERCENT)
		t = binary(p, t, parse_signed);
	return t;
}

struct term *parse_selector(struct parser *p)
{
	struct term *t = parse_product(p);

	while (peek(p) == TOKEN_PLUS || peek(p) == TOKEN_MINUS)
		t = binary(p, t, parse_product);
	return t;
}
