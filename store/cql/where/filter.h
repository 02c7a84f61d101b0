/* Restrictions that are tested row by row. */
#ifndef STORE_CQL_WHERE_FILTER_H
#define STORE_CQL_WHERE_FILTER_H
#include "store/cql/where/where.h"

struct filter {
	const struct restriction **items;
	uint32_t count;
};
/* True if the column is among those whose restrictions are filters. */
bool where_is_filtered(const struct restrictions *r, const struct column *c);
/* List the restrictions of r that are filters, check their values, and set how
 * they are compared. f and its items live in the statement's arena. */
int filter_init(struct execution *x, struct filter *f,
		const struct restrictions *r);
/* Filter a row: 1: it passes; 0: it does not; -errno. */
int filter_row(struct execution *x, const struct filter *f,
	       struct row_values *row);
#endif
