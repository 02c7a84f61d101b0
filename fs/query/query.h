/*
 * A query: the terms of a name (terms.h) with the columns of the table that the
 * directory is in, and the SELECT that it means. Calls return 0 or -errno;
 * their results are in the op's arena.
 */
#ifndef FS_QUERY_QUERY_H
#define FS_QUERY_QUERY_H
#include "fs/op/place.h"
#include "fs/query/terms.h"

struct query_condition {
	const struct column *column;	/* NULL: the token of the partition */
	enum query_operator operator;
	/* In the binary form of the type; null: no bound. LIKE: the pattern. Of
	 * a collection or user type that is not frozen: as spelled, since CQL
	 * refuses any. */
	struct bytes value, end;
};
struct row_query {
	struct place place;		/* of the directory that is queried */
	struct query_terms terms;
	struct query_condition conditions[QUERY_TERMS_MAX];
	/* Only rows after the one with this key. Null: all. */
	struct bytes after_partition;
	struct bytes *after_clustering;	/* NULL in a table without */
	/* For each column, whether rows have it by @cols; they always have
	 * those of the key. NULL: all. */
	bool *wanted;
};

/*
 * Parse the name of a query in dir (a table, a partition or a prefix), without
 * the suffix of a document. -ENOENT: it is no query, or has an unknown column
 * or operator, or a value that is not in its canonical spelling; -EINVAL: a
 * value that its column's type refuses. The store is not read.
 */
int row_query_parse(struct op *op, struct node *dir, struct bytes name,
		    struct row_query **out);
/*
 * Append the SELECT in its three parts, without its limit and the condition of
 * @after. keys: it selects the columns that make a row's key below the
 * directory, otherwise those of the whole row or of @cols, in the order of the
 * table. The table's part is apart, as the table may be renamed before the
 * SELECT runs again.
 */
void row_query_print_columns(struct buf *out, const struct row_query *q,
			     bool keys);
void row_query_print_table(struct buf *out, const struct table *t);
void row_query_print_rest(struct buf *out, const struct row_query *q);
/*
 * Append a SELECT of the one row with this key, to see whether it satisfies the
 * conditions on columns that are not of the key. It selects the key's columns.
 * With `conditions` these are in it, and an index may serve them; without, it
 * selects their columns too, one for each condition, for query_matches_values.
 * False: there is no such condition.
 */
bool row_query_print_check(struct buf *out, const struct row_query *q,
			   const struct bytes *partition_values,
			   const struct bytes *clustering, bool conditions);
/* True if the condition is on the key or its token, and is not a LIKE: the key
 * alone decides it. */
bool query_is_on_key(const struct query_condition *c);
#endif
