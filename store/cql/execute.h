/* Run a parsed statement. */
#ifndef STORE_CQL_EXECUTE_H
#define STORE_CQL_EXECUTE_H
#include "store/cql/statement/statement.h"

/* Run a parsed statement: r has its rows, or its error. Errors as of
 * cql_execute. */
int execute_statement(struct cql_result *r, const struct statement *s);
#endif
