/*
 * Checks of a SELECT: ORDER BY, GROUP BY, LIMIT and what they ask of each
 * other.
 */
#ifndef STORE_CQL_SELECT_CHECK_H
#define STORE_CQL_SELECT_CHECK_H
#include "store/cql/select/select.h"

/* True for COMPACT STORAGE without clustering columns, where a partition is one
 * static row. */
bool select_has_static_shape(const struct table *t);
/* Check DISTINCT, GROUP BY and ORDER BY, in this order after WHERE; set
 * s->group and s->orders. 0, what refuse() returns, or -ENOMEM. */
int check_distinct(struct select_state *s);
int check_groups(struct select_state *s);
int check_order(struct select_state *s);
/* Warn of aggregates or groups of more than one partition. */
void select_warn_of_groups(struct select_state *s);
/* Check, when it runs, the arguments of the function of GROUP BY. */
int check_group_function(struct select_state *s);
/* Check ANN OF, once the limits are read. */
int check_nearest(struct select_state *s);
#endif
