/* ALTER TABLE. */
#ifndef STORE_CQL_SCHEMA_ALTER_TABLE_H
#define STORE_CQL_SCHEMA_ALTER_TABLE_H
#include "store/cql/schema/ddl.h"

/* Carry out the statement on d->next. 0, what refuse() returns, or -errno. */
int alter_table(struct ddl *d);
/*
 * Carry out ALTER TABLEs of d's keyspace, each with its semicolon and no more
 * after the last, one after the other, on d->next: one change of the schema, or
 * none. As alter_table; an error has no place. d->next may be set in any case.
 */
int alter_table_all(struct ddl *d, struct bytes statements);
#endif
