/*
 * What makes one table of another: for a CREATE TABLE that was edited where the
 * table exists (schema.cql of the mount).
 */
#ifndef STORE_CQL_SCHEMA_TABLE_DIFFERENCE_H
#define STORE_CQL_SCHEMA_TABLE_DIFFERENCE_H
#include "store/cql/schema/ddl.h"

/*
 * Append to out the ALTER TABLEs, a line each, that make old the table that new
 * is, as made by CREATE TABLE with these properties; nothing if they are the
 * same. Options that are not given stay as they are, and so do columns with
 * masks, which CREATE TABLE cannot have. A difference that no ALTER makes is
 * refused (AlreadyExists), and named; so are columns that go while others come:
 * that is a new name for one, which would lose its values. Changes nothing.
 */
int table_difference(struct ddl *d, const struct table *old,
		     const struct table *new, const struct properties *given,
		     struct buf *out);
#endif
