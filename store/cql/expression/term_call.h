/*
 * Calls, operations and casts in terms: the function of each, kept for the
 * statement.
 */
#ifndef STORE_CQL_EXPRESSION_TERM_CALL_H
#define STORE_CQL_EXPRESSION_TERM_CALL_H
#include "store/cql/expression/term.h"

/* Find the function of a call, an operator or a minus, as function.h; return
 * the type it has without a receiver, NULL: none. */
int term_resolve_call(struct execution *x, const struct function **f,
		      const struct term *t, const struct type *receiver);
const struct type *call_type(struct execution *x, const struct term *t);
enum assignable call_assignable(struct execution *x, const struct term *t,
				const struct type *receiver);
/* Return the function that CAST(… AS text) calls: "system.cast_as_text". */
const char *term_cast_name(struct execution *x, const struct term *t);
#endif
