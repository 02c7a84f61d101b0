/*
 * The expressions that a SELECT lists, with names and types found
 * (select/selector.c), and their values for a row (select/evaluate.c).
 * Expressions are in the statement's arena.
 */
#ifndef STORE_CQL_EXPRESSION_SELECTOR_H
#define STORE_CQL_EXPRESSION_SELECTOR_H
#include "store/cql/expression/aggregate.h"
#include "store/cql/expression/function.h"

enum expression_kind {
	EXPRESSION_VALUE,	/* a constant */
	EXPRESSION_COLUMN,
	EXPRESSION_CALL,	/* function(args), also of operators and casts */
	EXPRESSION_AGGREGATE,	/* aggregates[index], of args[0] if any */
	EXPRESSION_BUILD,	/* a collection or tuple of args */
	EXPRESSION_FIELD,	/* field number index of args[0] */
	EXPRESSION_ELEMENT,	/* args[0][from] */
	EXPRESSION_SLICE,	/* args[0][from..to] */
	EXPRESSION_META,	/* writetime and such of a column or a part; of a
				 * frozen column's part: args[0] is that. Without
				 * column: of the row's marker */
};
struct expression {
	enum expression_kind kind;
	const struct type *type;
	const char *name;		/* of a result column */
	const struct column *column;	/* COLUMN, META */
	const struct function *function;
	struct expression **args;
	uint32_t arg_count;
	uint32_t index;
	struct bytes value;		/* VALUE */
	struct bytes from, to;
	bool has_from, has_to;		/* else open */
	struct late_term *late;		/* of from and to */
	enum term_kind meta;		/* META: TERM_WRITETIME, … */
	enum term_kind meta_part;	/* META: TERM_COLUMN, ELEMENT, … */
	bool aggregates;		/* it or a part of it is an aggregate */
	bool reversed;			/* a clustering column with DESC */
	bool foreign;			/* BUILD: a part is of another type */
};

/* ------------------------------------------------------------------- rows */
struct column_cells {
	const struct cell_view *cells;
	uint32_t count;
};
/* One row as values by place of their column; made when needed. */
struct row_values {
	const struct table *table;
	struct bytes *values;
	bool *ready;
	struct column_cells *cells;
	struct marker marker;
};
#endif
