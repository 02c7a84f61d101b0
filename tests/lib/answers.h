/* What a store says, by CQL, as text that can be compared. */
#ifndef TESTS_LIB_ANSWERS_H
#define TESTS_LIB_ANSWERS_H
#include "store/cql/cql.h"

/*
 * Run a statement and take all of its rows. 0 or -errno; with out not NULL the
 * rows are appended as JSON, a line each, or the error as its message. A row
 * that cannot be read ends it.
 */
int answer_to(struct cql_session *session, const char *statement,
	      struct buf *out);
/* The schema, and what each of these statements gives (until a NULL). 0, or
 * -EUCLEAN, -EIO, -ENOMEM when the store could not say; other errors are part
 * of the answer. */
int answers_to_all(struct store *s, const char *const *statements,
		   struct buf *out);
#endif
