/*
 * From CQL's constants to values, and from values of one type to another: what
 * the language needs beyond type.h. Any thread.
 */
#ifndef STORE_TYPE_CONVERT_H
#define STORE_TYPE_CONVERT_H
#include "store/type/native.h"

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
int literal_check_float(struct bytes text, struct type_error *error);

/*
 * CAST(x AS type) of a value. is_target: true if there is a cast to this type
 * at all (else: <x> cannot be cast to <t>). is_defined: true if there is one
 * from this type, or the types are the same.
 */
bool cast_is_target(enum type_kind to);
bool cast_is_defined(enum type_kind from, enum type_kind to);
/*
 * A defined cast: appends the bytes, or sets *is_null (for null and for empty
 * values of types whose empty value is none). -EINVAL for NaN and infinities as
 * decimal, with Java's words. Memory: out->failed.
 */
int cast_value(struct buf *out, bool *is_null, enum type_kind from,
	       struct bytes value, enum type_kind to,
	       struct type_error *error);

/*
 * to_date, to_timestamp and to_unix_timestamp: from a timeuuid, timestamp
 * (or bigint of milliseconds) or date, to TYPE_DATE, TYPE_TIMESTAMP or
 * TYPE_BIGINT. *is_null as above.
 */
void convert_time(struct buf *out, bool *is_null, enum type_kind from,
		  struct bytes value, enum type_kind to);
/*
 * floor(value, duration [, start]) of a timestamp, timeuuid (the result is a
 * timestamp), date or time. start: of the value's type (a timeuuid's: a
 * timestamp), null for 1970-01-01; a time takes none. *is_null where value or
 * duration is. -EINVAL with Cassandra's words.
 */
int convert_floor(struct buf *out, bool *is_null, enum type_kind kind,
		  struct bytes value, struct bytes duration,
		  struct bytes start, struct type_error *error);
/* Now, as the values of now-functions: TYPE_TIMEUUID, TIMESTAMP, DATE, TIME. */
void convert_now(struct buf *out, enum type_kind kind);
#endif
