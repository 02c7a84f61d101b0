/* DESCRIBE. */
#ifndef STORE_CQL_SCHEMA_DESCRIBE_H
#define STORE_CQL_SCHEMA_DESCRIBE_H
#include "store/cql/schema/ddl.h"

/* Run a DESCRIBE: its rows are the answer. Errors as of execute_statement. */
int describe_execute(struct cql_result *r, const struct describe *s);
#endif
