/* Groups of rows, and their accumulators. */
#ifndef STORE_CQL_SELECT_GROUP_H
#define STORE_CQL_SELECT_GROUP_H
#include "store/cql/select/select.h"

/* Prepare, then read the next group: 1 with s->group.first and accumulators, 0,
 * -errno. */
int group_init(struct select_state *s);
int group_next(struct select_state *s);
void group_release(struct select_state *s);
#endif
