#include "store/cql/syntax/lexer.h"

/* The tokens that a byte may begin or continue. */
enum {
	SPACE = 1, LETTER = 2, DIGIT = 4, HEX = 8, WORD = 16,	/* _ too */
};

#define L (LETTER | WORD)
#define X (LETTER | WORD | HEX)
#define D (DIGIT | WORD | HEX)
static const uint8_t classes[256] = {
	[' '] = SPACE, ['\t'] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE,
	['0'] = D, D, D, D, D, D, D, D, D, D,
	['A'] = X, X, X, X, X, X, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
	L, L, L, L, L,
	['a'] = X, X, X, X, X, X, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
	L, L, L, L, L,
	['_'] = WORD,
};
#undef L
#undef X
#undef D

void lexer_init(struct lexer *lexer, struct bytes text)
{
	lexer->text = text.ptr ? text.ptr : (const uint8_t *)"";
	lexer->at = 0;
	lexer->length = (uint32_t)text.len;
	lexer->problem = NULL;
	lexer->token = NULL;
}

/* Return the byte at a place, 0 after the end (which no token holds
 * unquoted). */
static inline uint8_t byte_at(const struct lexer *lexer, uint32_t at)
{
	return at < lexer->length ? lexer->text[at] : 0;
}
static inline bool is(const struct lexer *lexer, uint32_t at, uint8_t class)
{
	return classes[byte_at(lexer, at)] & class;
}

static inline enum token_kind make(struct lexer *lexer, uint32_t start,
				   uint32_t end, enum token_kind kind)
{
	*lexer->token = (struct token){ start, end - start, (uint8_t)kind };
	lexer->at = end;
	return kind;
}

/* Return BAD: the token that began here cannot continue at that place. */
static enum token_kind bad(struct lexer *lexer, uint32_t at,
			   const char *problem)
{
	lexer->problem = problem;
	return make(lexer, at, at + (at < lexer->length), TOKEN_BAD);
}

/* Return the place of the line's end, or of the text's. */
static uint32_t line_end(const struct lexer *lexer, uint32_t at)
{
	while (at < lexer->length && lexer->text[at] != '\n' &&
	       lexer->text[at] != '\r')
		at++;
	return at;
}

/*
 * Skip blanks and comments. False, with at at the end of the text, when a
 * comment is not closed.
 */
static bool skip_blanks(struct lexer *lexer)
{
	uint32_t at = lexer->at;
	uint8_t first, second;

	for (;;) {
		while (is(lexer, at, SPACE))
			at++;
		lexer->at = at;
		first = byte_at(lexer, at);
		if (first != '-' && first != '/')
			return true;
		second = byte_at(lexer, at + 1);
		if (second == first) {
			at = line_end(lexer, at + 2);
			continue;
		}
		if (first != '/' || second != '*')
			return true;
		for (at += 2; at < lexer->length; at++)
			if (lexer->text[at] == '*' &&
			    byte_at(lexer, at + 1) == '/')
				break;
		if (at >= lexer->length) {
			lexer->at = lexer->length;
			return false;
		}
		at += 2;
	}
}

/* Read 'it''s' or "a""b": to the closing quote. */
static enum token_kind quoted(struct lexer *lexer, uint32_t start, uint8_t quote)
{
	uint32_t at = start + 1;
	const uint8_t *found;

	for (;;) {
		found = at < lexer->length ? memchr(lexer->text + at, quote,
						    lexer->length - at) : NULL;
		if (!found)
			return bad(lexer, lexer->length,
				   quote == '"' ? "a quoted name is not closed"
						: "a string is not closed");
		at = (uint32_t)(found - lexer->text) + 1;
		if (byte_at(lexer, at) != quote)
			break;
		at++;
	}
	if (quote == '\'')
		return make(lexer, start, at, TOKEN_STRING);
	return make(lexer, start, at, at - start == 2 ? TOKEN_EMPTY_QUOTED_NAME
						      : TOKEN_QUOTED_NAME);
}

/* Read $$ … $$; Cassandra reports one that ends too early at the last
 * character. */
static enum token_kind dollar_quoted(struct lexer *lexer, uint32_t start)
{
	uint32_t at;

	if (byte_at(lexer, start + 1) != '$')
		return bad(lexer, start + 1, "a single $");
	for (at = start + 2; at + 1 < lexer->length; at++)
		if (lexer->text[at] == '$' && lexer->text[at + 1] == '$')
			return make(lexer, start, at + 2, TOKEN_STRING);
	return bad(lexer, at < lexer->length ? at : lexer->length,
		   "a $$ string is not closed");
}

/*
 * Read 8-4-4-4-12 hexadecimal digits: called where the first eight or less, or
 * a letter between digits, rule out any other token.
 */
static enum token_kind uuid(struct lexer *lexer, uint32_t start)
{
	uint32_t i;

	for (i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? byte_at(lexer, start + i) != '-'
			 : !is(lexer, start + i, HEX))
			return bad(lexer, start + i, "not a UUID");
	}
	return make(lexer, start, start + 36, TOKEN_UUID);
}

/* Count the hexadecimal digits from here, not beyond nine. */
static uint32_t hex_run(const struct lexer *lexer, uint32_t start)
{
	uint32_t i = 0;

	while (i < 9 && is(lexer, start + i, HEX))
		i++;
	return i;
}

/* Return the length of a duration's unit, 0 if there is none, -1 if it is
 * incomplete. */
static int unit_length(const struct lexer *lexer, uint32_t at)
{
	uint8_t next = byte_at(lexer, at + 1) | 32;

	switch (byte_at(lexer, at) | 32) {
	case 'y': case 'w': case 'd': case 'h': case 's':
		return 1;
	case 'm':
		return next == 'o' || next == 's' ? 2 : 1;
	case 'u': case 'n':
		return next == 's' ? 2 : -1;
	}
	if (byte_at(lexer, at) == 0xc2 && byte_at(lexer, at + 1) == 0xb5)
		return (byte_at(lexer, at + 2) | 32) == 's' ? 3 : -2;
	return 0;
}

/* Read 1h30m. at: after the first digits, at a unit. */
static enum token_kind duration(struct lexer *lexer, uint32_t start, uint32_t at,
			     bool maybe_uuid)
{
	for (;;) {
		int unit = unit_length(lexer, at);

		if (maybe_uuid && at - start < 8 && is(lexer, at, HEX) &&
		    (byte_at(lexer, at) | 32) != 'd')
			return uuid(lexer, start);
		if (unit <= 0)
			return bad(lexer, at + (uint32_t)-unit,
				   "not a duration");
		maybe_uuid = maybe_uuid && (byte_at(lexer, at) | 32) == 'd';
		at += (uint32_t)unit;
		if (maybe_uuid && at - start < 8 && is(lexer, at, HEX) &&
		    !is(lexer, at, DIGIT))
			return uuid(lexer, start);
		if (!is(lexer, at, DIGIT))
			return make(lexer, start, at, TOKEN_DURATION);
		while (is(lexer, at, DIGIT))
			at++;
	}
}

/* Skip numbers with these units, in their order; return the place after them. */
static uint32_t iso_part(const struct lexer *lexer, uint32_t at,
			 const char *units)
{
	uint32_t digits;

	for (;; at = digits + 1) {
		for (digits = at; is(lexer, digits, DIGIT); digits++)
			;
		if (digits == at || !byte_at(lexer, digits))
			return at;
		while (*units && *units != byte_at(lexer, digits))
			units++;
		if (!*units)
			return at;
		units++;
	}
}

/*
 * Read ISO 8601: P1Y2M3DT4H5M6S, P5W, P0001-02-03T04:05:06. at is after the P.
 * Returns where it ends, or 0 when it is no duration; *sure when it can be
 * nothing else (four digits and a dash), and *at is where it fails.
 */
static uint32_t iso_duration(const struct lexer *lexer, uint32_t *at, bool *sure)
{
	static const char pattern[] = "dddd-dd-ddTdd:dd:dd";
	uint32_t start = *at, end, i;

	for (i = 0; i < sizeof(pattern) - 1; i++)
		if (pattern[i] == 'd' ? !is(lexer, start + i, DIGIT)
				      : byte_at(lexer, start + i) != pattern[i])
			break;
	*sure = i > 4;
	*at = start + i;
	if (i == sizeof(pattern) - 1)
		return start + i;
	if (*sure)
		return 0;
	end = iso_part(lexer, start, "W");
	if (end == start)
		end = iso_part(lexer, start, "YMD");
	if (byte_at(lexer, end) == 'T' && (end == start ||
					   lexer->text[end - 1] != 'W')) {
		i = iso_part(lexer, end + 1, "HMS");
		if (i > end + 1)
			end = i;
	}
	*at = end;
	return end > start ? end : 0;
}

/* Read a fraction. at: after the digits before the point or the exponent. */
static enum token_kind fraction(struct lexer *lexer, uint32_t start, uint32_t at)
{
	uint32_t digits;

	if (byte_at(lexer, at) == '.')
		for (at++; is(lexer, at, DIGIT); at++)
			;
	if ((byte_at(lexer, at) | 32) != 'e')
		return make(lexer, start, at, TOKEN_FLOAT);
	at++;
	if (byte_at(lexer, at) == '+' || byte_at(lexer, at) == '-')
		at++;
	for (digits = at; is(lexer, at, DIGIT); at++)
		;
	if (at == digits)
		return bad(lexer, at, "a number's exponent is missing");
	return make(lexer, start, at, TOKEN_FLOAT);
}

/* Read every token that begins with a digit, or with a minus and a digit. */
static enum token_kind number(struct lexer *lexer, uint32_t start)
{
	bool maybe_uuid = lexer->text[start] != '-';
	uint32_t at = start + !maybe_uuid, digits = at;
	uint8_t next;

	if (maybe_uuid && byte_at(lexer, start + 8) == '-' &&
	    hex_run(lexer, start) == 8)
		return uuid(lexer, start);
	while (is(lexer, at, DIGIT))
		at++;
	next = byte_at(lexer, at);
	if (maybe_uuid && at - start == 1 && lexer->text[start] == '0' &&
	    (next | 32) == 'x') {
		for (at++; is(lexer, at, HEX); at++)
			;
		return make(lexer, start, at, TOKEN_HEX);
	}
	if (next != '.' && next < 0x80 && !(classes[next] & LETTER))
		return make(lexer, start, at, TOKEN_INTEGER);
	if (next == '.' && byte_at(lexer, at + 1) == '.')
		/* 1..2 is a range; 1... is 1. and a range */
		return byte_at(lexer, at + 2) == '.'
			? make(lexer, start, at + 1, TOKEN_FLOAT)
			: make(lexer, start, at, TOKEN_INTEGER);
	if (next == '.')
		return fraction(lexer, start, at);
	if ((next | 32) == 'e') {
		uint32_t end = at + 1;

		while (is(lexer, end, DIGIT))
			end++;
		/* 1e5f is not 1e5 and f: only a UUID continues like that */
		if (maybe_uuid && at - start < 8 && end - start < 8 &&
		    is(lexer, end, HEX))
			return uuid(lexer, start);
		return fraction(lexer, start, at);
	}
	if (unit_length(lexer, at))
		return duration(lexer, start, at, maybe_uuid);
	if (maybe_uuid && at - digits < 8 && is(lexer, at, HEX))
		return uuid(lexer, start);
	return make(lexer, start, at, TOKEN_INTEGER);
}

static enum token_kind word(struct lexer *lexer, uint32_t start)
{
	const uint8_t *text = lexer->text;
	uint32_t at = start + 1, length = lexer->length, end;
	bool sure;

	while (at < length && classes[text[at]] & WORD)
		at++;
	if (at - start == 8 && byte_at(lexer, at) == '-' &&
	    hex_run(lexer, start) == 8)
		return uuid(lexer, start);
	if (text[start] == 'P') {
		uint32_t stop = start + 1;

		end = iso_duration(lexer, &stop, &sure);
		if (sure && !end)
			return bad(lexer, stop, "not a duration");
		if (end >= at)
			return make(lexer, start, end, TOKEN_DURATION);
	}
	if (at - start == 4 && byte_at(lexer, at) == '(' &&
	    !memcmp(text + start, "expr", 4))
		return make(lexer, start, at + 1, TOKEN_EXPR_OPEN);
	return make(lexer, start, at,
		    token_find_keyword(text + start, at - start));
}

/* Read -NaN, -Infinity: a minus with a first letter of one of them is always
 * one. */
static enum token_kind negative_word(struct lexer *lexer, uint32_t start,
				  const char *rest, enum token_kind kind)
{
	uint32_t at = start + 1;

	for (; *rest; rest++, at++)
		if ((byte_at(lexer, at) | 32) != *rest)
			return bad(lexer, at, "not a number");
	return make(lexer, start, at, kind);
}

static enum token_kind minus(struct lexer *lexer, uint32_t start)
{
	uint32_t at = start + 2, end;
	bool sure;

	switch (byte_at(lexer, start + 1)) {
	case '=':
		return make(lexer, start, start + 2, TOKEN_TAKE_FROM);
	case 'n': case 'N':
		return negative_word(lexer, start, "nan", TOKEN_NEGATIVE_NAN);
	case 'i': case 'I':
		return negative_word(lexer, start, "infinity",
				     TOKEN_NEGATIVE_INFINITY);
	case 'P':
		end = iso_duration(lexer, &at, &sure);
		if (!end)
			return bad(lexer, at, "not a duration");
		return make(lexer, start, end, TOKEN_DURATION);
	}
	if (is(lexer, start + 1, DIGIT))
		return number(lexer, start);
	return make(lexer, start, start + 1, TOKEN_MINUS);
}

/* Read one character, or two when the second is this one. */
static enum token_kind pair(struct lexer *lexer, uint32_t start, uint8_t second,
			 enum token_kind two, enum token_kind one)
{
	if (byte_at(lexer, start + 1) == second)
		return make(lexer, start, start + 2, two);
	return make(lexer, start, start + 1, one);
}

/* Tokens of one character. */
static const uint8_t single[256] = {
	['('] = TOKEN_OPEN, [')'] = TOKEN_CLOSE,
	['['] = TOKEN_OPEN_LIST, [']'] = TOKEN_CLOSE_LIST,
	['{'] = TOKEN_OPEN_SET, ['}'] = TOKEN_CLOSE_SET,
	[','] = TOKEN_COMMA, [';'] = TOKEN_SEMICOLON, [':'] = TOKEN_COLON,
	['?'] = TOKEN_QUESTION, ['='] = TOKEN_EQ, ['*'] = TOKEN_STAR,
	['/'] = TOKEN_SLASH, ['%'] = TOKEN_PERCENT,
};

static enum token_kind punctuation(struct lexer *lexer, uint32_t start)
{
	uint8_t first = lexer->text[start];

	switch (first) {
	case '\'': case '"':
		return quoted(lexer, start, first);
	case '$':
		return dollar_quoted(lexer, start);
	case '-':
		return minus(lexer, start);
	case '.':
		return pair(lexer, start, '.', TOKEN_RANGE, TOKEN_DOT);
	case '<':
		return pair(lexer, start, '=', TOKEN_LE, TOKEN_LT);
	case '>':
		return pair(lexer, start, '=', TOKEN_GE, TOKEN_GT);
	case '+':
		return pair(lexer, start, '=', TOKEN_ADD_TO, TOKEN_PLUS);
	case '!':
		if (byte_at(lexer, start + 1) == '=')
			return make(lexer, start, start + 2, TOKEN_NE);
		return bad(lexer, start + 1, "! without =");
	}
	return bad(lexer, start, "a character that CQL has no use for");
}

enum token_kind lexer_next(struct lexer *lexer, struct token *token)
{
	const uint8_t *text = lexer->text;
	uint32_t at = lexer->at, length = lexer->length;
	uint8_t class;

	lexer->token = token;
	while (at < length && classes[text[at]] & SPACE)
		at++;
	if (at < length && (text[at] == '-' || text[at] == '/')) {
		lexer->at = at;
		if (!skip_blanks(lexer))
			return bad(lexer, length, "a comment is not closed");
		at = lexer->at;
	}
	if (at >= length)
		return make(lexer, length, length, TOKEN_END);
	class = classes[text[at]];
	if (class & LETTER)
		return word(lexer, at);
	if (single[text[at]])
		return make(lexer, at, at + 1, single[text[at]]);
	if (class & DIGIT)
		return number(lexer, at);
	return punctuation(lexer, at);
}

/* Replace every doubled quote by one. */
static struct bytes unquote(struct arena *arena, const uint8_t *text,
			    uint32_t length, uint8_t quote)
{
	uint8_t *copy = arena_alloc(arena, (size_t)length + 1);
	uint32_t i, n = 0;

	if (!copy)
		return BYTES_NULL;
	if (!memchr(text, quote, length)) {
		memcpy(copy, text, length);
		n = length;
	} else {
		for (i = 0; i < length; i++) {
			copy[n++] = text[i];
			i += text[i] == quote;
		}
	}
	copy[n] = 0;
	return bytes_of(copy, n);
}

static struct bytes fold(struct arena *arena, const uint8_t *text,
			 uint32_t length)
{
	uint8_t *copy = arena_alloc(arena, (size_t)length + 1);
	uint32_t i;

	if (!copy)
		return BYTES_NULL;
	for (i = 0; i < length; i++)
		copy[i] = text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 32
							   : text[i];
	copy[length] = 0;
	return bytes_of(copy, length);
}

struct bytes token_copy(struct arena *arena, struct bytes text,
			struct token token)
{
	const uint8_t *start = text.ptr + token.offset;

	switch (token.kind) {
	case TOKEN_STRING:
		if (*start == '$')
			return arena_copy(arena, bytes_of(start + 2,
							  token.length - 4));
		return unquote(arena, start + 1, token.length - 2, '\'');
	case TOKEN_QUOTED_NAME:
	case TOKEN_EMPTY_QUOTED_NAME:
		return unquote(arena, start + 1, token.length - 2, '"');
	case TOKEN_IDENTIFIER:
		return fold(arena, start, token.length);
	}
	if (token.kind >= KEYWORD_RESERVED)
		return fold(arena, start, token.length);
	return arena_copy(arena, bytes_of(start, token.length));
}
