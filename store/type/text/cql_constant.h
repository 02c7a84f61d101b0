/* CQL's constants: which form goes with which type, and what it is worth. */
#ifndef STORE_TYPE_TEXT_CQL_CONSTANT_H
#define STORE_TYPE_TEXT_CQL_CONSTANT_H
#include "store/type/convert.h"

/*
 * True if CQL takes constants of this form for the type; false for compound
 * types but tuples. The constant may still be wrong: 300 for a tinyint.
 */
bool type_takes_literal(const struct type *t, enum literal_kind kind);
/*
 * Append the value of a constant: text without quotes, a string unescaped, hex
 * with its 0x. 0; or -EINVAL with the whole message, which for a form that the
 * type does not take names the receiver (a column's name, or "value(m)"):
 * Invalid STRING constant (x) for "v" of type int. Memory: out->failed.
 * Hex for a tuple is not looked at by Cassandra, unless it is for a partition
 * key: whole. Else what can be read of it is the value here.
 */
int type_read_constant(struct buf *out, const struct type *t,
		       enum literal_kind kind, struct bytes text, bool whole,
		       const char *receiver, struct type_error *error);
/* Append a value as text as Cassandra's types print it: the fields of a tuple
 * between colons, collections, vectors and counters in hex. */
void type_print_constant(struct buf *out, const struct type *t,
			 struct bytes value);
/*
 * A FLOAT constant is a syntax error in any place when no double is so large,
 * or no decimal has its exponent: -EINVAL with what Cassandra says after
 * "Failed parsing statement: […] reason: ". Else 0.
 */
int cql_constant_check_float(struct bytes text, struct type_error *error);
#endif
