/*
 * Find where the statements of a longer text end: for files of CQL, the query
 * files of the mount, and the shell, which get their input in pieces.
 *
 * Only what hides a semicolon is recognised: strings, quoted names, comments,
 * and batches, whose inner semicolons do not end them. The parser checks the
 * statements.
 */
#ifndef STORE_CQL_SYNTAX_STATEMENT_END_H
#define STORE_CQL_SYNTAX_STATEMENT_END_H
#include "store/base/bytes.h"

/* Embedded; belongs to one thread. Holds no memory. */
struct cql_split {
	size_t at;		/* looked at, from the beginning of the text */
	size_t begin;		/* of the statement: its first token, or of
				 * the last comment before that */
	size_t word;		/* where the word in progress began */
	uint8_t state, stage;
	bool begun;		/* there was a token */
};

/* Call it before the first piece of a text, and after each statement. */
void cql_split_init(struct cql_split *s);
/*
 * Find the end of the first statement of text, which is all bytes since
 * cql_split_init: those of the last call, and more after them. Nothing is read
 * twice. last: no more will come.
 *
 * Returns 1 with the statement, its semicolon included (if last, it may have
 * none), and *used, the bytes of text that are done with; the next text begins
 * there. A statement of length 0 is an empty one, as between two semicolons.
 * Returns 0 when the text ends before its statement does; if last, then it
 * holds only blanks and comments that are closed.
 */
int cql_split_next(struct cql_split *s, struct bytes text, bool last,
		   struct bytes *statement, size_t *used);
/* The place in which the last call's text ended, for the shell's prompt. */
enum cql_split_inside {
	CQL_SPLIT_NOTHING, CQL_SPLIT_STATEMENT, CQL_SPLIT_BATCH,
	CQL_SPLIT_STRING, CQL_SPLIT_NAME, CQL_SPLIT_COMMENT,
};
enum cql_split_inside cql_split_inside(const struct cql_split *s);
#endif
