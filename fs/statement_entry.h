/* The rows and ranges of one table that a batch of a statement changes. */
#ifndef FS_STATEMENT_ENTRY_H
#define FS_STATEMENT_ENTRY_H
#include "fs/op/op.h"
#include "store/table/observer.h"

/* Entries are in the order of their tables, and of the rows in each. */
struct statement_entry {
	const struct table_change *change;
	/* A row: it is there before the batch, and after it. */
	bool was, is;
	/* Of the ranges up to this entry, which begin in its partition, the one
	 * that ends last; or NULL. */
	const struct table_change *over;
};

/* Set the entries to the changes. */
void statement_entries(struct statement_entry *entries,
		       const struct table_change *changes, size_t count);
/* Set `over` of the entries of one table. */
void statement_entries_cover(struct statement_entry *entries, size_t count);
/* True if the range has that row. NULL: no range. */
bool statement_entry_covers(const struct table_change *range, struct bytes key);
/* Return the number of entries whose row or range begins before that key. */
size_t statement_entries_before(const struct statement_entry *entries,
				size_t count, struct bytes key);
/* True if the entry is of that partition and begins with these values. */
bool statement_entry_is_in(const struct statement_entry *e,
			   struct bytes partition_key,
			   const struct bytes *clustering, uint32_t count);
#endif
