/* The choice of the function that a call means, and its result. */
#ifndef STORE_CQL_EXPRESSION_OVERLOAD_H
#define STORE_CQL_EXPRESSION_OVERLOAD_H
#include "store/cql/expression/function.h"

/*
 * The function that a call means. *out NULL with 0: none has that name. Refuses
 * in Cassandra's words what suits none of the signatures or several.
 */
int function_resolve(struct execution *x, const struct function **out,
		     const struct function_query *q);
/* -arg */
int negation_resolve(struct execution *x, const struct function **out,
		     const struct argument *arg, const struct type *receiver);
/* CAST(arg AS native): *out NULL when nothing can be cast to it. */
int cast_resolve(struct execution *x, const struct function **out,
		 enum type_kind target, const struct argument *arg);
/* Call it: *value in the arena, null when it gives null. */
int function_value(struct execution *x, struct bytes *value,
		   const struct function *f, const struct bytes *args);
/* "system.abs : (int) -> int"; of constants (bits 1 << i) it says so. */
void function_print_signature(struct buf *out, const struct function *f,
			      uint32_t constants);
/* What an argument has by itself, and whether a type may receive it. */
const struct type *argument_type(struct execution *x, const struct argument *a);
const char *text_of_argument(struct execution *x, const struct argument *a);
enum assignable argument_assignable(struct execution *x,
				    const struct argument *a,
				    const struct type *receiver);
/* The same, where a list of a term that cannot be one is refused: -EINVAL. */
int argument_match(struct execution *x, const struct argument *a,
		   const struct type *receiver);
/* In the order in which signatures of numbers come: of several that suit exactly
 * the first is meant, which is one by chance in Cassandra. */
#define NUMBER_KINDS 9
extern const enum type_kind number_kinds[NUMBER_KINDS];
/* A new candidate with the native arguments; NULL when there is no room. */
struct function *candidate_add(struct execution *x, struct candidates *c,
			       const char *name, uint32_t arg_count,
			       const struct type *result);
#endif
