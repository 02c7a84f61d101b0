/* Find the words that may follow in a line, and the names most like a wrong
 * one. */
#ifndef TOOLS_CQL_COMPLETE_H
#define TOOLS_CQL_COMPLETE_H
#include "tools/cql/shell.h"

/*
 * Append to out the words that can follow where text (the statement until the
 * cursor) ends, and that begin like its last word; behind: the text after the
 * cursor. *word_length: of that last word. Each once, sorted, ended by a 0.
 */
void cql_complete(struct shell *shell, struct bytes text, struct bytes behind,
		  struct buf *out, size_t *word_length);
/*
 * If the error is about a table or column that does not exist, append " (did
 * you mean x?)" with the one most like it. Asks the backend: its error, and
 * what it has executed, are gone then.
 */
void cql_nearest(struct shell *shell, struct bytes statement,
		 const struct cql_error *error, struct buf *out);
#endif
