/*
 * Check whether a term may be assigned to a receiver, and find the type it has
 * by itself.
 */
#ifndef STORE_CQL_EXPRESSION_ASSIGNABILITY_H
#define STORE_CQL_EXPRESSION_ASSIGNABILITY_H
#include "store/cql/expression/term.h"

/* Check whether a receiver takes a value of this type: Cassandra's
 * testAssignment. */
enum assignable assignable_type(const struct type *value,
				const struct type *receiver);
/* Check whether a receiver takes the term, whose own type may depend on it. */
enum assignable assignable_term(struct execution *x, const struct term *t,
				const struct type *receiver);
/* True if a function's result may be assigned. With many cells only if its
 * receiver has them; frozen types inside do not matter. */
bool assignable_result(const struct type *result, const struct type *receiver);
/* Check (type) value: a frozen hint is for frozen receivers. */
enum assignable assignable_hint(const struct type *hint,
				const struct type *receiver);
/* A constructor, and how its items are checked. */
struct compound {
	const struct term *term;
	const void *const *items;
	enum assignable (*assignable)(struct execution *x, const void *item,
				      const struct type *receiver);
};
/* Check a list, set or map; or a tuple, user: true if it may be a user
 * type's. */
enum assignable assignable_compound(struct execution *x,
				    const struct compound *c,
				    const struct type *receiver);
enum assignable assignable_tuple(struct execution *x, const struct compound *c,
				 const struct type *receiver, bool user);
/* Refuse terms that cannot be checked at all: a list literal where no list can
 * be, a hint of no type. 0 when there is none. */
int assignable_refuse_at_test(struct execution *x, const struct term *t,
			      const struct type *receiver);
/* Return the type that a term has by itself (1: int), NULL when it has none. */
const struct type *assignable_term_type(struct execution *x,
					const struct term *t);
/* Return the first of several types, which may be NULL, that all others can be
 * assigned to; NULL: none. */
const struct type *assignable_common_type(const struct type *const *types,
					  uint32_t count);
/* Make a frozen type of the parts; a tuple's are frozen too. */
const struct type *assignable_build_type(struct execution *x,
					 enum type_kind kind,
					 const struct type *const *parts,
					 uint32_t count);
/* Return the number of a user type's field, or -1. */
int assignable_user_field(const struct type *udt, struct bytes name);
#endif
