/* Types as DDL and type hints write them, to types. */
#ifndef STORE_CQL_EXPRESSION_TYPE_RESOLVE_H
#define STORE_CQL_EXPRESSION_TYPE_RESOLVE_H
#include "store/cql/statement/statement.h"

/* A type as written to a type: a reference owned by the statement. Refuses as
 * DDL does. */
int resolve_type(struct execution *x, const struct type **out,
		 const struct type_name *name, struct bytes keyspace);
/*
 * The same as a reference of the caller's: what may stand inside what is
 * checked, and type_check_limit.
 */
int type_resolve(struct execution *x, struct type **out,
		 const struct type_name *name, const struct keyspace *k);
/* As Cassandra prints a type that it has not looked up yet. With a keyspace:
 * one that it has. */
const char *text_of_type_name(struct execution *x, const struct type_name *t,
			      struct bytes keyspace);
/* Refuse a type that has grown too deep or too large to be walked. */
int type_check_limit(struct execution *x, const struct type *t);
/* A type by Cassandra's class for it; and what an index on entries holds. */
const char *text_of_class(struct execution *x, const struct type *t);
const char *text_of_entries(struct execution *x, const struct type *map);
#endif
