/* The means of a running statement: values, types, its time, its keyspace. */
#ifndef STORE_CQL_STATEMENT_SESSION_H
#define STORE_CQL_STATEMENT_SESSION_H
#include "store/cql/statement/statement.h"

/* Copy the scratch buffer to the arena as a value, and clear it. -ENOMEM. */
int session_keep_scratch(struct execution *x, struct bytes *value);
/* Take over a reference for the statement's life; NULL stays NULL. Returns NULL
 * without memory, too. */
const struct type *session_own_type(struct execution *x, struct type *t);
/* Return the statement's timestamp (one for all of it). */
int64_t statement_timestamp(struct execution *x);
/* Return the keyspace in which names of types are looked up: the table's. */
struct bytes statement_keyspace(const struct execution *x);
#endif
