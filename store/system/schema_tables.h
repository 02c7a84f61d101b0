/* The tables that show the schema: filled as by system_fill. */
#ifndef STORE_SYSTEM_SCHEMA_TABLES_H
#define STORE_SYSTEM_SCHEMA_TABLES_H
#include "store/system/virtual.h"

/* Add the rows of a table of system_schema. 0 or -errno. */
int system_fill_schema(struct virtual_rows *v, struct store *s,
		       const struct table *t);
#endif
