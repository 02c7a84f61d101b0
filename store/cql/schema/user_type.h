/* CREATE, ALTER and DROP TYPE. */
#ifndef STORE_CQL_SCHEMA_USER_TYPE_H
#define STORE_CQL_SCHEMA_USER_TYPE_H
#include "store/cql/schema/ddl.h"

/* Carry out the statement on d->next. 0, what refuse() returns, or -errno. */
int user_type_create(struct ddl *d);
int user_type_alter(struct ddl *d);
int user_type_drop(struct ddl *d);
#endif
