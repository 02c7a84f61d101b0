#ifndef STORE_CQL_MODIFY_BATCH_H
#define STORE_CQL_MODIFY_BATCH_H
#include "store/cql/statement/statement.h"
#include "store/cql/modify/modify.h"

/* Run a BATCH, all or nothing; its IFs are checked by batch_condition.c. Errors as of execute_statement. */
int batch_execute(struct cql_result *r, const struct batch_statement *b);
#endif
