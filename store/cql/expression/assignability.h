/*
 * Tests whether a term may be given to a receiver, and which type it has by
 * itself.
 */
#ifndef STORE_CQL_EXPRESSION_ASSIGNABILITY_H
#define STORE_CQL_EXPRESSION_ASSIGNABILITY_H
#include "store/cql/expression/term.h"

/* Could a value of this type be received? Cassandra's testAssignment. */
enum assignable type_assignable(const struct type *value,
				const struct type *receiver);
enum assignable term_assignable(struct execution *x, const struct term *t,
				const struct type *receiver);
/* May a function's result go there? Of many cells it is only where its receiver
 * is; what it is frozen to does not matter. */
bool result_assignable(const struct type *result, const struct type *receiver);
/* (type) value: a hint that is frozen is for what is frozen. */
enum assignable hint_assignable(const struct type *hint,
				const struct type *receiver);
/* A constructor, and how its items are judged. */
struct compound {
	const struct term *term;
	const void *const *items;
	enum assignable (*assignable)(struct execution *x, const void *item,
				      const struct type *receiver);
};
/* A list, set or map; a tuple, user: which may be for a user type. */
enum assignable compound_assignable(struct execution *x,
				    const struct compound *c,
				    const struct type *receiver);
enum assignable tuple_assignable(struct execution *x, const struct compound *c,
				 const struct type *receiver, bool user);
/* What refuses to be judged at all: a list literal where no list can be, a hint
 * of no type. 0 when there is none. */
int refuse_at_test(struct execution *x, const struct term *t,
		   const struct type *receiver);
/* The type that a term has by itself (1: int), NULL when it has none. */
const struct type *term_type(struct execution *x, const struct term *t);
/* Of several, NULL among them, the first that all others can be assigned to;
 * NULL: none. */
const struct type *common_type(const struct type *const *types, uint32_t count);
/* A frozen type of the parts; a tuple's are frozen too. */
const struct type *build_type(struct execution *x, enum type_kind kind,
			      const struct type *const *parts, uint32_t count);
/* The number of a user type's field, or -1. */
int user_field(const struct type *udt, struct bytes name);
#endif
