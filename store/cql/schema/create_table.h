/*
 * A table that CREATE TABLE is making. Columns are first taken as they were
 * written, in a list that is sorted by name (a table may have thousands); then
 * the key picks its own, and what is left is static or regular.
 * table_check.c looks at it, create_table.c builds it.
 */
#ifndef STORE_CQL_SCHEMA_CREATE_TABLE_H
#define STORE_CQL_SCHEMA_CREATE_TABLE_H
#include "store/cql/schema/ddl.h"

int create_table(struct ddl *d);
/* The table is there already: IF NOT EXISTS is content with that. */
int refuse_existing(struct ddl *d);
/* What a table has to be whatever made it (Cassandra's validate). */
int check_table(struct ddl *d, const struct table *t);
#endif
