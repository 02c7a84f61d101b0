/* The table of functions that take any type, or any collection. */
#ifndef STORE_CQL_EXPRESSION_FUNCTION_GENERIC_H
#define STORE_CQL_EXPRESSION_FUNCTION_GENERIC_H
#include "store/cql/expression/function.h"

/* Add the functions of any type with that name, if any; refuses arguments that
 * none can take. */
int generic_candidates(struct execution *x, struct candidates *c,
		       const struct function_query *q, const char *name);
#endif
