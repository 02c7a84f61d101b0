/*
 * Find the kind of a statement, and its end. The grammar is Cassandra's; where
 * its generated parser fails, ours fails at the same token, which needs extra
 * work in a few places: they say so.
 */
#include "store/cql/syntax/parse.h"

#include <errno.h>

#include "store/base/utf8.h"
#include "store/cql/syntax/parser.h"
#include "store/cql/syntax/parse_alter.h"
#include "store/cql/syntax/parse_modify.h"
#include "store/cql/syntax/parse_refused.h"
#include "store/cql/syntax/parse_schema.h"
#include "store/cql/syntax/parse_select.h"

static void parse_truncate(struct parser *p, struct statement *s)
{
	s->kind = STATEMENT_TRUNCATE;
	s->drop = new_node(p, struct drop);
	accept(p, KEYWORD_TABLE);
	s->drop->name = parse_qualified(p, "table");
}

static void parse_use(struct parser *p, struct statement *s)
{
	s->kind = STATEMENT_USE;
	s->use = new_node(p, struct identifier);
	*s->use = parse_keyspace_name(p);
}

static void parse_role_statement(struct parser *p, struct statement *s,
				 enum token_kind verb)
{
	s->kind = STATEMENT_ROLES;
	if (verb == KEYWORD_LIST)
		parse_list(p);
	else if (verb == KEYWORD_ADD)
		parse_add_identity(p);
	else
		parse_grant(p, verb == KEYWORD_REVOKE);
}

static void parse_statement(struct parser *p, struct statement *s)
{
	enum token_kind verb = p->here.kind;
	struct token first = next(p);

	switch (verb) {
	case KEYWORD_SELECT:
		s->kind = STATEMENT_SELECT;
		s->select = parse_select(p);
		break;
	case KEYWORD_INSERT:
		s->kind = STATEMENT_INSERT;
		s->insert = parse_insert(p);
		break;
	case KEYWORD_UPDATE:
		s->kind = STATEMENT_UPDATE;
		s->update = parse_update(p);
		break;
	case KEYWORD_DELETE:
		s->kind = STATEMENT_DELETE;
		s->delete = parse_delete(p);
		break;
	case KEYWORD_BEGIN:
		s->kind = STATEMENT_BATCH;
		s->batch = parse_batch(p);
		break;
	case KEYWORD_TRUNCATE:
		parse_truncate(p, s);
		break;
	case KEYWORD_USE:
		parse_use(p, s);
		break;
	case KEYWORD_CREATE:
		parse_create(p, s);
		break;
	case KEYWORD_ALTER:
		parse_alter(p, s);
		break;
	case KEYWORD_DROP:
		parse_drop(p, s);
		break;
	case KEYWORD_DESCRIBE:
	case KEYWORD_DESC:
		parse_describe(p, s);
		break;
	case KEYWORD_GRANT:
	case KEYWORD_REVOKE:
	case KEYWORD_LIST:
	case KEYWORD_ADD:
		parse_role_statement(p, s, verb);
		break;
	default:
		parser_expected(p, first, "a statement");
	}
}

/* Check what follows a statement: see cql_parse. */
static void parse_end(struct parser *p, size_t *consumed)
{
	bool semicolon = p->here.kind == TOKEN_SEMICOLON;

	if (consumed && semicolon) {
		*consumed = p->here.offset + 1;
		return;
	}
	while (accept(p, TOKEN_SEMICOLON))
		;
	if (p->here.kind != TOKEN_END)
		parser_expected(p, p->here, "the end of the statement");
	if (consumed)
		*consumed = p->text.len;
}

/* Refuse text that is not UTF-8: its names and strings would reach the schema
 * and the files. */
static int check_utf8(struct bytes text, struct arena *arena,
		      struct cql_error *error)
{
	size_t good = 0, bad = text.len, middle;
	int err;

	if (utf8_is_valid(text, false))
		return 0;
	while (bad - good > 1) {	/* the first place that is wrong */
		middle = good + (bad - good) / 2;
		if (utf8_is_valid(bytes_of(text.ptr, middle), true))
			good = middle;
		else
			bad = middle;
	}
	while (!utf8_is_valid(bytes_of(text.ptr, good), false))
		good--;			/* at most three, to the lead byte */
	cql_error_at(error, text, (uint32_t)good, 1);
	err = cql_error_set(error, arena, CQL_SYNTAX,
			    "line %d:%d not UTF-8", error->line, error->column);
	cql_error_at(error, text, (uint32_t)good, 1);
	return err;
}

/* Parse the statement that text begins with, which is UTF-8 and has at most
 * LEXER_TEXT_MAX bytes. */
static struct statement *parse(struct parser *p, struct arena *arena,
			       struct bytes text, size_t *consumed,
			       struct cql_error *error)
{
	struct statement *s;
	uint32_t start;

	p->arena = arena;
	p->error = error;
	p->text = text;
	lexer_init(&p->lexer, text);
	p->at = p->count = 0;
	p->last_end = p->marker_count = p->depth = 0;
	p->result = 0;
	p->unexpected = p->noted = p->recovers = p->grouping = false;
	p->met_end = p->hopeless = false;
	p->stopped = UINT32_MAX;
	parser_fill(p);

	s = new_node(p, struct statement);
	start = p->here.offset;
	parse_statement(p, s);
	s->span = span_from(p, start);
	s->marker_count = p->marker_count;
	parse_end(p, consumed);
	return s;
}

int cql_parse(struct arena *arena, struct statement **out, struct bytes text,
	      size_t *consumed, struct cql_error *error)
{
	struct parser p;
	struct statement *s;

	*error = CQL_ERROR_INIT;
	*out = NULL;
	if (text.len > LEXER_TEXT_MAX)
		return cql_error_set(error, arena, CQL_INVALID_REQUEST,
				     "The statement is longer than 4 GiB");
	if (!text.ptr)
		text = BYTES_EMPTY;
	if (check_utf8(text, arena, error))
		return arena->failed ? -ENOMEM : -EINVAL;
	s = parse(&p, arena, text, consumed, error);
	if (!p.result && p.noted)
		return -EINVAL;
	if (!p.result)
		*out = s;
	return p.result;
}

int cql_parse_begin(struct arena *arena, struct bytes text,
		    struct cql_error *error)
{
	struct parser p;

	*error = CQL_ERROR_INIT;
	if (!text.len || text.len > LEXER_TEXT_MAX ||
	    !utf8_is_valid(text, false))
		return 0;
	parse(&p, arena, text, NULL, error);
	if (p.result != -ENOMEM &&
	    (p.hopeless ||
	     (p.result == -EINVAL && p.unexpected && !p.met_end)))
		return -EINVAL;
	*error = CQL_ERROR_INIT;
	return p.result == -ENOMEM ? -ENOMEM : 0;
}
