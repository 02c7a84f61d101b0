/*
 * Finds keyspaces, tables and types by name, and asks for the rights to them.
 */
#ifndef STORE_CQL_STATEMENT_RESOLVE_H
#define STORE_CQL_STATEMENT_RESOLVE_H
#include "store/cql/statement/statement.h"

/* Refuse a name without a keyspace, in a session that uses none: -EINVAL. */
int statement_refuse_without_keyspace(struct execution *x);
/* Find the table, and check `right` on it, or refuse. */
int resolve_table(struct execution *x, const struct table **out,
		  const struct table_name *name, enum cql_right right);
/* Find a column; refuse if it does not exist. */
int resolve_column(struct execution *x, const struct column **out,
		   const struct table *t, const struct identifier *name);
/* Check the user's right. Refuses with CQL_UNAUTHORIZED, -EACCES. */
int statement_require_right(struct execution *x, const struct table *t,
			    enum cql_right right);
/* True if the session's user may enter it. t NULL: the keyspace. */
bool statement_may_enter(const struct execution *x, const struct keyspace *k,
			 const struct table *t);
/* -EACCES unless he may enter the keyspace. */
int statement_require_entry(struct execution *x, const struct keyspace *k);
#endif
