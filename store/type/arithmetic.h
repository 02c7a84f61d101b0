/*
 * CQL's operators + - * / % and the unary minus, on values of native types,
 * with Cassandra's result types and messages. Any
 * thread.
 */
#ifndef STORE_TYPE_ARITHMETIC_H
#define STORE_TYPE_ARITHMETIC_H
#include "store/type/type.h"

/*
 * Return the native kind of left op right, or -1 where the operator is not
 * defined for them. Numbers: integers the wider one, a counter as bigint;
 * float, double or decimal where one is no integer. text and ascii: + only.
 * date and timestamp: + and - with a duration on the right. Exported for tests.
 */
int arithmetic_result(enum type_kind left, char op, enum type_kind right);
/*
 * Append the result's bytes; *is_null where an operand is null (or the empty
 * value of a type for which that is no value). -EINVAL with the whole sentence
 * of a FunctionFailure: the operation 'int / int' failed: / by zero.
 * The operator must be defined. Memory: out->failed.
 */
int arithmetic_apply(struct buf *out, bool *is_null, enum type_kind left,
		     struct bytes a, char op, enum type_kind right,
		     struct bytes b, struct type_error *error);
/* True if the type has a unary minus: numbers do. The result has the same
 * type. Exported for tests. */
bool arithmetic_can_negate(enum type_kind kind);
void arithmetic_negate(struct buf *out, bool *is_null, enum type_kind kind,
		       struct bytes value);

/* Divide a by b, with that many digits after the point, rounded half to even,
 * as avg of decimals does. b is not zero. All three are decimals' bytes. */
int arithmetic_divide_half_even(struct buf *out, struct bytes a,
				struct bytes b, int32_t scale);
#endif
