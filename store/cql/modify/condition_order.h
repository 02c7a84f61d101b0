/* Sort the conditions of one row in the order in which they are checked. */
#ifndef STORE_CQL_MODIFY_CONDITION_ORDER_H
#define STORE_CQL_MODIFY_CONDITION_ORDER_H
#include "store/cql/modify/modify.h"

/* Sort them; they come in the order in which they were written. 0 or
 * -ENOMEM. */
int conditions_sort(struct execution *x, const struct if_condition **items,
		    uint32_t count);
#endif
