/*
 * The state of an aggregate from row to row: count, min, max, sum, avg. Its
 * size is fixed, except that min and max keep a value, and varint and decimal
 * have sums that grow; accumulator_release frees these.
 */
#ifndef STORE_CQL_EXPRESSION_AGGREGATE_H
#define STORE_CQL_EXPRESSION_AGGREGATE_H
#include "store/cql/expression/function.h"

struct accumulator {
	enum aggregate_kind kind;
	const struct type *type;	/* of the values */
	int64_t count;
	/* An arena aligns to 8 bytes, which these two would exceed. */
	__int128 whole __attribute__((packed, aligned(8))); /* sum of integers */
	long double wide __attribute__((packed, aligned(8)));
	double sum, compensation, plain;	/* of floating ones */
	struct buf value;		/* min, max; sum of varint, decimal */
	bool has_value;
};

/* Begin an aggregate of values of the type; release frees its memory. */
void accumulator_init(struct accumulator *a, enum aggregate_kind kind,
		      const struct type *type);
void accumulator_release(struct accumulator *a);
/* Add a value. A null does not count; the empty value is no number, but may be
 * an extreme. 0, -ENOMEM, -EINVAL. */
int accumulator_add(struct execution *x, struct accumulator *a,
		    struct bytes value);
/* Return *value in the arena; null where there is none. */
int accumulator_result(struct execution *x, struct accumulator *a,
		       struct bytes *value);
#endif
