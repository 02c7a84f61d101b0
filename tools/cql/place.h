/* The place of an error in its statement, shown with a caret. */
#ifndef TOOLS_CQL_PLACE_H
#define TOOLS_CQL_PLACE_H
#include "store/base/bytes.h"
#include "store/cql/syntax/error.h"

/*
 * Append the line of the statement that the error is at and a line with a caret
 * under its token, at most width characters wide, and hint (may be "") after
 * the caret. Without a place append nothing.
 */
void cql_place_show(struct buf *out, const struct cql_error *error,
		    struct bytes statement, unsigned width,
		    const char *hint);
/* Append the error in cqlsh's form, without a newline. */
void cql_error_print(struct buf *out, const struct cql_error *error);
#endif
