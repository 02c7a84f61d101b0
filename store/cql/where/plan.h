/* The partitions, slices and token ranges that restrictions mean. */
#ifndef STORE_CQL_WHERE_PLAN_H
#define STORE_CQL_WHERE_PLAN_H
#include "store/cql/where/where.h"

/* List the serialised partition keys in the order of their values, without
 * duplicates and without those outside a restriction of the token. Each column
 * of the key has to be restricted by = or IN. */
int plan_partitions(struct execution *x, const struct restrictions *r,
		    struct bytes **keys, size_t *count);
/* Refuse keys that are empty or too long. */
int plan_check_partitions(struct execution *x, const struct table *t,
			  const struct bytes *keys, size_t count);
/* List the slices in clustering order; *nothing: no row can match. count 0:
 * all. */
int plan_slices(struct execution *x, const struct restrictions *r,
		struct slice **slices, size_t *count, bool *nothing);
/* Compare two rows in the table's order, DESC considered. */
int plan_compare_clusterings(const struct table *t, const struct bytes *a,
			     const struct bytes *b);
/* Set the range of tokens, both included; *nothing: it is empty. */
int plan_tokens(struct execution *x, const struct restrictions *r,
		int64_t *from, int64_t *to, bool *nothing);
/* List the clustering values of rows that are named one by one, for UPDATE,
 * INSERT and DELETE of whole rows: in the table's order, without duplicates.
 * Missing values are null. Refuses keys that are too long. */
int plan_rows(struct execution *x, const struct restrictions *r,
	      struct bytes ***rows, size_t *count);
/*
 * Make all combinations of the values of `count` columns from `first` on:
 * arrays of `width` values, null after those. A tuple sets its columns
 * together. They live as long as the statement.
 */
int plan_product(struct execution *x, const struct restrictions *r,
		 uint32_t first, uint32_t count, uint32_t width,
		 struct bytes ***rows, size_t *row_count);
/* Refuse null values of `count` columns from `first` on. After an empty IN
 * nothing is checked any more. */
int plan_check_nulls(struct execution *x, const struct restrictions *r,
		     uint32_t first, uint32_t count);
#endif
