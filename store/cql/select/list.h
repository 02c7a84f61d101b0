/* The list of a SELECT: its columns before WHERE, its selectors after it. */
#ifndef STORE_CQL_SELECT_LIST_H
#define STORE_CQL_SELECT_LIST_H
#include "store/cql/select/select.h"

/*
 * Find out whether only static columns are selected. This is known before the
 * WHERE, so for a table with statics faults of its selectors are reported
 * before, too.
 */
int select_only_statics(struct select_state *s, bool *only);
/* Make the selectors of the list. 0, what refuse() returns, or -ENOMEM. */
int select_prepare(struct select_state *s);
#endif
