/*
 * The inside of the parser, shared by the parse_*.c files and type_name.c:
 * recursive descent over a small window of tokens, each made once.
 *
 * The first error sets result and makes every later token END (but see
 * parser_note and parser_recover), so that all loops end and no function has to
 * check for it: the nodes that are returned then may be nonsense, and cql_parse
 * throws the tree away. Lack of memory is the same: every node is then the
 * scratch space.
 */
#ifndef STORE_CQL_SYNTAX_PARSER_H
#define STORE_CQL_SYNTAX_PARSER_H
#include "store/base/hash.h"
#include "store/cql/syntax/lexer.h"
#include "store/cql/syntax/parse.h"

#define PARSER_WINDOW 64
#define PARSER_DEPTH_MAX 100	/* nested terms, types, brackets */
#define PARSER_HEIGHT_MAX 500	/* of a term's tree: a + b + c is 3 high */

struct parser {
	struct arena *arena;
	struct cql_error *error;
	struct bytes text;
	struct lexer lexer;
	struct token here;	/* the next one: tokens[at] */
	uint32_t at, count;	/* in tokens; at < count always */
	uint32_t last_end;	/* where the token before at ended */
	uint32_t marker_count;
	uint32_t depth;
	int result;		/* 0, -EINVAL, -ENOMEM */
	bool unexpected;	/* the error is an unexpected token */
	bool noted;		/* the error was noted, and reading goes on */
	bool hopeless;		/* what was noted is an unexpected token that no
				 * further text can change */
	bool recovers;		/* see parser_recover */
	bool met_end;		/* the text's last token, which may be
				 * incomplete, decided something */
	uint32_t stopped;	/* offset of the unexpected token that stopped
				 * it; UINT32_MAX: nothing, or a refusal */
	bool grouping;		/* in GROUP BY */
	struct token tokens[PARSER_WINDOW];
	_Alignas(16) uint8_t scratch[512];
};

/* Make room in the window and fill it; END, BAD or a semicolon ends a fill. */
void parser_fill(struct parser *p);
/* Set the first error only: "line L:C expected …, found '…'" at this token. */
void parser_expected(struct parser *p, struct token at, const char *what);
/*
 * Refuse with a sentence of Cassandra's own, without "line"; the place is the
 * token's. Cassandra throws it while it reads: it is told whatever comes after
 * it, and whatever was noted before.
 */
void parser_refuse(struct parser *p, struct token at, enum cql_code code,
		   const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Note a fault after which Cassandra reads on: it is told unless one before it
 * was, or one after it is refused. A syntax error after it only ends the
 * reading.
 */
void parser_note(struct parser *p, struct token at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * End a rule of Cassandra's grammar. no_error: there was no error at the
 * beginning of the rule. A syntax error in it is noted, and the calling rule
 * continues at the wrong token, where it may meet something to refuse. That is
 * done in statements that have `recovers` set: others refuse nothing after a
 * rule.
 */
void parser_recover(struct parser *p, bool no_error);
/* Add a name to a set: false if it was there already. */
bool parser_add_name(struct parser *p, struct hash *set, struct bytes name);
/*
 * Go back to a copy of the parser if the text read since was no CQL. This is
 * for places where Cassandra's grammar looks whether something can be read
 * before it reads it. False: it was CQL, or is refused in any case, and nothing
 * is changed.
 */
bool parser_retry(struct parser *p, const struct parser *copy);
void parser_no_memory(struct parser *p);

/* Return the kind of the nth token from here; END where the text ends
 * before. */
enum token_kind parse_peek_ahead(struct parser *p, uint32_t n);

static inline struct token next(struct parser *p)
{
	struct token token = p->here;

	if (token.kind == TOKEN_END || token.kind == TOKEN_BAD)
		return token;
	p->last_end = token.offset + token.length;
	if (++p->at == p->count)
		parser_fill(p);
	else
		p->here = p->tokens[p->at];
	return token;
}
static inline bool accept(struct parser *p, enum token_kind kind)
{
	if (p->here.kind != kind)
		return false;
	next(p);
	return true;
}
static inline struct token expect(struct parser *p, enum token_kind kind,
				  const char *what)
{
	if (p->here.kind != kind)
		parser_expected(p, p->here, what);
	return next(p);
}
static inline struct span span_from(const struct parser *p, uint32_t start)
{
	return (struct span){ start, p->last_end > start ? p->last_end - start
							 : 0 };
}

/* Allocate zeroed memory of the arena. */
void *parser_node(struct parser *p, size_t size);
#define new_node(p, type) ((type *)parser_node(p, sizeof(type)))
/* Grow an array by doubling, and return the place of element number *count. */
void *parser_append(struct parser *p, void *items, uint32_t *count,
		    size_t size);
/* Append a zeroed element to an array and its count: returns it. */
#define append(p, items, count)                                                \
	({                                                                     \
		(items) = parser_append(p, items, &(count), sizeof(*(items))); \
		&(items)[(count)++];                                           \
	})

/* Go one level deeper; false when that is too deep, and refused. */
bool parser_enter(struct parser *p);
static inline void parser_leave(struct parser *p)
{
	p->depth--;
}

/* Return the text that a token means: of a string without quotes, and so on. */
struct bytes parse_text(struct parser *p, struct token token);
/* Parse a name; column allows "" too (legacy columns have it). */
struct identifier parse_name(struct parser *p, const char *what);
struct identifier parse_column(struct parser *p);
/* Parse a marker in place of a name of this kind, and note it as a fault.
 * False: there is none. */
bool parse_marked_name(struct parser *p, const char *kind);
/* Parse [keyspace.]name; kind is "table" or "index", for messages. */
struct table_name parse_qualified(struct parser *p, const char *kind);
struct identifier parse_keyspace_name(struct parser *p);
bool parse_if_exists(struct parser *p);
bool parse_if_not_exists(struct parser *p);

/* Parse one operand of a sum, or of a list. */
typedef struct term *parse_operand(struct parser *p);
#endif
