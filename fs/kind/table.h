/* A table: a directory of its partitions, in token order. */
#ifndef FS_KIND_TABLE_H
#define FS_KIND_TABLE_H
#include "fs/op/place.h"

/* Describe a table. */
void table_child(struct child *c, const struct table *t);
#endif
