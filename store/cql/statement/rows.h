/* A result of a few rows that are in memory. */
#ifndef STORE_CQL_STATEMENT_ROWS_H
#define STORE_CQL_STATEMENT_ROWS_H
#include "store/cql/statement/statement.h"

/* Allocate columns to be filled in; NULL without memory. */
struct cql_column *statement_result_columns(struct cql_result *r,
					    uint32_t count);
/* Return rows that exist already and stay as long as the result: count arrays of
 * column_count values. 0 or -ENOMEM. */
int statement_result_rows(struct cql_result *r, struct bytes **rows,
			  size_t count);
#endif
