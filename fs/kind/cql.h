/* Consoles: .cql and the like. */
#ifndef FS_KIND_CQL_H
#define FS_KIND_CQL_H
#include "fs/op/place.h"

/* Describe the console of this name in dir (.cql, .cql.json ...). -ENOENT. */
int cql_child(struct op *op, struct node *dir, struct bytes name,
	      struct child *out);
#endif
