/* BATCH. */
#ifndef STORE_CQL_MODIFY_BATCH_H
#define STORE_CQL_MODIFY_BATCH_H
#include "store/cql/statement/statement.h"

/* Run a BATCH: all of its statements, or none, also where one has an IF. Errors
 * as of execute_statement. */
int batch_execute(struct cql_result *r, const struct batch_statement *b);
#endif
