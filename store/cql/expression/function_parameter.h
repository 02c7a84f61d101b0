/* Parameters whose types follow from the arguments of a call. */
#ifndef STORE_CQL_EXPRESSION_FUNCTION_PARAMETER_H
#define STORE_CQL_EXPRESSION_FUNCTION_PARAMETER_H
#include "store/cql/expression/function.h"

#define PARAMETERS_MAX 4
/*
 * Find the types of a call's arguments, as the parameters (until
 * PARAMETER_NONE) demand: those of the signature. Refuses others in Cassandra's
 * words.
 */
int parameter_types(struct execution *x,
		    const struct type *types[PARAMETERS_MAX],
		    const uint8_t parameters[PARAMETERS_MAX],
		    const struct function_query *q, const char *name);
#endif
