/* The choice of an index for restrictions, and the query to ask it. */
#ifndef STORE_CQL_WHERE_INDEX_CHOICE_H
#define STORE_CQL_WHERE_INDEX_CHOICE_H
#include "store/cql/where/where.h"

/* True if the index can find rows for the restriction. */
bool index_supports(const struct table *t, const struct index *index,
		    const struct restriction *r);
/* True if any index of the table can find rows for the restriction. */
bool index_choice_has(const struct table *t, const struct restriction *r);
/* True if one index, or all of SAI's together, serves all restrictions that
 * would be filters. With ANN OF only SAI's do. */
bool index_choice_covers(const struct restrictions *r);
/* Set r->index and r->indexed to the best index and the restriction that it
 * serves; they stay NULL without one. */
void index_choice_make(struct restrictions *r);
/* Return the index on a vector, SAI's if there is one, or NULL. */
const struct index *index_choice_of_vector(const struct table *t,
					   const struct column *c);
/* Check that vectors are restricted by ORDER BY … ANN OF alone; and that all
 * columns restricted beside that have an index. */
int index_choice_check_vectors(struct execution *x,
			       const struct restrictions *r);
int index_choice_check_beside_nearest(struct execution *x,
				      const struct restrictions *r);
/* Make the query of the chosen index. */
int index_query_make(struct execution *x, struct index_query *q,
		     const struct restrictions *r);
#endif
