/* One value as text for people. */
#ifndef STORE_CQL_OUTPUT_FORMAT_VALUE_H
#define STORE_CQL_OUTPUT_FORMAT_VALUE_H
#include "store/cql/output/format.h"

/* Append a value as cqlsh shows it: text is quoted only inside of other
 * values. */
void cql_format_value(struct buf *out, const struct type *t,
		      struct bytes value);
/* Return how many digits cqlsh prints of a float: `precision` of them after the
 * point, or in all if the float is written with an exponent. */
int cql_format_digits(double value, int precision);
/* Append the name of a column or field, without quotes. */
void cql_format_name(struct buf *out, struct bytes name);
#endif
