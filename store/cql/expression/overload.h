/* Choose the function of a call, and compute its result. */
#ifndef STORE_CQL_EXPRESSION_OVERLOAD_H
#define STORE_CQL_EXPRESSION_OVERLOAD_H
#include "store/cql/expression/function.h"

/*
 * Find the function of a call. *out NULL with 0: none has that name. Refuses in
 * Cassandra's words arguments that match no signature or several.
 */
int function_resolve(struct execution *x, const struct function **out,
		     const struct function_query *q);
/* Find the function of -arg, whose result the receiver (or NULL: any) takes. */
int function_resolve_negation(struct execution *x, const struct function **out,
			      const struct argument *arg,
			      const struct type *receiver);
/* Find the function of CAST(arg AS native): *out NULL when no type can be cast
 * to it. */
int function_resolve_cast(struct execution *x, const struct function **out,
			  enum type_kind target, const struct argument *arg);
/* Call the function: *value in the arena, null when the result is null. */
int function_value(struct execution *x, struct bytes *value,
		   const struct function *f, const struct bytes *args);
/* Print "system.abs : (int) -> int"; arguments that are constants (bits 1 << i)
 * are marked. */
void function_print_signature(struct buf *out, const struct function *f,
			      uint32_t constants);
/* Return the type that an argument has by itself. */
const struct type *function_argument_type(struct execution *x,
					  const struct argument *a);
/* Return the argument as messages quote it, in the arena. */
const char *function_text_of_argument(struct execution *x,
				      const struct argument *a);
/* Check whether a type may receive the argument: an enum assignable. A list
 * literal where no list can be is refused: -EINVAL. */
int function_argument_match(struct execution *x, const struct argument *a,
			    const struct type *receiver);
/* Numbers in the order of their signatures: of several exact matches the first
 * is chosen, which is chosen by chance in Cassandra. */
#define NUMBER_KINDS 9
extern const enum type_kind function_number_kinds[NUMBER_KINDS];
/* Add a candidate with the native arguments; NULL when there is no room. */
struct function *function_candidate_add(struct execution *x,
					struct candidates *c, const char *name,
					uint32_t arg_count,
					const struct type *result);
#endif
