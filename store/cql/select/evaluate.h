/* The value of a selector for a row. */
#ifndef STORE_CQL_SELECT_EVALUATE_H
#define STORE_CQL_SELECT_EVALUATE_H
#include "store/cql/expression/selector.h"

/* Compute the value of the expression for a row; accumulators: of the group,
 * for aggregates (else NULL). The value is in x->arena or in the row. 0, what
 * refuse() returns, or -ENOMEM. */
int evaluate_expression(struct execution *x, const struct expression *e,
			struct row_values *row,
			struct accumulator *accumulators, struct bytes *value);
#endif
