#include "store/cql/syntax/parse_term.h"
#include "store/cql/syntax/parser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void parser_fill(struct parser *p)
{
	enum token_kind kind;
	uint32_t left = p->count - p->at;

	if (p->result)
		return;
	memmove(p->tokens, p->tokens + p->at, left * sizeof(*p->tokens));
	p->at = 0;
	p->count = left;
	do {
		kind = lexer_next(&p->lexer, &p->tokens[p->count++]);
	} while (p->count < PARSER_WINDOW && kind > TOKEN_BAD &&
		 kind != TOKEN_SEMICOLON);
	p->here = p->tokens[0];
}

/* True if more text could make another token of it. */
static bool is_last(const struct parser *p, struct token token)
{
	return token.kind <= TOKEN_BAD ||
	       token.offset + token.length >= p->text.len;
}

enum token_kind parse_peek_ahead(struct parser *p, uint32_t n)
{
	while (p->at + n >= p->count) {
		enum token_kind last = p->tokens[p->count - 1].kind;

		if (last <= TOKEN_BAD || last == TOKEN_SEMICOLON) {
			p->met_end = true;
			return TOKEN_END;
		}
		parser_fill(p);
	}
	if (is_last(p, p->tokens[p->at + n]))
		p->met_end = true;
	return p->tokens[p->at + n].kind;
}

/* Stop: from now on every token is END. */
static void stop(struct parser *p, int result)
{
	p->result = result;
	p->here = (struct token){ (uint32_t)p->text.len, 0, TOKEN_END };
	p->tokens[0] = p->here;
	p->at = 0;
	p->count = 1;
}

void parser_no_memory(struct parser *p)
{
	if (!p->result)
		stop(p, -ENOMEM);
}

/* Set the parser's error, in place of one that was noted. False: no memory, and
 * the parser is stopped. */
static bool tell(struct parser *p, struct token at, enum cql_code code,
		 const char *format, va_list args)
{
	va_list again;
	char *text;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text = arena_alloc(p->arena, length < 0 ? 1 : (size_t)length + 1);
	if (!text) {
		stop(p, -ENOMEM);
		return false;
	}
	vsnprintf(text, (size_t)length + 1, format, args);
	if (p->noted)
		*p->error = CQL_ERROR_INIT;
	cql_error_at(p->error, p->text, at.offset, at.length);
	p->error->code = code;
	p->error->message = text;
	return true;
}

void parser_refuse(struct parser *p, struct token at, enum cql_code code,
		   const char *format, ...)
{
	va_list args;

	if (p->result)
		return;
	va_start(args, format);
	if (tell(p, at, code, format, args))
		stop(p, -EINVAL);
	va_end(args);
}

void parser_recover(struct parser *p, bool no_error)
{
	if (!no_error || p->result != -EINVAL || !p->recovers ||
	    p->stopped == UINT32_MAX)
		return;
	p->result = 0;
	p->noted = true;
	p->hopeless |= p->unexpected && !p->met_end;
	p->unexpected = false;
	p->lexer.at = p->stopped;
	p->stopped = UINT32_MAX;
	p->at = p->count = 0;
	parser_fill(p);
}

void parser_note(struct parser *p, struct token at, const char *format, ...)
{
	va_list args;

	if (p->result || p->noted)
		return;
	va_start(args, format);
	p->noted = tell(p, at, CQL_SYNTAX, format, args);
	va_end(args);
}

void parser_expected(struct parser *p, struct token at, const char *what)
{
	struct cql_error *error = p->error;
	int shown = at.length > 40 ? 40 : (int)at.length;
	const char *token = (const char *)p->text.ptr + at.offset;

	if (p->result)
		return;
	if (is_last(p, at))
		p->met_end = true;
	p->stopped = p->here.offset;
	if (p->noted) {
		stop(p, -EINVAL);
		return;
	}
	cql_error_at(error, p->text, at.offset, at.length);
	/* a bad token at the end of the text still has a place */
	if (at.kind == TOKEN_BAD && error->line == 0) {
		error->line = -1;
		cql_error_at(error, p->text, at.offset, 1);
		error->length = 0;
	}
	if (at.kind == TOKEN_BAD)
		parser_refuse(p, at, CQL_SYNTAX, "line %d:%d %s", error->line,
			      error->column, p->lexer.problem);
	else if (at.kind == TOKEN_END)
		parser_refuse(p, at, CQL_SYNTAX,
			      "line 0:-1 expected %s, found the end", what);
	else
		parser_refuse(p, at, CQL_SYNTAX,
			      "line %d:%d expected %s, found '%.*s'",
			      error->line, error->column, what, shown, token);
	p->unexpected = at.kind != TOKEN_BAD;
}

bool parser_add_name(struct parser *p, struct hash *set, struct bytes name)
{
	struct hash_place *place = hash_place(set, p->arena, name);

	if (!place) {
		parser_no_memory(p);
		return true;
	}
	if (place->value)
		return false;
	place->value = p;	/* any pointer that is not NULL */
	return true;
}

bool parser_retry(struct parser *p, const struct parser *copy)
{
	bool met_end = p->met_end;

	if (p->result != -EINVAL || copy->result || !p->unexpected)
		return false;
	*p = *copy;
	p->met_end = met_end;
	*p->error = CQL_ERROR_INIT;
	return true;
}

void *parser_node(struct parser *p, size_t size)
{
	void *node = arena_alloc(p->arena, size);

	if (!node) {
		parser_no_memory(p);
		node = p->scratch;
	}
	return memset(node, 0, size);
}

void *parser_append(struct parser *p, void *items, uint32_t *count, size_t size)
{
	uint32_t n = *count;
	uint8_t *grown = items;

	if (grown == p->scratch)	/* of an error that was recovered from */
		n = *count = 0;
	if (!n || (n >= 4 && !(n & (n - 1)))) {
		grown = arena_alloc(p->arena, (n ? n * (size_t)2 : 4) * size);
		if (grown && n)
			memcpy(grown, items, n * size);
	}
	if (!grown || p->result) {
		parser_no_memory(p);
		*count = 0;
		return memset(p->scratch, 0, size);
	}
	memset(grown + n * size, 0, size);
	return grown;
}

bool parser_enter(struct parser *p)
{
	if (p->depth++ < PARSER_DEPTH_MAX)
		return true;
	parser_refuse(p, p->here, CQL_SYNTAX,
		      "statement is nested too deeply (limit %d)",
		      PARSER_DEPTH_MAX);
	return false;
}

struct bytes parse_text(struct parser *p, struct token token)
{
	struct bytes text;

	if (p->result)
		return BYTES_EMPTY;
	text = token_copy(p->arena, p->text, token);
	if (text.ptr)
		return text;
	parser_no_memory(p);
	return BYTES_EMPTY;
}

static struct identifier take_name(struct parser *p)
{
	struct identifier name;
	struct token token = next(p);

	name.text = parse_text(p, token);
	name.span = (struct span){ token.offset, token.length };
	return name;
}

struct identifier parse_name(struct parser *p, const char *what)
{
	if (!token_is_name(p->here.kind))
		parser_expected(p, p->here, what);
	return take_name(p);
}

struct identifier parse_column(struct parser *p)
{
	if (p->here.kind == TOKEN_EMPTY_QUOTED_NAME)
		return take_name(p);
	return parse_name(p, "a column");
}

bool parse_marked_name(struct parser *p, const char *kind)
{
	struct token token = p->here;
	enum token_kind after;

	if (token.kind != TOKEN_QUESTION)
		return false;
	next(p);
	after = p->here.kind;
	if (after == TOKEN_IDENTIFIER || after == TOKEN_QUOTED_NAME ||
	    parse_at_constant(after))
		parser_expected(p, p->here, "the rest of the statement");
	parser_note(p, token, "Bind variables cannot be used for %s names",
		    kind);
	return true;
}

struct identifier parse_keyspace_name(struct parser *p)
{
	struct identifier none = { BYTES_NULL, { 0, 0 } };

	if (p->here.kind != TOKEN_QUESTION)
		return parse_name(p, "a keyspace");
	parser_note(p, next(p), "Bind variables cannot be used for keyspace "
				"names");
	return none;
}

struct table_name parse_qualified(struct parser *p, const char *kind)
{
	bool no_error = !p->result;
	struct table_name name;

	memset(&name, 0, sizeof(name));
	if ((token_is_name(p->here.kind) || p->here.kind == TOKEN_QUESTION) &&
	    parse_peek_ahead(p, 1) == TOKEN_DOT) {
		name.keyspace = parse_keyspace_name(p);
		next(p);
	}
	if (!parse_marked_name(p, kind))
		name.name = parse_name(p, "a name");
	if (p->result)
		name.name.text = BYTES_NULL;
	parser_recover(p, no_error);
	return name;
}

bool parse_if_exists(struct parser *p)
{
	if (!accept(p, KEYWORD_IF))
		return false;
	expect(p, KEYWORD_EXISTS, "EXISTS");
	return true;
}

bool parse_if_not_exists(struct parser *p)
{
	if (!accept(p, KEYWORD_IF))
		return false;
	expect(p, KEYWORD_NOT, "NOT");
	expect(p, KEYWORD_EXISTS, "EXISTS");
	return true;
}
