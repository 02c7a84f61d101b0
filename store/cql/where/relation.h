/* Restrictions from relations, and their merging. */
#ifndef STORE_CQL_WHERE_RELATION_H
#define STORE_CQL_WHERE_RELATION_H
#include "store/cql/where/where.h"

int relation_restriction(struct execution *x, struct restriction **out,
			 const struct table *t, enum statement_kind type,
			 const struct relation *relation);
int restriction_merge(struct execution *x, struct restriction **out,
		      struct restriction *old, struct restriction *new);
/* Check, when the statement runs, faults of values that are told only then. */
int restriction_bind(struct execution *x, struct restriction *r);
#endif
