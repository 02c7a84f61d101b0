/* Restrictions from relations, and their merging. */
#ifndef STORE_CQL_WHERE_RELATION_H
#define STORE_CQL_WHERE_RELATION_H
#include "store/cql/where/where.h"

/* Make the restriction that a relation means. */
int relation_restriction(struct execution *x, struct restriction **out,
			 const struct table *t, enum statement_kind type,
			 const struct relation *relation);
/* Make one restriction of two of the same column, or refuse them; old may be
 * changed. */
int restriction_merge(struct execution *x, struct restriction **out,
		      struct restriction *old, struct restriction *new);
/* Check the values when the statement runs, as some faults are told only then;
 * set the pattern of LIKE. */
int restriction_bind(struct execution *x, struct restriction *r);
#endif
