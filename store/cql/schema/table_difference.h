/* The statements that change a table into another one: for an edited CREATE
 * TABLE of an existing table (schema.cql of the mount). */
#ifndef STORE_CQL_SCHEMA_TABLE_DIFFERENCE_H
#define STORE_CQL_SCHEMA_TABLE_DIFFERENCE_H
#include "store/cql/schema/ddl.h"

/*
 * Append to out the ALTER TABLEs, each with its semicolon, that make the table
 * old the same as new, made by a CREATE TABLE with the given properties; none
 * if they are the same. Options that are not given stay as they are, and so do
 * columns with masks, which CREATE TABLE cannot have. Refuses (AlreadyExists)
 * and names a difference that no ALTER makes, and the removal of columns
 * together with new ones: that would be a renaming, in which values are lost.
 * Changes nothing else.
 */
int table_difference(struct ddl *d, const struct table *old,
		     const struct table *new, const struct properties *given,
		     struct buf *out);
/* Refuse to drop the columns of old that new has not, and note for
 * cql_session_drops() that it was for them alone. 0: there are none. */
int table_refuse_drops(struct ddl *d, const struct table *old,
		       const struct table *new);
#endif
