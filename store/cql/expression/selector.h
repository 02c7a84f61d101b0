/*
 * What a SELECT lists, with names and types found (select/selector.c), and what
 * that gives for a row (select/evaluate.c). Expressions lie in the statement's
 * arena.
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
				 * frozen column's part: args[0] is that */
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

/* The selectors of one statement. */
#define AGGREGATES_MAX 1024
struct selectors {
	const struct table *table;
	struct expression **items;
	uint32_t count;
	struct expression **aggregates;	/* all of them, in order met */
	uint32_t aggregate_count;
	uint64_t columns;		/* for struct query */
	bool *selected;			/* by place in table->columns */
	const struct column **found;	/* those selected, as they were met */
	uint32_t found_count;
};

int selectors_init(struct execution *x, struct selectors *s,
		   const struct table *t);
/* A term as a selector; refuses one whose type cannot be told. */
int selector_prepare(struct execution *x, struct selectors *s,
		     struct expression **out, const struct term *t);
struct selectable;
/* The same of one whose names are looked up. */
int selector_make(struct execution *x, struct selectors *s,
		  struct expression **out, struct selectable *of);
/* When all is checked: evaluate what has no columns in it. */
int selector_fold(struct execution *x, struct expression *e);
/* A column by itself, as in SELECT *. NULL without memory. */
struct expression *selector_column(struct execution *x, struct selectors *s,
				   const struct column *c);

/* ------------------------------------------------------------------- rows */
struct column_cells {
	const struct cell_view *cells;
	uint32_t count;
};
/* One row as values by place of their column; made when asked for. */
struct row_values {
	const struct table *table;
	struct bytes *values;
	bool *ready;
	struct column_cells *cells;
};
int row_values_init(struct execution *x, struct row_values *r,
		    const struct table *t);
/* The row is read from view, which must live as long. NULL: all null. */
void row_values_set(struct row_values *r, const struct row_view *view);
/* A row of its own, in the arena, of what may be asked of the other. */
int row_values_copy(struct execution *x, struct arena *arena,
		    struct row_values *to, const struct row_values *from);
/* A collection's value is put together in x->arena. 0 or -ENOMEM. */
int row_value(struct execution *x, struct row_values *r,
	      const struct column *c, struct bytes *value);

/* The expression for a row; accumulators: of the group, for aggregates. The
 * value lies in x->arena or in the row. */
int expression_value(struct execution *x, const struct expression *e,
		     struct row_values *row, struct accumulator *accumulators,
		     struct bytes *value);
#endif
