/*
 * A machine over bytes. Its states are the places where a semicolon may be
 * hidden; its stages, how far into BEGIN … BATCH … APPLY BATCH the words have
 * come. A byte that means something only with the next one is left for the next
 * call when it is the last.
 */
#include "store/cql/syntax/statement_end.h"

#include "store/cql/syntax/token.h"

enum state { PLAIN, WORD, STRING, NAME, DOLLARS, LINE_COMMENT, COMMENT };
enum stage {
	START,			/* no word yet */
	BEGUN,			/* BEGIN [UNLOGGED|COUNTER] */
	IN_BATCH,		/* … BATCH */
	APPLIED,		/* … APPLY */
	OTHER,			/* the next semicolon is the end */
};

void cql_split_init(struct cql_split *s)
{
	*s = (struct cql_split){ 0, 0, 0, PLAIN, START, false };
}

static bool is_word(uint8_t c)
{
	return (c >= '0' && c <= '9') || c == '_' ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static void end_word(struct cql_split *s, struct bytes text)
{
	size_t length = s->at - s->word;
	enum token_kind kind = length > 32 ? TOKEN_IDENTIFIER :
		token_find_keyword(text.ptr + s->word, (uint32_t)length);

	s->state = PLAIN;
	switch (s->stage) {
	case START:
		s->stage = kind == KEYWORD_BEGIN ? BEGUN : OTHER;
		break;
	case BEGUN:
		if (kind == KEYWORD_BATCH)
			s->stage = IN_BATCH;
		else if (kind != KEYWORD_UNLOGGED && kind != KEYWORD_COUNTER)
			s->stage = OTHER;
		break;
	case IN_BATCH:
		if (kind == KEYWORD_APPLY)
			s->stage = APPLIED;
		break;
	case APPLIED:
		s->stage = kind == KEYWORD_BATCH ? OTHER :
			   kind == KEYWORD_APPLY ? APPLIED : IN_BATCH;
		break;
	default:
		break;
	}
}

static void begin_token(struct cql_split *s)
{
	if (!s->begun)
		s->begin = s->at;
	s->begun = true;
}

/* Begin a token of `step` bytes that is no word, and continue in state. It
 * cannot be within BEGIN BATCH or APPLY BATCH. */
static void begin_other(struct cql_split *s, uint8_t state, size_t step)
{
	begin_token(s);
	if (s->stage < IN_BATCH)
		s->stage = OTHER;
	else if (s->stage == APPLIED)
		s->stage = IN_BATCH;
	s->state = state;
	s->at += step;
}

/* Skip, in a statement that is no batch, to the next byte that may end it or
 * begin a string, a name or a comment. True if any byte was skipped. */
static bool to_special(struct cql_split *s, struct bytes text)
{
	size_t begin = s->at;

	for (; s->at < text.len; s->at++)
		switch (text.ptr[s->at]) {
		case ';':
		case '\'':
		case '"':
		case '-':
		case '/':
		case '$':
			return s->at > begin;
		default:
			break;
		}
	return true;
}

/* Do one step in PLAIN. False: more bytes are needed to know. */
static bool plain(struct cql_split *s, struct bytes text, bool last)
{
	uint8_t c = text.ptr[s->at];
	uint8_t after = s->at + 1 < text.len ? text.ptr[s->at + 1] : 0;

	if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
		s->at++;
	} else if (is_word(c)) {
		begin_token(s);
		s->word = s->at++;
		s->state = WORD;
	} else if ((c == '-' || c == '/' || c == '$') &&
		   s->at + 1 == text.len && !last) {
		return false;
	} else if ((c == '-' || c == '/') && after == c) {
		s->state = LINE_COMMENT;
		s->at += 2;
	} else if (c == '/' && after == '*') {
		if (!s->begun)
			s->begin = s->at;
		s->state = COMMENT;
		s->at += 2;
	} else if (c == '$' && after == '$') {
		begin_other(s, DOLLARS, 2);
	} else {
		begin_other(s, c == '\'' ? STRING : c == '"' ? NAME : PLAIN, 1);
	}
	return true;
}

/* Go to the two bytes that end it; the first of them may be the last there
 * is. */
static bool to_pair(struct cql_split *s, struct bytes text, bool last,
		    const char *pair)
{
	const uint8_t *found;

	while (s->at < text.len) {
		found = memchr(text.ptr + s->at, pair[0], text.len - s->at);
		s->at = found ? (size_t)(found - text.ptr) : text.len;
		if (!found)
			break;
		if (s->at + 1 == text.len) {
			s->at += last;
			return last;
		}
		if (text.ptr[s->at + 1] == (uint8_t)pair[1]) {
			s->at += 2;
			s->state = PLAIN;
			break;
		}
		s->at++;
	}
	return true;
}

static void to_byte(struct cql_split *s, struct bytes text, uint8_t end)
{
	const uint8_t *found = memchr(text.ptr + s->at, end,
				      text.len - s->at);

	s->at = found ? (size_t)(found - text.ptr) + 1 : text.len;
	if (found)
		s->state = PLAIN;
}

static void to_line_end(struct cql_split *s, struct bytes text)
{
	while (s->at < text.len && text.ptr[s->at] != '\n' &&
	       text.ptr[s->at] != '\r')
		s->at++;
	if (s->at < text.len)
		s->state = PLAIN;
}

static bool step(struct cql_split *s, struct bytes text, bool last)
{
	switch (s->state) {
	case WORD:
		while (s->at < text.len && is_word(text.ptr[s->at]))
			s->at++;
		if (s->at < text.len)
			end_word(s, text);
		return true;
	case STRING:	/* a doubled quote ends one string and begins another */
		to_byte(s, text, '\'');
		return true;
	case NAME:
		to_byte(s, text, '"');
		return true;
	case DOLLARS:
		return to_pair(s, text, last, "$$");
	case COMMENT:
		return to_pair(s, text, last, "*/");
	case LINE_COMMENT:
		to_line_end(s, text);
		return true;
	default:
		return (s->stage == OTHER && to_special(s, text)) ||
		       plain(s, text, last);
	}
}

int cql_split_next(struct cql_split *s, struct bytes text, bool last,
		   struct bytes *statement, size_t *used)
{
	while (s->at < text.len) {
		bool ends = s->state == PLAIN && text.ptr[s->at] == ';' &&
			    s->stage != IN_BATCH && s->stage != APPLIED;

		if (!ends) {
			if (!step(s, text, last))
				return 0;
			continue;
		}
		s->at++;
		*statement = s->begun ? bytes_of(text.ptr + s->begin,
						 s->at - s->begin)
				      : BYTES_EMPTY;
		*used = s->at;
		return 1;
	}
	/* The parser refuses a comment that is not closed. */
	if (!last || (!s->begun && s->state != COMMENT))
		return 0;
	*statement = bytes_of(text.ptr + s->begin, text.len - s->begin);
	*used = text.len;
	return 1;
}

enum cql_split_inside cql_split_inside(const struct cql_split *s)
{
	switch (s->state) {
	case STRING:
	case DOLLARS:
		return CQL_SPLIT_STRING;
	case NAME:
		return CQL_SPLIT_NAME;
	case COMMENT:
		return CQL_SPLIT_COMMENT;
	default:
		break;
	}
	if (s->stage == IN_BATCH || s->stage == APPLIED)
		return CQL_SPLIT_BATCH;
	return s->begun ? CQL_SPLIT_STATEMENT : CQL_SPLIT_NOTHING;
}
