/* Making selectors: what selector.c and selector_part.c share. */
#ifndef STORE_CQL_SELECT_SELECTOR_MAKE_H
#define STORE_CQL_SELECT_SELECTOR_MAKE_H
#include "store/cql/expression/selectable.h"
#include "store/cql/expression/selector.h"

/* With room for args. NULL without memory. */
struct expression *expression_new(struct execution *x,
				  enum expression_kind kind,
				  const struct type *type, uint32_t arg_count);
/* expected: what a literal is taken for; NULL: it has to tell its type. */
int selector_make_typed(struct execution *x, struct selectors *s,
			struct expression **out, struct selectable *of,
			const struct type *expected);

/* value.field */
int selector_field(struct execution *x, struct selectors *s,
		   struct expression **out, const struct selectable *of);
/* c[key], c[from..to] */
int selector_element(struct execution *x, struct selectors *s,
		     struct expression **out, const struct selectable *of);
/* writetime, maxwritetime and ttl */
int selector_time(struct execution *x, struct selectors *s,
		  struct expression **out, const struct selectable *selectable);
/* The keys of the latter, once all is checked. */
int selector_bind_part(struct execution *x, const struct expression *e);
#endif
