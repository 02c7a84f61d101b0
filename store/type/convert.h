/*
 * From CQL's constants to values, and from values of one type to another: what
 * the language needs beyond type.h. Any thread.
 */
#ifndef STORE_TYPE_CONVERT_H
#define STORE_TYPE_CONVERT_H
#include "store/type/native.h"

/*
 * CAST(x AS type) of a value. is_target: true if there is a cast to this type
 * at all (else: <x> cannot be cast to <t>). is_defined: true if there is one
 * from this type, or the types are the same. Both are exported for tests.
 */
bool convert_is_target(enum type_kind to);
bool convert_is_defined(enum type_kind from, enum type_kind to);
/*
 * Do a defined cast: append the bytes, or set *is_null (for null and for empty
 * values of types whose empty value is none). -EINVAL for NaN and infinities as
 * decimal, with Java's words. Memory: out->failed.
 */
int convert_value(struct buf *out, bool *is_null, enum type_kind from,
		  struct bytes value, enum type_kind to,
		  struct type_error *error);

/*
 * Compute to_date, to_timestamp and to_unix_timestamp: from a timeuuid,
 * timestamp (or bigint of milliseconds) or date, to TYPE_DATE, TYPE_TIMESTAMP
 * or TYPE_BIGINT. *is_null as above.
 */
void convert_time(struct buf *out, bool *is_null, enum type_kind from,
		  struct bytes value, enum type_kind to);
/*
 * Compute floor(value, duration [, start]) of a timestamp, timeuuid (the result
 * is a timestamp), date or time. start: of the value's type (a timeuuid's: a
 * timestamp), null for 1970-01-01; a time takes none. *is_null where value or
 * duration is. -EINVAL with Cassandra's words.
 */
int convert_floor(struct buf *out, bool *is_null, enum type_kind kind,
		  struct bytes value, struct bytes duration,
		  struct bytes start, struct type_error *error);
/* Append the present time, for the now-functions: TYPE_TIMEUUID, TIMESTAMP,
 * DATE, TIME. */
void convert_now(struct buf *out, enum type_kind kind);
#endif
