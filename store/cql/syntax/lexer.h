/*
 * Split CQL text into tokens, one at a time, as Cassandra's lexer does, except
 * that a comment may end the input. A token is a place in the text; its
 * contents are read from there when needed.
 */
#ifndef STORE_CQL_SYNTAX_LEXER_H
#define STORE_CQL_SYNTAX_LEXER_H
#include "store/base/arena.h"
#include "store/base/bytes.h"
#include "store/cql/syntax/token.h"

struct token {
	uint32_t offset, length;
	uint8_t kind;	/* enum token_kind */
};

struct lexer {
	const uint8_t *text;
	uint32_t length;
	uint32_t at;
	const char *problem;	/* of a BAD token: what was wrong, static */
	struct token *token;	/* that is read: the caller's */
};

/* Longer text makes no tokens: the caller refuses it. */
#define LEXER_TEXT_MAX (UINT32_MAX - 16)

/* Init. Text has to outlive the lexer, and to be at most LEXER_TEXT_MAX
 * long. */
void lexer_init(struct lexer *lexer, struct bytes text);
/*
 * Read the next token, and return its kind. END (empty, at the end of the text)
 * comes for ever; BAD, at the character that fits no token, ends the useful
 * part.
 */
enum token_kind lexer_next(struct lexer *lexer, struct token *token);

/*
 * Copy a token's contents to arena: names folded to lower case or unquoted,
 * strings without their quotes, others as written. BYTES_NULL without memory.
 */
struct bytes token_copy(struct arena *arena, struct bytes text,
			struct token token);
#endif
