/*
 * WHERE: relations become restrictions of columns, merged and checked in
 * Cassandra's order with Cassandra's words (relation.c, where.c), and
 * those become what a struct query takes: partitions, slices, an index, and
 * what is left to be filtered row by row (plan.c, filter.c).
 */
#ifndef STORE_CQL_WHERE_WHERE_H
#define STORE_CQL_WHERE_WHERE_H
#include "store/cql/expression/selector.h"

enum restriction_kind {
	RESTRICT_EQ, RESTRICT_IN, RESTRICT_SLICE, RESTRICT_CONTAINS,
	RESTRICT_LIKE,
};
/* CONTAINS, CONTAINS KEY or a map entry: null where it says nothing. */
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
	bool exact;			/* EQ by an index: of the bytes */
	/* How SAI's indexes fold what is compared, or NULL. */
	const struct index_text *folds_key, *folds_value;
	const struct index *ordered_by;	/* SLICE: by its order too, or NULL */
	struct late_term *late;		/* told when it is bound */
	struct span span;
};


struct restrictions {
	const struct table *table;
	enum statement_kind type;
	bool allow_filtering, only_statics;
	const struct column *nearest;
	/* By place in table->columns; a tuple stands in several places. */
	struct restriction **by_column;
	struct restriction *token;	/* of values of "partition key token" */

	/* What analyse() found. */
	bool key_range;			/* not a list of partitions */
	bool uses_index;
	bool filters_partition, filters_clustering, filters_others;
	const struct index *index;	/* uses_index: by which */
	struct restriction *indexed;	/* the restriction it serves */
	bool restricts_regular;
};
/*
 * Look at a WHERE. columns of the selection that are static only: only_statics;
 * the column of ORDER BY … ANN OF or NULL: nearest.
 */
int analyse_where(struct execution *x, struct restrictions *r,
		  const struct table *t, enum statement_kind type,
		  const struct relation *relations, uint32_t count,
		  bool allow_filtering, bool only_statics,
		  const struct column *nearest);
/* The steps of it, for INSERT, whose relations are its columns. */
int restrictions_init(struct execution *x, struct restrictions *r,
		      const struct table *t, enum statement_kind type);
int restrictions_add(struct execution *x, struct restrictions *r,
		     const struct relation *relation);
/* c = value */
int restrictions_add_value(struct execution *x, struct restrictions *r,
			   const struct column *c, struct bytes value);
int restrictions_check(struct execution *x, struct restrictions *r);
/* SELECT's last check: is something left that needs ALLOW FILTERING? */
int restrictions_need_filtering(struct execution *x, struct restrictions *r);
#define NEEDS_FILTERING                                                       \
	"Cannot execute this query as it might involve data filtering and "   \
	"thus may have unpredictable performance. If you want to execute "    \
	"this query despite the performance unpredictability, use ALLOW "     \
	"FILTERING"

static inline struct restriction *
restriction_of(const struct restrictions *r, const struct column *c)
{
	return r->by_column[c - r->table->columns];
}
bool restricted_by_eq(const struct restrictions *r, const struct column *c);
bool restricts_clustering(const struct restrictions *r);
bool restricts_others(const struct restrictions *r, bool statics_too);
/* Is the partition key given by IN with other than one value? */
bool partition_is_in(const struct restrictions *r);
bool clustering_is_in(const struct restrictions *r);

/* Merging and relations, in relation.c. */
int relation_restriction(struct execution *x, struct restriction **out,
			 const struct table *t, enum statement_kind type,
			 const struct relation *relation);
int restriction_merge(struct execution *x, struct restriction **out,
		      struct restriction *old, struct restriction *new);
/* When the statement runs: what shows only then of its values. */
int restriction_bind(struct execution *x, struct restriction *r);
/* Indexes, in index_choice.c. */
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

/* ------------------------------------------------------------------- plans */
/* Serialised partition keys in the order of their values, no two alike; and
 * whether there can be such partitions (none of an empty key). */
int plan_partitions(struct execution *x, const struct restrictions *r,
		    struct bytes **keys, size_t *count);
int check_partitions(struct execution *x, const struct table *t,
		     const struct bytes *keys, size_t count);
/* Slices in clustering order; *nothing: no row can be meant. count 0: all. */
int plan_slices(struct execution *x, const struct restrictions *r,
		struct slice **slices, size_t *count, bool *nothing);
/* Two rows in the table's order, DESC considered. */
int compare_clusterings(const struct table *t, const struct bytes *a,
			const struct bytes *b);
/* The token range; *nothing when it is empty. */
int plan_tokens(struct execution *x, const struct restrictions *r,
		int64_t *from, int64_t *to, bool *nothing);
/* Rows that are named one by one: UPDATE, INSERT, whole-row DELETE. What is not
 * given of their clusterings is null. */
int plan_rows(struct execution *x, const struct restrictions *r,
	      struct bytes ***rows, size_t *count);
/* The length checks of a key that is written. */
int check_clustering_size(struct execution *x, const struct bytes *values,
			  uint32_t count);

/* ------------------------------------------------------------------ filter */
struct filter {
	const struct restriction **items;
	uint32_t count;
};
/* Is the column among those whose restrictions are filters? */
bool is_filtered(const struct restrictions *r, const struct column *c);
int filter_init(struct execution *x, struct filter *f,
		const struct restrictions *r);
/* 1 the row passes, 0, -errno. */
int filter_row(struct execution *x, const struct filter *f,
	       struct row_values *row);
#endif
