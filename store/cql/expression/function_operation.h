/* The choice of an arithmetic operation. */
#ifndef STORE_CQL_EXPRESSION_FUNCTION_OPERATION_H
#define STORE_CQL_EXPRESSION_FUNCTION_OPERATION_H
#include "store/cql/expression/function.h"

/* Find the function of args[0] op args[1]; receiver NULL: any. */
int operation_resolve(struct execution *x, const struct function **out, char op,
		      const struct argument *args, const struct type *receiver);
#endif
