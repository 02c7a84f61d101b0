/* Look up types as DDL and type hints write them. */
#ifndef STORE_CQL_EXPRESSION_TYPE_RESOLVE_H
#define STORE_CQL_EXPRESSION_TYPE_RESOLVE_H
#include "store/cql/statement/statement.h"

/*
 * Look up a type as written; names of user types are of the keyspace, if they
 * give none. *out is a reference that the statement owns. 0, what refuse()
 * returns, or -ENOMEM.
 */
int type_resolve_owned(struct execution *x, const struct type **out,
		       const struct type_name *name, struct bytes keyspace);
/* The same for DDL, in the keyspace k: the caller owns *out. Refuses types that
 * may not be inside others, and what type_check_limit refuses. */
int type_resolve(struct execution *x, struct type **out,
		 const struct type_name *name, const struct keyspace *k);
/* Print a type as Cassandra does before it has looked it up. With a keyspace:
 * one that it has. */
const char *type_text_of_name(struct execution *x, const struct type_name *t,
			      struct bytes keyspace);
/* Refuse a type that is too deep or too large to be walked. */
int type_check_limit(struct execution *x, const struct type *t);
/* Print a type as Cassandra's class for it; and the type of an index on
 * entries. */
const char *type_text_of_class(struct execution *x, const struct type *t);
const char *type_text_of_entries(struct execution *x, const struct type *map);
#endif
