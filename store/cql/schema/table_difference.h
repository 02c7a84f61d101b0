/* The statements that change a table into another one: for an edited CREATE
 * TABLE of an existing table (schema.cql of the mount). */
#ifndef STORE_CQL_SCHEMA_TABLE_DIFFERENCE_H
#define STORE_CQL_SCHEMA_TABLE_DIFFERENCE_H
#include "store/cql/schema/ddl.h"

struct table_difference {
	const struct table *before;	/* which the statement was written from */
	const struct table *now;	/* which others may have changed since */
	const struct table *new;	/* made by a CREATE TABLE */
	const struct properties *given;	/* its */
};
/*
 * Append to out the ALTER TABLEs, each with its semicolon, that make of `before`
 * the same as `new`, for `now`, which keeps what others made of it meanwhile; none
 * if they are the same. Options that are not given stay as they are, and so do
 * columns with masks, which CREATE TABLE cannot have. Refuses (AlreadyExists)
 * and names a difference that no ALTER makes, options that others changed too, and
 * the removal of columns together with new ones: that would be a renaming, in which
 * values are lost. Changes nothing else.
 */
int table_difference(struct ddl *d, const struct table_difference *t,
		     struct buf *out);
/* Refuse to drop the columns that `new` has not, and tell why. 0: there are none. */
int table_refuse_drops(struct ddl *d, const struct table_difference *t,
		       const char *why);
#endif
