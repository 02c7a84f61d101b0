/* Results sorted as a whole: groups of several partitions, and ANN OF. */
#ifndef STORE_CQL_SELECT_SORT_H
#define STORE_CQL_SELECT_SORT_H
#include "store/cql/select/select.h"

/* True if the results are sorted before the first is returned. */
bool sort_applies(const struct select_state *s);
/* Read the next sorted result to s->values: 1, 0, -errno. */
int sort_next(struct select_state *s);
void sort_release(struct select_state *s);
/* Prepare ANN OF by the function of the index; refuses vectors without
 * direction. */
int sort_nearest_init(struct select_state *s, const struct index *index);
#endif
