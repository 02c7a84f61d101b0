/* Values of the columns of one row, made when they are needed. */
#ifndef STORE_CQL_EXPRESSION_ROW_EVALUATE_H
#define STORE_CQL_EXPRESSION_ROW_EVALUATE_H
#include "store/cql/expression/selector.h"

/* Prepare room in the execution's arena for a row's values. 0 or -ENOMEM. */
int row_values_init(struct execution *x, struct row_values *r,
		    const struct table *t);
/* Set the row, which is read from view; that must live as long. NULL: all
 * null. */
void row_values_set(struct row_values *r, const struct row_view *view);
/* Copy to the arena all values of the row that may be needed. */
int row_values_copy(struct execution *x, struct arena *arena,
		    struct row_values *to, const struct row_values *from);
/* Return a column's value. A collection's is built in x->arena. 0 or
 * -ENOMEM. */
int row_value(struct execution *x, struct row_values *r,
	      const struct column *c, struct bytes *value);
#endif
