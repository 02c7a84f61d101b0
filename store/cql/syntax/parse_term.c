/*
 * Terms: expressions for values. Each function parses one level of the grammar;
 * binary operators bind as in arithmetic, to the left.
 */
#include "store/cql/syntax/parser.h"

#include <math.h>
#include <stdlib.h>

#include "store/base/java.h"
#include "store/cql/syntax/parse_term.h"
#include "store/cql/syntax/type_name.h"
#include "store/type/decimal.h"

struct term *parse_new_term(struct parser *p, enum term_kind kind,
			    uint32_t start)
{
	struct term *t = new_node(p, struct term);

	t->kind = kind;
	t->height = 1;
	t->span.offset = start;
	return t;
}

struct term *parse_finish_term(struct parser *p, struct term *t)
{
	t->span = span_from(p, t->span.offset);
	return t;
}

void parse_adopt_part(struct parser *p, struct term *parent, struct term *child)
{
	if (child->height < parent->height)
		return;
	parent->height = child->height + 1;
	if (parent->height > PARSER_HEIGHT_MAX)
		parser_refuse(p, p->here, CQL_SYNTAX,
			      "a term has too many operations (limit %d)",
			      PARSER_HEIGHT_MAX);
}

bool parse_at_constant(enum token_kind kind)
{
	return (kind >= TOKEN_STRING && kind <= TOKEN_NEGATIVE_INFINITY) ||
	       kind == KEYWORD_NAN || kind == KEYWORD_INFINITY;
}

/*
 * Return Java's message for a float that it cannot read, or NULL. Cassandra
 * reads every float as a decimal and a double first, whatever its type.
 */
static const char *float_problem(struct bytes text)
{
	const char *number = (const char *)text.ptr, *digits;
	const char *exponent = strpbrk(number, "eE");
	const char *point = strchr(number, '.');
	long long value, fraction = 0;
	double size;

	if (!exponent && text.len < 300)
		return NULL;
	if (exponent) {
		digits = exponent + 1 + strspn(exponent + 1, "+-0");
		if (strlen(digits) > 10)
			return "Too many nonzero exponent digits.";
		value = strtoll(exponent + 1, NULL, 10);
		if (value > INT32_MAX || value < INT32_MIN)
			return "Exponent overflow.";
		if (point)
			fraction = exponent - point - 1;
		if (fraction - value > INT32_MAX ||
		    fraction - value < INT32_MIN)
			return "Scale out of range.";
	}
	size = strtod(number, NULL);
	return isinf(size) ? decimal_refusal(size) : NULL;
}

void parse_refuse_number(struct parser *p, struct token token,
			 const char *problem)
{
	int shown = p->text.len < 4096 ? (int)p->text.len : 4096;

	parser_refuse(p, token, CQL_SYNTAX, "Failed parsing statement: [%.*s] "
		      "reason: NumberFormatException %s", shown,
		      (const char *)p->text.ptr, problem);
}

static void check_float(struct parser *p, struct token token, struct bytes text)
{
	const char *problem = p->result ? NULL : float_problem(text);

	if (problem)
		parse_refuse_number(p, token, problem);
}

struct term *parse_constant(struct parser *p)
{
	static const uint8_t kinds[] = {
		[TOKEN_STRING] = CONSTANT_STRING,
		[TOKEN_INTEGER] = CONSTANT_INTEGER,
		[TOKEN_FLOAT] = CONSTANT_FLOAT,
		[TOKEN_BOOLEAN] = CONSTANT_BOOLEAN,
		[TOKEN_UUID] = CONSTANT_UUID,
		[TOKEN_HEX] = CONSTANT_HEX,
		[TOKEN_DURATION] = CONSTANT_DURATION,
	};
	struct token token = p->here;
	struct term *t = parse_new_term(p, TERM_CONSTANT, token.offset);

	if (!parse_at_constant(token.kind)) {
		parser_expected(p, token, "a constant");
		return t;
	}
	next(p);
	t->constant = CONSTANT_FLOAT;
	if (token.kind == KEYWORD_NAN || token.kind == TOKEN_NEGATIVE_NAN) {
		t->text = arena_copy(p->arena, bytes_str("NaN"));
	} else if (token.kind == KEYWORD_INFINITY) {
		t->text = arena_copy(p->arena, bytes_str("Infinity"));
	} else if (token.kind == TOKEN_NEGATIVE_INFINITY) {
		t->text = arena_copy(p->arena, bytes_str("-Infinity"));
	} else {
		t->constant = kinds[token.kind];
		t->text = parse_text(p, token);
		if (token.kind == TOKEN_FLOAT)
			check_float(p, token, t->text);
	}
	if (!t->text.ptr)
		parser_no_memory(p);
	return parse_finish_term(p, t);
}

bool parse_at_marker(const struct parser *p)
{
	return p->here.kind == TOKEN_QUESTION || p->here.kind == TOKEN_COLON;
}

struct term *parse_marker(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_MARKER, p->here.offset);

	if (next(p).kind == TOKEN_COLON)
		t->name = parse_name(p, "the name of a marker");
	t->marker = p->marker_count++;
	return parse_finish_term(p, t);
}

struct term *parse_string(struct parser *p)
{
	if (parse_at_marker(p))
		return parse_marker(p);
	if (p->here.kind != TOKEN_STRING)
		parser_expected(p, p->here, "a string");
	return parse_constant(p);
}

struct term *parse_integer(struct parser *p)
{
	if (parse_at_marker(p))
		return parse_marker(p);
	if (p->here.kind != TOKEN_INTEGER)
		parser_expected(p, p->here, "an integer");
	return parse_constant(p);
}

void parse_add_item(struct parser *p, struct term *t, struct term *item)
{
	parse_adopt_part(p, t, item);
	*append(p, t->items, t->item_count) = item;
}

/* a, b, c: at least one. */
static void parse_items(struct parser *p, struct term *t)
{
	do
		parse_add_item(p, t, parse_term(p));
	while (accept(p, TOKEN_COMMA));
}

struct term *parse_tuple(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_TUPLE, p->here.offset);

	expect(p, TOKEN_OPEN, "'('");
	parse_items(p, t);
	expect(p, TOKEN_CLOSE, "')'");
	return parse_finish_term(p, t);
}

static struct term *parse_list_literal(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_LIST, p->here.offset);

	next(p);
	if (p->here.kind != TOKEN_CLOSE_LIST)
		parse_items(p, t);
	expect(p, TOKEN_CLOSE_LIST, "']'");
	return parse_finish_term(p, t);
}

/* A field of a literal: its place in Java's HashMap of that size. */
struct placed_field {
	uint32_t bucket, order;
	struct identifier name;
	struct term *value;
};

static int compare_names(const void *left, const void *right)
{
	const struct placed_field *a = left, *b = right;
	int order = bytes_compare(a->name.text, b->name.text);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

static int compare_places(const void *left, const void *right)
{
	const struct placed_field *a = left, *b = right;

	if (a->bucket != b->bucket)
		return a->bucket < b->bucket ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/*
 * Sort the fields in the order in which Cassandra prints and checks them: that
 * of a HashMap, which grows when it is three quarters full. Of a field given
 * twice the later value counts.
 */
static void order_fields(struct parser *p, struct term *t)
{
	struct placed_field *fields = arena_alloc(p->arena, t->item_count *
							    sizeof(*fields));
	uint32_t count = 0, i;

	if (!fields) {
		parser_no_memory(p);
		return;
	}
	for (i = 0; i < t->item_count; i++)
		fields[i] = (struct placed_field){ 0, i, t->names[i],
						   t->items[i] };
	qsort(fields, t->item_count, sizeof(*fields), compare_names);
	for (i = 0; i < t->item_count; i++) {
		if (count && bytes_equal(fields[count - 1].name.text,
					 fields[i].name.text))
			fields[count - 1].value = fields[i].value;
		else
			fields[count++] = fields[i];
	}
	for (i = 0; i < count; i++)
		fields[i].bucket = java_hash_bytes(fields[i].name.text) &
				   (java_buckets(0, count) - 1);
	qsort(fields, count, sizeof(*fields), compare_places);
	for (i = 0; i < count; i++) {
		t->names[i] = fields[i].name;
		t->items[i] = fields[i].value;
	}
	t->item_count = count;
}

static void parse_user_literal(struct parser *p, struct term *t)
{
	uint32_t names = 0;

	t->kind = TERM_USER;
	do {
		*append(p, t->names, names) = parse_name(p, "a field");
		expect(p, TOKEN_COLON, "':'");
		parse_add_item(p, t, parse_term(p));
	} while (accept(p, TOKEN_COMMA));
	if (!p->result)
		order_fields(p, t);
}

/* Parse the rest of a map, from the colon after its first key on. */
static void parse_map_literal(struct parser *p, struct term *t)
{
	t->kind = TERM_MAP;
	for (;;) {
		expect(p, TOKEN_COLON, "':'");
		parse_add_item(p, t, parse_term(p));
		if (!accept(p, TOKEN_COMMA))
			return;
		parse_add_item(p, t, parse_term(p));
	}
}

static struct term *parse_braces(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_SET, p->here.offset);

	next(p);
	if (accept(p, TOKEN_CLOSE_SET))
		return parse_finish_term(p, t);
	if (token_is_name(p->here.kind) && parse_peek_ahead(p, 1) == TOKEN_COLON) {
		parse_user_literal(p, t);
	} else {
		parse_add_item(p, t, parse_term(p));
		if (p->here.kind == TOKEN_COLON)
			parse_map_literal(p, t);
		else if (accept(p, TOKEN_COMMA))
			parse_items(p, t);
	}
	expect(p, TOKEN_CLOSE_SET, "'}'");
	return parse_finish_term(p, t);
}

/* True if this can begin the value of a type hint, in a SELECT list. */
static bool may_be_hinted(struct parser *p, uint32_t ahead)
{
	enum token_kind kind = parse_peek_ahead(p, ahead);

	if (kind == KEYWORD_AS)		/* (a) AS b */
		return !token_is_name(parse_peek_ahead(p, ahead + 1));
	return token_is_name(kind) || parse_at_constant(kind) ||
	       kind == KEYWORD_NULL || kind == KEYWORD_TOKEN ||
	       kind == TOKEN_OPEN || kind == TOKEN_OPEN_LIST ||
	       kind == TOKEN_OPEN_SET || kind == TOKEN_QUESTION ||
	       kind == TOKEN_COLON;
}

static bool begins_call(struct parser *p, uint32_t ahead)
{
	enum token_kind after = parse_peek_ahead(p, ahead + 1);

	return after == TOKEN_OPEN || after == TOKEN_DOT;
}

bool parse_at_type_in_brackets(struct parser *p, bool selection)
{
	enum token_kind kind = parse_peek_ahead(p, 1),
		after = parse_peek_ahead(p, 2);
	uint32_t close = 2;

	if (kind == KEYWORD_SET || (token_is_name(kind) && after == TOKEN_LT))
		return true;
	if (kind == TOKEN_STRING)
		return after == TOKEN_CLOSE && may_be_hinted(p, 3) &&
		       parse_peek_ahead(p, 3) != TOKEN_COLON &&
		       (selection || !token_is_name(parse_peek_ahead(p, 3)) ||
			begins_call(p, 3));
	if (!token_is_name(kind))
		return false;
	if (after == TOKEN_DOT) {
		if (!token_is_name(parse_peek_ahead(p, 3)))
			return false;
		close = 4;
	}
	if (parse_peek_ahead(p, close) != TOKEN_CLOSE)
		return false;
	return !selection || may_be_hinted(p, close + 1);
}

static struct term *parse_simple(struct parser *p);

struct term *parse_hint(struct parser *p, parse_operand *operand)
{
	struct term *t = parse_new_term(p, TERM_HINT, p->here.offset);

	next(p);
	t->type = parse_type(p);
	expect(p, TOKEN_CLOSE, "')'");
	t->left = operand(p);
	parse_adopt_part(p, t, t->left);
	return parse_finish_term(p, t);
}

static struct term *parse_cast(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_CAST, p->here.offset);

	next(p);
	expect(p, TOKEN_OPEN, "'('");
	t->left = parse_simple(p);
	parse_adopt_part(p, t, t->left);
	expect(p, KEYWORD_AS, "AS");
	t->type = parse_native_type(p);
	expect(p, TOKEN_CLOSE, "')'");
	return parse_finish_term(p, t);
}

/* Return the token as it was written: a keyword that names a function, but no
 * type, keeps its case. */
static struct bytes token_as_written(struct parser *p, struct token token)
{
	return arena_copy(p->arena, bytes_of(p->text.ptr + token.offset,
					     token.length));
}

void parse_function_name(struct parser *p, struct term *call)
{
	enum token_kind kind = p->here.kind;
	struct token token;

	if (token_is_name(kind) && parse_peek_ahead(p, 1) == TOKEN_DOT) {
		call->keyspace = parse_name(p, "a keyspace");
		next(p);
		kind = p->here.kind;
	}
	token = p->here;
	if (kind == KEYWORD_TOKEN) {
		next(p);
		call->name.text = parse_text(p, token);
		call->name.span = (struct span){ token.offset, token.length };
	} else {
		call->name = parse_name(p, "a value");
	}
	if (kind >= KEYWORD_BASIC && kind < KEYWORD_NATIVE)
		call->name.text = token_as_written(p, token);
	if (kind >= KEYWORD_OTHER && kind != KEYWORD_COUNT)
		parser_expected(p, p->here, "a function");
	expect(p, TOKEN_OPEN, "'(' of a function");
}

struct term *parse_arguments(struct parser *p, struct term *call)
{
	if (p->here.kind != TOKEN_CLOSE)
		parse_items(p, call);
	expect(p, TOKEN_CLOSE, "')'");
	return parse_finish_term(p, call);
}

static struct term *parse_call(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_CALL, p->here.offset);

	parse_function_name(p, t);
	return parse_arguments(p, t);
}

struct term *parse_null(struct parser *p)
{
	struct term *t = parse_new_term(p, TERM_NULL, p->here.offset);

	expect(p, KEYWORD_NULL, "NULL");
	return parse_finish_term(p, t);
}

static struct term *parse_simple_inside(struct parser *p)
{
	enum token_kind kind = p->here.kind;

	if (parse_at_constant(kind))
		return parse_constant(p);
	switch (kind) {
	case KEYWORD_NULL:
		return parse_null(p);
	case TOKEN_QUESTION:
	case TOKEN_COLON:
		return parse_marker(p);
	case TOKEN_OPEN_LIST:
		return parse_list_literal(p);
	case TOKEN_OPEN_SET:
		return parse_braces(p);
	case TOKEN_OPEN:
		if (parse_at_type_in_brackets(p, false))
			return parse_hint(p, parse_simple);
		return parse_tuple(p);
	case KEYWORD_CAST:
		if (parse_peek_ahead(p, 1) != TOKEN_DOT)
			return parse_cast(p);
		return parse_call(p);	/* a keyspace of that name */
	default:
		return parse_call(p);
	}
}

static struct term *parse_simple(struct parser *p)
{
	struct term *t;

	if (!parser_enter(p))
		return parse_new_term(p, TERM_NULL, 0);
	t = parse_simple_inside(p);
	parser_leave(p);
	return t;
}

static struct term *parse_signed(struct parser *p)
{
	struct term *t;

	if (p->here.kind != TOKEN_MINUS)
		return parse_simple(p);
	t = parse_new_term(p, TERM_NEGATE, p->here.offset);
	next(p);
	t->left = parse_simple(p);
	parse_adopt_part(p, t, t->left);
	return parse_finish_term(p, t);
}

static struct term *binary(struct parser *p, char op, struct term *left,
			   struct term *right)
{
	struct term *t = parse_new_term(p, TERM_BINARY, left->span.offset);

	t->op = op;
	t->left = left;
	t->right = right;
	parse_adopt_part(p, t, t->left);
	parse_adopt_part(p, t, t->right);
	return parse_finish_term(p, t);
}

static char take_operator(struct parser *p)
{
	return (char)p->text.ptr[next(p).offset];
}

static bool is_factor(enum token_kind kind)
{
	return kind == TOKEN_STAR || kind == TOKEN_SLASH ||
	       kind == TOKEN_PERCENT;
}

static struct term *parse_product(struct parser *p, parse_operand *operand)
{
	struct term *t = operand(p);

	while (is_factor(p->here.kind)) {
		char op = take_operator(p);

		t = binary(p, op, t, operand(p));
	}
	return t;
}

/* True at + c, where c is a column: a function would have a bracket. */
static bool at_prepend(struct parser *p)
{
	enum token_kind kind = parse_peek_ahead(p, 1),
		after = parse_peek_ahead(p, 2);

	return p->here.kind == TOKEN_PLUS &&
	       (token_is_name(kind) || kind == TOKEN_EMPTY_QUOTED_NAME) &&
	       after != TOKEN_OPEN && after != TOKEN_DOT;
}

struct term *parse_sum(struct parser *p, parse_operand *operand, bool assigned)
{
	struct term *t = parse_product(p, operand);

	while ((p->here.kind == TOKEN_PLUS || p->here.kind == TOKEN_MINUS) &&
	       !(assigned && at_prepend(p))) {
		char op = take_operator(p);

		t = binary(p, op, t, parse_product(p, operand));
	}
	return t;
}

struct term *parse_term(struct parser *p)
{
	return parse_sum(p, parse_signed, false);
}

struct term *parse_assigned_term(struct parser *p)
{
	return parse_sum(p, parse_signed, true);
}
