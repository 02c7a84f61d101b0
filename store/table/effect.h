/*
 * Compute what a change of a row makes of its columns, and of the elements of
 * those: which begin and which end to hold something. Any thread.
 */
#ifndef STORE_TABLE_EFFECT_H
#define STORE_TABLE_EFFECT_H
#include "store/table/observer.h"

struct column_effect {
	const struct column *column;
	bool was, is;		/* it held something, it holds something */
	bool adds, removes;	/* elements, in a column of many cells */
};

struct row_effect {
	bool is;		/* the row exists with the change */
	uint32_t count;
	struct column_effect *columns;	/* that it had or has */
};

/*
 * Merge changes of one row, which are written together, and a deletion of a range
 * that it is in (or none) to one change. Its arrays are in arena. 0 or -ENOMEM.
 */
int row_effect_merge(struct table_change *out,
		     const struct table_change *const *changes, size_t count,
		     struct deletion covering, struct arena *arena);
/*
 * Find what c makes of the row, or static row, before: as table_read read all of
 * it; NULL: there was none. c is not `whole`. A written value is taken as one
 * that is newer than all that the store has of its cell. The columns are in arena.
 * 0 or -ENOMEM.
 */
int row_effect_find(struct row_effect *out, const struct table_change *c,
		    const struct row_view *before, struct arena *arena);
#endif
