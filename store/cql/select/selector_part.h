/* Selectors of fields, elements, slices, WRITETIME and TTL. */
#ifndef STORE_CQL_SELECT_SELECTOR_PART_H
#define STORE_CQL_SELECT_SELECTOR_PART_H
#include "store/cql/select/selector.h"

/* Make value.field */
int selector_field(struct execution *x, struct selectors *s,
		   struct expression **out, const struct selectable *of);
/* Make c[key], c[from..to] */
int selector_element(struct execution *x, struct selectors *s,
		     struct expression **out, const struct selectable *of);
/* Make writetime, maxwritetime and ttl */
int selector_time(struct execution *x, struct selectors *s,
		  struct expression **out, const struct selectable *selectable);
/* Bind the keys of c[key], once all is checked. */
int selector_bind_part(struct execution *x, const struct expression *e);
#endif
