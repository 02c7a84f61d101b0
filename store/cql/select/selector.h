/* Selectors made from what a SELECT lists. */
#ifndef STORE_CQL_SELECT_SELECTOR_H
#define STORE_CQL_SELECT_SELECTOR_H
#include "store/cql/expression/selectable.h"
#include "store/cql/expression/selector.h"

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
	bool row_times;			/* writetime(*) or ttl(*) is selected */
};
/* Begin without a selector. 0 or -ENOMEM. */
int selectors_init(struct execution *x, struct selectors *s,
		   const struct table *t);
/* Make a selector of a term; refuse one whose type cannot be found. */
int selector_prepare(struct execution *x, struct selectors *s,
		     struct expression **out, const struct term *t);
/* Make a selector of a term whose names are looked up. */
int selector_make(struct execution *x, struct selectors *s,
		  struct expression **out, struct selectable *of);
/* When all is checked: bind the keys in the expression, and compute its calls
 * of constants, so that they fail without rows too. */
int selector_fold(struct execution *x, struct expression *e);
/* Make the selector of a column by itself, as in SELECT *. NULL without
 * memory. */
struct expression *selector_column(struct execution *x, struct selectors *s,
				   const struct column *c);
/* Allocate an expression with room for args. NULL without memory. */
struct expression *selector_expression_new(struct execution *x,
					   enum expression_kind kind,
					   const struct type *type,
					   uint32_t arg_count);
/* Make a selector of a term. expected: the type of a literal; NULL: it must
 * have a type of its own. */
int selector_make_typed(struct execution *x, struct selectors *s,
			struct expression **out, struct selectable *of,
			const struct type *expected);
#endif
