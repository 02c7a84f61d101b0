/* CREATE, ALTER and DROP TYPE. */
#ifndef STORE_CQL_SCHEMA_USER_TYPE_H
#define STORE_CQL_SCHEMA_USER_TYPE_H
#include "store/cql/schema/ddl.h"

int create_type(struct ddl *d);
int alter_type(struct ddl *d);
int drop_type(struct ddl *d);
#endif
