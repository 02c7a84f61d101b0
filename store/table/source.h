/* Read the rows of a table from the engine or, if it is virtual, from code. */
#ifndef STORE_TABLE_SOURCE_H
#define STORE_TABLE_SOURCE_H
#include "store/row/iterator.h"
#include "store/table/table.h"

/* As lsm_iterate (of q's table) and lsm_get; virtual tables are read from
 * code. */
int table_source_iterate(struct iterator **out, struct store *s,
			 const struct query *q, struct bytes lower,
			 struct bytes upper, bool reverse);
int table_source_get(struct store *s, const struct table *t, struct bytes key,
		     uint64_t mask, struct arena *arena, struct row *row);
#endif
