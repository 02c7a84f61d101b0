/* Write the changes of one row into a batch. */
#ifndef STORE_CQL_MODIFY_CELL_CHANGE_H
#define STORE_CQL_MODIFY_CELL_CHANGE_H
#include "store/cql/modify/modify.h"

/* Apply all changes of columns of that kind to the row begun in w. */
int cell_change_apply(struct execution *x, struct modification *m,
		      struct write *w, struct bytes key,
		      const struct bytes *clustering);
#endif
