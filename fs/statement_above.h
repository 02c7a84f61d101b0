/*
 * Times of the directories above the rows that a batch makes or removes: of those
 * whose names are others after it.
 */
#ifndef FS_STATEMENT_ABOVE_H
#define FS_STATEMENT_ABOVE_H
#include "fs/statement_entry.h"

struct node;
struct write;

/* Add to w what the entries of one table, all that it has, make of the times. 0
 * or -errno. */
int statement_above(struct op *op, struct write *w, struct node *table,
		    const struct statement_entry *entries, size_t count);
#endif
