/* Write the changes of one row into a batch. */
#ifndef STORE_CQL_MODIFY_CELL_CHANGE_H
#define STORE_CQL_MODIFY_CELL_CHANGE_H
#include "store/cql/modify/modify.h"

/* Begin in w the row of that key (clustering NULL: the partition's static row),
 * and add the statement's changes of its columns; a list that they need is
 * read. 0, what refuse() returns, or -errno. */
int cell_change_apply(struct execution *x, struct modification *m,
		      struct write *w, struct bytes key,
		      const struct bytes *clustering);
#endif
