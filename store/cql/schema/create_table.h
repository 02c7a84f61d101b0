/*
 * A table that CREATE TABLE is making. Columns are first taken as they were
 * written, in a list that is sorted by name (a table may have thousands); then
 * the key picks its own, and the others are static or regular. table_check.c
 * checks it, create_table.c builds it.
 */
#ifndef STORE_CQL_SCHEMA_CREATE_TABLE_H
#define STORE_CQL_SCHEMA_CREATE_TABLE_H
#include "store/cql/schema/ddl.h"

/* Carry out the statement on d->next. 0, what refuse() returns, or -errno. */
int create_table(struct ddl *d);
/* Refuse an existing table, except with IF NOT EXISTS. */
int create_table_refuse_existing(struct ddl *d);
/* Check a table, whatever made it (Cassandra's validate). */
int create_table_check(struct ddl *d, const struct table *t);
#endif
