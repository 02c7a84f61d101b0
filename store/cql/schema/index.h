/* CREATE INDEX and DROP INDEX. */
#ifndef STORE_CQL_SCHEMA_INDEX_H
#define STORE_CQL_SCHEMA_INDEX_H
#include "store/cql/schema/ddl.h"

/* Carry out the statement on d->next. 0, what refuse() returns, or -errno. */
int index_create(struct ddl *d);
int index_drop(struct ddl *d);
#endif
