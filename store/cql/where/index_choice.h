/* The choice of an index for restrictions, and the query to ask it. */
#ifndef STORE_CQL_WHERE_INDEX_CHOICE_H
#define STORE_CQL_WHERE_INDEX_CHOICE_H
#include "store/cql/where/where.h"

bool index_supports(const struct table *t, const struct index *index,
		    const struct restriction *r);
bool index_choice_has(const struct table *t, const struct restriction *r);
/* True if one index (or SAI's together) serves all of them. */
bool index_choice_covers(const struct restrictions *r);
void index_choice_make(struct restrictions *r);
/* Return the index on a vector, SAI's if there is one, or NULL. */
const struct index *index_choice_of_vector(const struct table *t,
					   const struct column *c);
/* Check that vectors are restricted only by nearness, and only beside indexed
 * columns. */
int index_choice_check_vectors(struct execution *x,
			       const struct restrictions *r);
int index_choice_check_beside_nearest(struct execution *x,
				      const struct restrictions *r);
/* Make the query of the chosen index. */
int index_query_make(struct execution *x, struct index_query *q,
		     const struct restrictions *r);
#endif
