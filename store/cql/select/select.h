/*
 * A SELECT that is run: the plan (select.c, check.c), the source of rows
 * (row_source.c), groups (group.c). Inside store/cql only.
 */
#ifndef STORE_CQL_SELECT_SELECT_H
#define STORE_CQL_SELECT_SELECT_H
#include "store/cql/select/selector.h"
#include "store/cql/statement/statement.h"
#include "store/cql/where/filter.h"
#include "store/cql/where/where.h"

/* A cursor of one partition, of several that are merged by the columns of
 * ORDER BY. */
struct merged {
	struct cursor *cursor;
	struct row_view row;
	uint64_t tombstones;		/* it met so far */
};

/* GROUP BY: rows of a partition with equal first clustering columns. */
struct grouping {
	bool active;			/* aggregates or GROUP BY */
	bool whole;			/* no GROUP BY: one group, always given */
	uint32_t prefix;		/* clustering columns compared */
	struct expression *function;	/* of the last one, or NULL */
	struct accumulator *accumulators;
	struct row_values first;	/* of the group, copied */
	struct arena arena;		/* of the group */
	struct buf partition, function_value;
	struct buf limited;		/* the partition whose groups count */
	bool function_null;
	struct row_view view;		/* the row read last */
	bool waiting;			/* begins the next group */
	bool ended;
};

/* Results that are sorted when all are there, see sort.c. */
struct sorted_result {
	struct bytes *keys;		/* of the columns of ORDER BY */
	struct bytes *values;		/* of the result's columns */
	double score;			/* of ANN OF: the larger the nearer */
	size_t place;			/* among equals the first stays first */
};
struct sorted_results {
	struct arena arena;
	struct sorted_result *items;
	size_t count, room, given, places;
	double worst;			/* full: what is not above it is left */
	bool full, ready;
};

struct select_state {
	struct execution *x;
	const struct table *table;
	const struct select *select;
	struct selectors selectors;
	struct restrictions where;
	struct filter filter;
	struct query query;
	struct index_query index_query;
	struct cursor *cursor;
	struct merged *merged;		/* instead of cursor */
	size_t merged_count, heap_count;
	size_t *heap;			/* of merged: those with a row */
	bool heap_begun;
	uint64_t merged_tombstones;	/* of all of them */
	uint32_t order_count;		/* columns of ORDER BY */
	const struct column **orders;
	struct row_view point;		/* a row that was read already */
	bool is_point, nothing;
	struct row_values row;
	struct arena arena;		/* of the returned row */
	struct buf partition;		/* of the row returned last */
	struct grouping group;
	struct sorted_results sorted;
	const struct column *nearest;	/* of ANN OF, or NULL */
	struct bytes near_to;
	struct late_term *near_late;
	enum { NEAR_COSINE, NEAR_EUCLIDEAN, NEAR_DOT_PRODUCT } similarity;
	uint64_t limit, partition_limit;	/* 0: none */
	uint64_t given, given_of_partition;
	int64_t token;			/* of the row read last */
	bool warned;
	struct bytes *values;
	struct cql_column *columns;	/* before JSON */
};

/* Find the next row that passes: 1 (s->row is it), 0, -errno. In select.c. */
int select_row(struct select_state *s, struct row_view *view);
/* Read the next row or group with s->values: 1, 0, -errno. In select.c. */
int select_values(struct select_state *s);
/* Run a SELECT: r has its columns, and reads its rows. Errors as of
 * execute_statement. */
int select_execute(struct cql_result *r, const struct select *s);
#endif
