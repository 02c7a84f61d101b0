/* In which order the conditions of one row are asked. */
#ifndef STORE_CQL_MODIFY_CONDITION_ORDER_H
#define STORE_CQL_MODIFY_CONDITION_ORDER_H
#include "store/cql/modify/modify.h"

/* From the order in which they were written. 0 or -ENOMEM. */
int conditions_sort(struct execution *x, const struct if_condition **items,
		    uint32_t count);
#endif
