/* Values as JSON, and how long that is. */
#ifndef STORE_TYPE_JSON_PRINT_H
#define STORE_TYPE_JSON_PRINT_H
#include "store/type/json/json.h"
#include "store/type/type.h"

/*
 * JSON (store/cql/README.md, "Values"). print writes as SELECT JSON does, and
 * null for null. read takes one JSON value (what follows it is not looked at, as
 * Cassandra does), appends the bytes and sets *is_null for a JSON null. Errors
 * as Cassandra words them after "Error decoding JSON value for c: ". 0, -EINVAL;
 * -ENOMEM also where out->failed.
 */
void type_print_json(struct buf *out, const struct type *t, struct bytes value);
/* The same for files, from which each value is read back unchanged: NaN,
 * infinities, the era of years before the first, values of no bytes. */
void type_print_json_exact(struct buf *out, const struct type *t,
			   struct bytes value);
/* Append a JSON string with quotes and escapes as Cassandra writes them. */
void json_print_string(struct buf *out, struct bytes text);
/*
 * type_print_json, with floats that JSON has no numbers for as strings ("NaN")
 * where exact, so that what is read back is the same.
 */
void json_print_value(struct buf *out, const struct type *t,
		      struct bytes value, bool exact);
/* Return the length of the text that json_print_value appends. */
size_t json_value_length(const struct type *t, struct bytes value, bool exact);
#endif
