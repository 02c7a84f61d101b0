/* INSERT JSON. */
#ifndef STORE_CQL_MODIFY_INSERT_JSON_H
#define STORE_CQL_MODIFY_INSERT_JSON_H
#include "store/cql/modify/modify.h"

/* Make restrictions and changes of an INSERT JSON. */
int insert_json(struct execution *x, struct modification *m,
		const struct insert *s);
#endif
