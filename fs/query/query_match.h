/*
 * The conditions of a query (query.h) compared here, without a SELECT: with the
 * key or the values of one row, or as the bounds of a range of rows. Calls do
 * not read the store.
 */
#ifndef FS_QUERY_QUERY_MATCH_H
#define FS_QUERY_QUERY_MATCH_H
#include <stdbool.h>

#include "store/base/bytes.h"

struct op;
struct row_query;
struct slice;

/*
 * Check the values of the columns that row_query_print_check selects after the
 * key's. 1: they satisfy the conditions; 0: they do not; -EAGAIN: only an index
 * can tell, as it may fold letters or split a text.
 */
int query_matches_values(const struct row_query *q,
			 const struct bytes *values);
/*
 * Set out to the rows that the terms select, if the terms are a range of
 * clustering in one partition and nothing else. 1; 0: the range is empty;
 * -EPERM: the terms are something else; -ENOMEM. The bounds are in the op's
 * arena.
 */
int query_range(struct op *op, const struct row_query *q,
		struct slice *out);
/* True if the key satisfies the conditions on its columns and its token. */
bool query_matches_key(const struct row_query *q, struct bytes partition_key,
		       const struct bytes *partition_values,
		       const struct bytes *clustering);
#endif
