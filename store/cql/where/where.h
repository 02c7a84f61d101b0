/*
 * WHERE: relations become restrictions of columns, merged and checked in
 * Cassandra's order with Cassandra's words (relation.c, where.c); restrictions
 * become the members of a struct query: partitions, slices, an index; others
 * are filtered row by row (plan.c, filter.c).
 */
#ifndef STORE_CQL_WHERE_WHERE_H
#define STORE_CQL_WHERE_WHERE_H
#include "store/cql/expression/selector.h"

enum restriction_kind {
	RESTRICT_EQ, RESTRICT_IN, RESTRICT_SLICE, RESTRICT_CONTAINS,
	RESTRICT_LIKE,
};
/* CONTAINS, CONTAINS KEY or a map entry. */
struct contained {
	struct bytes key, value;
	bool has_key, has_value;
	struct contained *next;
};
enum like_kind { LIKE_MATCH, LIKE_PREFIX, LIKE_SUFFIX, LIKE_CONTAINS };

/* One bound of a slice: values of the first columns. count 0: open. */
struct restriction_bound {
	struct bytes *values;
	uint32_t count;
	bool inclusive;
};
struct restriction {
	enum restriction_kind kind;
	bool multi;			/* written as a tuple */
	bool unset;			/* EQ: no value was given (JSON) */
	const struct column **columns;
	uint32_t column_count;
	/* EQ, LIKE: one row of column_count values. IN: value_count rows. */
	struct bytes *values;
	size_t value_count;
	struct restriction_bound low, high;	/* SLICE */
	struct contained *contained, **contained_end;	/* CONTAINS */
	enum like_kind like;
	struct bytes pattern;
	bool exact;			/* EQ by an index that compares bytes */
	/* How SAI's indexes fold compared values, or NULL. */
	const struct index_text *folds_key, *folds_value;
	const struct index *ordered_by;	/* SLICE: also by its order; or NULL */
	struct late_term *late;		/* fails only when it is bound */
	struct span span;
};

struct restrictions {
	const struct table *table;
	enum statement_kind type;
	bool allow_filtering, only_statics;
	const struct column *nearest;
	/* By place in table->columns; a tuple is in several places. */
	struct restriction **by_column;
	struct restriction *token;	/* of token(…), or NULL */

	/* Set by where_analyse(). */
	bool key_range;			/* not a list of partitions */
	bool uses_index;
	bool filters_partition, filters_clustering, filters_others;
	const struct index *index;	/* uses_index: this one */
	struct restriction *indexed;	/* the restriction that it serves */
	bool restricts_regular;
};
/*
 * Analyse a WHERE. only_statics: only static columns are selected or changed;
 * nearest: the column of ORDER BY … ANN OF, or NULL.
 */
int where_analyse(struct execution *x, struct restrictions *r,
		  const struct table *t, enum statement_kind type,
		  const struct relation *relations, uint32_t count,
		  bool allow_filtering, bool only_statics,
		  const struct column *nearest);
/* The steps of where_analyse, for INSERT, whose relations are its columns. */
int restrictions_init(struct execution *x, struct restrictions *r,
		      const struct table *t, enum statement_kind type);
/* Add c = value, of a column of the key that nothing restricts so far. */
int restrictions_add_term(struct execution *x, struct restrictions *r,
			  const struct column *c, const struct term *value);
int restrictions_add_value(struct execution *x, struct restrictions *r,
			   const struct column *c, struct bytes value);
/* Check all restrictions together, and choose an index. */
int restrictions_check(struct execution *x, struct restrictions *r);
/* Refuse a SELECT that needs ALLOW FILTERING and does not have it: its last
 * check. */
int restrictions_need_filtering(struct execution *x, struct restrictions *r);
#define NEEDS_FILTERING                                                       \
	"Cannot execute this query as it might involve data filtering and "   \
	"thus may have unpredictable performance. If you want to execute "    \
	"this query despite the performance unpredictability, use ALLOW "     \
	"FILTERING"

/* The beginning of the refusal of LIKE on a column without an index for it. */
#define LIKE_NEEDS_INDEX "LIKE restriction is only supported on properly indexed columns"

static inline struct restriction *
restriction_of(const struct restrictions *r, const struct column *c)
{
	return r->by_column[c - r->table->columns];
}
/* True if the column is restricted by =, or by IN with one value. */
bool where_restricted_by_eq(const struct restrictions *r,
			    const struct column *c);
/* True if any clustering column is restricted. */
bool where_restricts_clustering(const struct restrictions *r);
/* True if any column is restricted that is not of the key; statics_too: also if
 * only static ones are. */
bool where_restricts_others(const struct restrictions *r, bool statics_too);
/* True if any column of the partition key, or any clustering column, is
 * restricted by IN with other than one value. */
bool where_partition_is_in(const struct restrictions *r);
bool where_clustering_is_in(const struct restrictions *r);
#endif
