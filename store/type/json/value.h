/*
 * Values from JSON, as Cassandra takes them: numbers also in
 * strings, what has parts also as a string of its JSON text, keys of objects
 * always as strings. Messages show a value as Java prints it.
 */
#ifndef STORE_TYPE_JSON_VALUE_H
#define STORE_TYPE_JSON_VALUE_H
#include "store/type/json/json.h"
#include "store/type/type.h"

/* Read a value as print.h says. */
int type_read_json(struct buf *out, bool *is_null, const struct type *t,
		   struct bytes json, struct type_error *error);
/* Read what type_print_json_exact prints. */
int type_read_json_exact(struct buf *out, bool *is_null, const struct type *t,
			 struct bytes json, struct type_error *error);
/* Values of types, the texts without blanks around them: as type_read_json or,
 * exact, type_read_json_exact; and of the key of a map. */
int json_read_part(struct buf *out, const struct type *t, struct bytes json,
		   bool exact, struct type_error *error);
int json_read_key(struct buf *out, const struct type *t, struct bytes text,
		  bool exact, struct type_error *error);
#endif
