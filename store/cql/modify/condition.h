/* Conditions of IF: prepare, bind and test them. */
#ifndef STORE_CQL_MODIFY_CONDITION_H
#define STORE_CQL_MODIFY_CONDITION_H
#include "store/cql/modify/modify.h"

/* Resolve and type the conditions of a statement, in the execution's arena. 0,
 * what refuse() returns, or -ENOMEM. */
int conditions_prepare(struct execution *x, struct modification *m,
		       const struct if_clause *c);
/* Bind the calls in conditions on statics, or in the others; they may fail. */
int conditions_bind(struct execution *x, const struct modification *m,
		    bool statics);
/* Check whether it holds for the row: 1, 0, -errno; refuses values that cannot
 * be compared. */
int condition_holds(struct execution *x, const struct if_condition *i,
		    struct row_values *row);
/* True if it has conditions on the partition's statics. */
bool condition_asks_statics(const struct modification *m);
/* True if it has conditions on a row, and not only on the partition's
 * statics. */
bool condition_asks_row(const struct modification *m);
#endif
