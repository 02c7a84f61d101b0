/* MASKED WITH: the function of a column and its arguments. */
#ifndef STORE_CQL_SCHEMA_MASK_H
#define STORE_CQL_SCHEMA_MASK_H
#include "store/cql/schema/ddl.h"

/* Refuse data masking, which is off as in Cassandra's default; for ADD it is
 * not checked. */
int mask_refuse(struct ddl *d);
/*
 * Make the mask of a new column of table t, of that type: the function and the
 * values of its arguments, a reference. Refused where no such function masks.
 */
int mask_prepare(struct ddl *d, struct column_mask **out, const struct table *t,
		 const struct column_definition *c, const struct type *type);
#endif
