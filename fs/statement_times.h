/* Times of directories in which a statement makes or removes something. */
#ifndef FS_STATEMENT_TIMES_H
#define FS_STATEMENT_TIMES_H
struct node;
struct op;
struct table_change;
struct write;

/* Add to w, before it is applied, what one change of it makes of the times. */
int statement_times(struct op *op, struct write *w, struct node *table,
		    const struct table_change *c);
/* Store that a table was truncated now; an error leaves it the time that was
 * stored before (keyspace_times.h), as the rows and all times are gone. */
void statement_times_truncated(struct op *op, struct node *table);
#endif
