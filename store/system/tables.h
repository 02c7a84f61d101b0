/* The tables of the system's keyspaces. */
#ifndef STORE_SYSTEM_TABLES_H
#define STORE_SYSTEM_TABLES_H
#include "store/system/virtual.h"

/* Add the system's keyspaces to a schema that is being built. */
int system_add_keyspaces(struct store *s, struct schema *schema);
/* Add all rows of a virtual table, in any order. 0 or -errno. */
int system_fill(struct virtual_rows *v, struct store *s, const struct table *t);
#endif
