/* Values of the columns of one row, made when they are asked for. */
#ifndef STORE_CQL_EXPRESSION_ROW_EVALUATE_H
#define STORE_CQL_EXPRESSION_ROW_EVALUATE_H
#include "store/cql/expression/selector.h"

int row_values_init(struct execution *x, struct row_values *r,
		    const struct table *t);
/* The row is read from view, which must live as long. NULL: all null. */
void row_values_set(struct row_values *r, const struct row_view *view);
/* A row of its own, in the arena, of what may be asked of the other. */
int row_values_copy(struct execution *x, struct arena *arena,
		    struct row_values *to, const struct row_values *from);
/* A collection's value is put together in x->arena. 0 or -ENOMEM. */
int row_value(struct execution *x, struct row_values *r,
	      const struct column *c, struct bytes *value);
#endif
