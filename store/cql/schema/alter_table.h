/* ALTER TABLE. */
#ifndef STORE_CQL_SCHEMA_ALTER_TABLE_H
#define STORE_CQL_SCHEMA_ALTER_TABLE_H
#include "store/cql/schema/ddl.h"

/* Carry out the statement on d->next. 0, what refuse() returns, or -errno. */
int alter_table(struct ddl *d);
#endif
