/* INSERT JSON. */
#ifndef STORE_CQL_MODIFY_INSERT_JSON_H
#define STORE_CQL_MODIFY_INSERT_JSON_H
#include "store/cql/modify/modify.h"

/* Make the restrictions of the key and the changes of other columns that an
 * INSERT JSON means. 0, what refuse() returns, or -ENOMEM. */
int insert_json(struct execution *x, struct modification *m,
		const struct insert *s);
#endif
