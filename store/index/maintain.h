/* Update indexes as rows are written and tables change. */
#ifndef STORE_INDEX_MAINTAIN_H
#define STORE_INDEX_MAINTAIN_H
#include "store/table/inner.h"

/*
 * Add to the batch the changes of a table's indexes: called for each row of a
 * write with the data that is added to it, before it is applied.
 */
int index_row(struct store *s, struct batch *batch, const struct table *t,
	      struct bytes key, const struct row *row, struct arena *arena);
/* The same for a deleted range of keys of one partition. */
int index_range(struct store *s, struct batch *batch, const struct table *t,
		struct bytes from, struct bytes to, struct deletion deletion);
/* Fill an index from the table as it is now. */
int index_build(struct store *s, const struct table *t,
		const struct index *index);
#endif
