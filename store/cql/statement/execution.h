/*
 * The execution of one statement: memory for its values and types, its
 * timestamp, its keyspace. As all of an execution, for one thread.
 */
#ifndef STORE_CQL_STATEMENT_EXECUTION_H
#define STORE_CQL_STATEMENT_EXECUTION_H
#include "store/cql/statement/statement.h"

/* Copy x->scratch to the arena as *value, and clear it. 0 or -ENOMEM. */
int execution_keep_scratch(struct execution *x, struct bytes *value);
/* Take over the caller's reference to t; it is put with the result. Returns t;
 * NULL if t is NULL, or without memory (the reference is put). */
const struct type *execution_own_type(struct execution *x, struct type *t);
/* Return the statement's timestamp, in microseconds: taken from the store's
 * clock at the first call, and the same in later ones. */
int64_t execution_timestamp(struct execution *x);
/* Return the keyspace in which names of types are looked up: hint_keyspace,
 * else the table's, else that of USE; "" if there is none. */
struct bytes execution_keyspace(const struct execution *x);
#endif
