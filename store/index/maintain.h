/* Indexes, as rows are written and tables change. */
#ifndef STORE_INDEX_MAINTAIN_H
#define STORE_INDEX_MAINTAIN_H
#include "store/table/inner.h"

/*
 * What a write does to the indexes of a table: called for each row of the
 * write with what is added to it, before it is applied; adds to the batch.
 */
int index_row(struct store *s, struct batch *batch, const struct table *t,
	      struct bytes key, const struct row *row, struct arena *arena);
/* For a deleted range of keys of one partition. */
int index_range(struct store *s, struct batch *batch, const struct table *t,
		struct bytes from, struct bytes to, struct deletion deletion);
/* Fill an index from the table as it is now. */
int index_build(struct store *s, const struct table *t,
		const struct index *index);
#endif
