/* Open consoles (.cql and the like), for the timer. */
#ifndef FS_KIND_CQL_H
#define FS_KIND_CQL_H
#include "fs/op/place.h"

/* Let results that nobody has read for some seconds release moments of the store
 * that have passed. */
void cql_consoles_rest(struct fs *fs, int64_t now_s);
/* Describe the console of this name in dir (.cql, .cql.json ...). -ENOENT. */
int cql_child(struct op *op, struct node *dir, struct bytes name,
	      struct child *out);
#endif
