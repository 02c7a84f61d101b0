#include "store/cql/syntax/statement_text.h"

#include "store/cql/syntax/lexer.h"
#include "store/schema/schema.h"

/* Continue from an IF, if token is one, to what follows IF NOT EXISTS. */
static enum token_kind skip_if(struct lexer *lexer, struct token *token)
{
	enum token_kind kind = token->kind;

	if (kind != KEYWORD_IF)
		return kind;
	do {
		kind = lexer_next(lexer, token);
	} while (kind == KEYWORD_NOT);
	return kind == KEYWORD_EXISTS ? lexer_next(lexer, token) : kind;
}

/* Read the two words that a statement begins with, and go on to the name of its
 * object: false if it begins otherwise. */
static bool go_to_name(struct lexer *lexer, struct bytes statement,
		       enum token_kind verb, enum token_kind object,
		       struct token *token)
{
	if (statement.len > LEXER_TEXT_MAX)
		return false;
	lexer_init(lexer, statement);
	if (lexer_next(lexer, token) != verb ||
	    lexer_next(lexer, token) != object)
		return false;
	lexer_next(lexer, token);
	return token_is_name(skip_if(lexer, token));
}

struct bytes cql_statement_created_keyspace(struct arena *arena,
					    struct bytes statement)
{
	struct lexer lexer;
	struct token token;

	if (!go_to_name(&lexer, statement, KEYWORD_CREATE, KEYWORD_KEYSPACE,
			&token))
		return BYTES_NULL;
	return token_copy(arena, statement, token);
}

/* Go on to the name of the table on which an index is made, which may have a name
 * itself. */
static bool go_to_indexed(struct lexer *lexer, struct bytes statement,
			  struct token *token)
{
	enum token_kind kind;

	if (statement.len > LEXER_TEXT_MAX)
		return false;
	lexer_init(lexer, statement);
	if (lexer_next(lexer, token) != KEYWORD_CREATE)
		return false;
	kind = lexer_next(lexer, token);
	if (kind == KEYWORD_CUSTOM)
		kind = lexer_next(lexer, token);
	if (kind != KEYWORD_INDEX)
		return false;
	lexer_next(lexer, token);
	if (skip_if(lexer, token) != KEYWORD_ON &&
	    lexer_next(lexer, token) != KEYWORD_ON)
		return false;
	return token_is_name(lexer_next(lexer, token));
}

static bool go_to_table(struct lexer *lexer, struct bytes statement,
			enum cql_to_table does, struct token *token)
{
	switch (does) {
	case CQL_CREATES_TABLE:
		return go_to_name(lexer, statement, KEYWORD_CREATE,
				  KEYWORD_TABLE, token);
	case CQL_ALTERS_TABLE:
		return go_to_name(lexer, statement, KEYWORD_ALTER,
				  KEYWORD_TABLE, token) ||
		       go_to_name(lexer, statement, KEYWORD_DROP,
				  KEYWORD_TABLE, token);
	default:
		return go_to_indexed(lexer, statement, token);
	}
}

struct bytes cql_statement_table(struct arena *arena, struct bytes statement,
				 enum cql_to_table does)
{
	struct token token, after;
	struct lexer lexer;

	if (!go_to_table(&lexer, statement, does, &token))
		return BYTES_NULL;
	if (lexer_next(&lexer, &after) == TOKEN_DOT) {
		lexer_next(&lexer, &token);
		if (!token_is_name(token.kind))
			return BYTES_NULL;
	}
	return token_copy(arena, statement, token);
}

static bool is_name(struct bytes statement, struct token token,
		    struct bytes name)
{
	struct arena arena = ARENA_INIT;	/* without memory: it is not */
	bool is = token_is_name(token.kind) &&
		  bytes_equal(token_copy(&arena, statement, token), name);

	arena_release(&arena);
	return is;
}

/* A name is that of a keyspace if it follows USE or KEYSPACE (and IF [NOT]
 * EXISTS), or if a dot follows it and none precedes it. */
void cql_statement_rename_keyspace(struct buf *out, struct bytes statement,
				   struct bytes from, struct bytes to)
{
	enum token_kind before = TOKEN_END, kind = TOKEN_END, then;
	struct token token, after;
	struct lexer lexer;
	size_t copied = 0;

	if (statement.len <= LEXER_TEXT_MAX) {
		lexer_init(&lexer, statement);
		kind = lexer_next(&lexer, &token);
	}
	for (; kind > TOKEN_BAD; before = kind, kind = then, token = after) {
		bool follows = before == KEYWORD_USE || before == KEYWORD_KEYSPACE;

		if (follows)
			kind = skip_if(&lexer, &token);
		then = lexer_next(&lexer, &after);
		if ((!follows && (before == TOKEN_DOT || then != TOKEN_DOT)) ||
		    !is_name(statement, token, from))
			continue;
		buf_add(out, statement.ptr + copied, token.offset - copied);
		schema_print_name(out, to);
		copied = token.offset + token.length;
	}
	buf_add(out, statement.ptr + copied, statement.len - copied);
}
