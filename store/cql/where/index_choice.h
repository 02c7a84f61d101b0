/* The choice of an index for restrictions, and the query to ask it. */
#ifndef STORE_CQL_WHERE_INDEX_CHOICE_H
#define STORE_CQL_WHERE_INDEX_CHOICE_H
#include "store/cql/where/where.h"

bool index_supports(const struct table *t, const struct index *index,
		    const struct restriction *r);
bool restriction_has_index(const struct table *t, const struct restriction *r);
/* Does one index (or SAI's together) serve all of them? */
bool indexes_cover(const struct restrictions *r);
void choose_index(struct restrictions *r);
/* The index on a vector, SAI's if there is one, or NULL. */
const struct index *vector_index(const struct table *t, const struct column *c);
/* Vectors are found by nearness alone, and only beside what is indexed. */
int check_vectors(struct execution *x, const struct restrictions *r);
int check_beside_nearest(struct execution *x, const struct restrictions *r);
/* What to ask of the chosen index. */
int index_query_make(struct execution *x, struct index_query *q,
		     const struct restrictions *r);
#endif
