/* CQL's constants: which types take which form of them, and their values. */
#ifndef STORE_TYPE_TEXT_CQL_CONSTANT_H
#define STORE_TYPE_TEXT_CQL_CONSTANT_H
#include "store/type/convert.h"

/*
 * True if CQL takes constants of this form for the type; of compound types only
 * tuples take any. The constant may still be wrong: 300 for a tinyint.
 */
bool type_takes_literal(const struct type *t, enum literal_kind kind);
/*
 * Append the value of a constant. text: without quotes; a string is unescaped,
 * hex has its 0x. 0; or -EINVAL with the whole message, which for a form that
 * the type does not take names the receiver (a column's name, or "value(m)"):
 * Invalid STRING constant (x) for "v" of type int. Memory: out->failed.
 * Cassandra does not check hex for a tuple, unless it is for a partition key
 * (whole): without a check, the part of it that can be read is the value.
 */
int type_read_constant(struct buf *out, const struct type *t,
		       enum literal_kind kind, struct bytes text, bool whole,
		       const char *receiver, struct type_error *error);
/* Append a value as text as Cassandra's types print it: the fields of a tuple
 * between colons, collections, vectors and counters in hex. */
void type_print_constant(struct buf *out, const struct type *t,
			 struct bytes value);
#endif
