/*
 * A query: the terms of a name (terms.h) on the columns of the table that the
 * directory is in, and the SELECT that it stands for. Calls return 0 or -errno;
 * what they make is in the op's arena.
 */
#ifndef FS_QUERY_QUERY_H
#define FS_QUERY_QUERY_H
#include "fs/op/place.h"
#include "fs/query/terms.h"

struct query_condition {
	const struct column *column;	/* NULL: the token of the partition */
	enum query_operator operator;
	/* In the binary form of the type; null: open. LIKE: the pattern. */
	struct bytes value, end;
};
struct row_query {
	struct place place;		/* of the directory that is queried */
	struct query_terms terms;
	struct query_condition conditions[QUERY_TERMS_MAX];
	/* Rows come after the one of this key. Null: from the first. */
	struct bytes after_partition;
	struct bytes *after_clustering;	/* NULL in a table without */
	/* Of rows: by the places of columns, whether @cols wants them. Those of
	 * the key always. NULL: all. */
	bool *wanted;
};

/*
 * Parse the name of a query in dir (a table, a partition or a prefix), without
 * the suffix of a document. -ENOENT: it is none, it has an unknown column or
 * operator, or another spelling of a value; -EINVAL: a value that its column's
 * type refuses. Nothing is read.
 */
int row_query_parse(struct op *op, struct node *dir, struct bytes name,
		    struct row_query **out);
/*
 * Append the SELECT in its three parts, without its limit and without what @after
 * says. keys: of the columns that make a row's key below the directory, else of
 * the whole row or what @cols wants of it, in the order of columns. The table may
 * have another name when the SELECT runs again.
 */
void row_query_print_columns(struct buf *out, const struct row_query *q,
			     bool keys);
void row_query_print_table(struct buf *out, const struct table *t);
void row_query_print_rest(struct buf *out, const struct row_query *q);
/*
 * Append the SELECT of the one row with this key (with its partition key's
 * values): of all columns of the key, and then with `conditions` under those
 * that are on other columns, which an index may serve; else, by the key alone,
 * of these columns too, one for each condition. False: there is no such
 * condition.
 */
bool row_query_print_check(struct buf *out, const struct row_query *q,
			   const struct bytes *partition_values,
			   const struct bytes *clustering, bool conditions);
/* Compare these columns' values: 1 they satisfy the conditions; 0 not; -EAGAIN:
 * only an index knows, which may fold letters or split a text. */
int row_query_has_values(const struct row_query *q,
			 const struct bytes *values);
/*
 * Set out to the rows that the terms mean, if they are a range of clustering and
 * nothing else: 1; 0: it is empty; -EPERM: they are not.
 */
int row_query_range(struct op *op, const struct row_query *q,
		    struct slice *out);
/* True if the key satisfies the conditions on its columns and its token. */
bool row_query_has_key(const struct row_query *q, struct bytes partition_key,
		       const struct bytes *partition_values,
		       const struct bytes *clustering);
#endif
