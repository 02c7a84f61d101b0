/* Times of directories in which a statement makes or removes something. */
#ifndef FS_STATEMENT_TIMES_H
#define FS_STATEMENT_TIMES_H
#include <stddef.h>

struct node;
struct op;
struct statement_entry;
struct write;

/* Add to w, before it is applied, what its changes of one table, all of them, make
 * of the times. 0 or -errno. */
int statement_times(struct op *op, struct write *w, struct node *table,
		    struct statement_entry *entries, size_t count);
/* Store that a table was truncated now; an error leaves it the time that was
 * stored before (keyspace_times.h), as the rows and all times are gone. */
void statement_times_truncated(struct op *op, struct node *table);
#endif
