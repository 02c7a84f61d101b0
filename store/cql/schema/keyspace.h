/* CREATE KEYSPACE and ALTER KEYSPACE. */
#ifndef STORE_CQL_SCHEMA_KEYSPACE_H
#define STORE_CQL_SCHEMA_KEYSPACE_H
#include "store/cql/schema/ddl.h"

/* The statements: each sets d->next or refuses. */
int keyspace_create(struct ddl *d);
int keyspace_alter(struct ddl *d);
#endif
