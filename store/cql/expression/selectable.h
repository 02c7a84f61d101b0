/*
 * The items of a SELECT list, with their names looked up: columns, functions,
 * types. This is done before literals get types from their context
 * (selector.h), so its faults are reported first. As Cassandra's Selectable.
 */
#ifndef STORE_CQL_EXPRESSION_SELECTABLE_H
#define STORE_CQL_EXPRESSION_SELECTABLE_H
#include "store/cql/expression/function.h"

struct selectable {
	const struct term *term;
	const struct type *exact;	/* its type by itself; NULL: has none */
	const struct column *column;	/* COLUMN; WRITETIME and such: of it */
	const struct function *function;	/* of a call, an operation */
	struct selectable **parts;	/* arguments, items, what it is of; a key
					 * of a map that may be a field: NULL */
	uint32_t part_count;
};

/* Look up the names of a term, in the arena. Refuses what does not exist. */
int selectable_prepare(struct execution *x, struct selectable **out,
		       const struct table *table, const struct term *t);
/* Return the number of the field of a user type that item i names; refuses
 * others. */
int selectable_field(struct execution *x, const struct selectable *s,
		     uint32_t i, const struct type *udt);
/* Look up the names of a map's keys that selectable_prepare left, as they might
 * be fields. 0, what refuse() returns, or -ENOMEM. */
int selectable_prepare_keys(struct execution *x, const struct selectable *s,
			    const struct table *t);
/* Return the type that literals in it have when nothing else gives them one;
 * NULL. */
const struct type *selectable_type(struct execution *x,
				   const struct selectable *s);
/* Check whether a receiver takes its value. */
enum assignable selectable_assignable(struct execution *x,
				      const struct selectable *s,
				      const struct type *receiver);
/* Return its text in messages. */
const char *selectable_text(struct execution *x, const struct selectable *s);
/* True if it has a column of one of these kinds (bits 1 << kind). */
bool selectable_has(const struct selectable *s, unsigned kinds);

/* Print f(args) as results and messages have it. */
const char *selectable_text_of_call(struct execution *x,
				    const struct function *f,
				    const char *const *args);
/* Print a list, set, map or tuple of items; of a map's key that is a field: its
 * name. */
const char *selectable_text_of_items(struct execution *x, const struct term *t,
				     const char *const *items);
/* Print "(int)" and the value after it. */
const char *selectable_text_of_hint(struct execution *x, const struct term *t,
				    const struct table *table, const char *of);
#endif
