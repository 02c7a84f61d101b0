/* INSERT JSON, turned into restrictions and changes. */
#ifndef STORE_CQL_MODIFY_INSERT_JSON_H
#define STORE_CQL_MODIFY_INSERT_JSON_H
#include "store/cql/modify/modify.h"

/* INSERT JSON to restrictions and changes. */
int insert_json(struct execution *x, struct modification *m,
		const struct insert *s);
#endif
