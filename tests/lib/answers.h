/* The answers of a store to CQL, as text that can be compared. */
#ifndef TESTS_LIB_ANSWERS_H
#define TESTS_LIB_ANSWERS_H
#include "store/cql/cql.h"

/*
 * Run a statement and read all of its rows. 0 or -errno. The rows are appended
 * to out, if it is not NULL, as JSON, a line each, or the message of the error.
 * A row that cannot be read ends the result.
 */
int answer_to(struct cql_session *session, const char *statement,
	      struct buf *out);
/* Append the schema and the answers to these statements (the last is NULL). 0,
 * or -EUCLEAN, -EIO, -ENOMEM if the store could not answer; other errors are
 * part of the answer. */
int answers_to_all(struct store *s, const char *const *statements,
		   struct buf *out);
#endif
