/* Conditions of IF: prepare, bind and test them. */
#ifndef STORE_CQL_MODIFY_CONDITION_H
#define STORE_CQL_MODIFY_CONDITION_H
#include "store/cql/modify/modify.h"

int conditions_prepare(struct execution *x, struct modification *m,
		       const struct if_clause *c);
/* Calls in those on statics, or in the others, that fail. */
int conditions_bind(struct execution *x, const struct modification *m,
		    bool statics);
/* Does it hold for the row? 1, 0, -errno; refuses what cannot be compared. */
int condition_holds(struct execution *x, const struct if_condition *i,
		    struct row_values *row);
/* Does it ask about the partition's statics? */
bool condition_asks_statics(const struct modification *m);
/* Is it about a row, and not only about the partition's statics? */
bool condition_asks_row(const struct modification *m);
#endif
