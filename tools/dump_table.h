/* The rows of a table as statements of CQL, for dump. */
#ifndef TOOLS_DUMP_TABLE_H
#define TOOLS_DUMP_TABLE_H
#include <stdio.h>

#include "tools/cql/backend.h"

/*
 * Print a statement for each set of cells that were written together: keyspace
 * and table as CQL writes them. Partitions come by token, rows in their order.
 * 0, or an exit status after a message.
 */
int dump_table(FILE *out, struct cql_backend *b, struct bytes keyspace,
	       struct bytes table);
#endif
