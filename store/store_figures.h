/* The figures that a store has itself: the engine, its levels, its tables. */
#ifndef STORE_STORE_FIGURES_H
#define STORE_STORE_FIGURES_H
#include "store/figures.h"
#include "store/schema/schema.h"

struct store;

/*
 * Add all figures of a store. Tables are those of the schema that shows agrees
 * with (NULL: all). 0, -ENOMEM.
 */
int store_figures_add(struct figures *f, struct store *s,
		      const struct schema *schema,
		      bool (*shows)(void *context, const struct keyspace *k,
				    const struct table *t),
		      void *context);
#endif
