/* CREATE INDEX and DROP INDEX. */
#ifndef STORE_CQL_SCHEMA_INDEX_H
#define STORE_CQL_SCHEMA_INDEX_H
#include "store/cql/schema/ddl.h"

int create_index(struct ddl *d);
int drop_index(struct ddl *d);
#endif
