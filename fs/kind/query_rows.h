/*
 * The rows of a query: a SELECT that runs as the caller, row by row, from one
 * moment of the data; and the look at one row. Calls return 0 or -errno where
 * nothing else is said.
 */
#ifndef FS_KIND_QUERY_ROWS_H
#define FS_KIND_QUERY_ROWS_H
#include "fs/query/entry.h"
#include "fs/query/query.h"

struct query_rows;

/*
 * Run the query, for the keys of rows (query_rows_next), or with whole for whole
 * rows (query_rows_values); p: its place, kept as long as the rows. -EINVAL: CQL refuses
 * it; -EOPNOTSUPP: it needs @scan, or an index; with CQL's message. Belongs to
 * one thread at a time.
 */
int query_rows_open(struct op *op, const struct row_query *q,
		    const struct place *p, bool whole,
		    struct query_rows **out);
/* Read the next row's key, valid until the next call: 1, 0 at the end. */
int query_rows_next(struct op *op, struct query_rows *rows,
		    struct row_key *key);
/* Read the next row, or the statics of a partition that has no row: 1 with its
 * values, of the columns of the SELECT; 0 at the end. */
int query_rows_values(struct op *op, struct query_rows *rows,
		      const struct bytes **values);
/*
 * Release a moment that has passed: the next row is then the one that follows
 * in the moment of the next call. The key returned last is not valid any more.
 */
void query_rows_rest(struct query_rows *rows);
/* Return the bytes that are held. */
uint64_t query_rows_memory(const struct query_rows *rows);
void query_rows_close(struct query_rows *rows);
/*
 * True if the row exists, has this key as it is stored, and satisfies the
 * terms; what @limit, @desc and @after say does not matter. It costs a read of
 * the row.
 */
int query_rows_has(struct op *op, const struct row_query *q,
		   const struct row_key *key);
#endif
