/* The means of a running statement: values, types, its time, its keyspace. */
#ifndef STORE_CQL_STATEMENT_SESSION_H
#define STORE_CQL_STATEMENT_SESSION_H
#include "store/cql/statement/statement.h"

/* The scratch buffer as a value in the arena; clears it. -ENOMEM. */
int keep_scratch(struct execution *x, struct bytes *value);
/* Take over a reference for as long as the statement lives; NULL as it is. */
const struct type *own_type(struct execution *x, struct type *t);
/* The statement's timestamp (one for all it does). */
int64_t statement_timestamp(struct execution *x);
/* Where the names of types in it are looked up: the table's keyspace. */
struct bytes statement_keyspace(const struct execution *x);
#endif
