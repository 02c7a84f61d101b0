/*
 * JSON inside of store/type: json.c reads the form, value.c values of types.
 * Nothing outside of json/ and text/ includes this file.
 */
#ifndef STORE_TYPE_JSON_JSON_H
#define STORE_TYPE_JSON_JSON_H
#include "store/type/type.h"

/*
 * type_print_json, with floats that JSON has no numbers for as strings ("NaN")
 * where exact, so that what is read back is the same.
 */
void json_print_value(struct buf *out, const struct type *t,
		      struct bytes value, bool exact);
/* The length of what json_print_value prints. */
size_t json_value_length(const struct type *t, struct bytes value, bool exact);

/* True if text is JSON of a value of the type, or more bytes may make it
 * that. */
bool json_may_begin(const struct type *t, struct bytes text);

/* Called with each element of an array or object; of an object also with its
 * name. */
struct json_visitor {
	/* A whole one. 0, or an error that ends it. */
	int (*each)(void *to, struct bytes name, struct bytes value);
	/* Called with the last, which the text ends in: true if it may go on
	 * so. NULL: it does not matter. */
	bool (*cut)(void *to, struct bytes name, struct bytes value);
	void *to;
};
/* text, which begins with a value, as far as it goes: 1: it is whole; 0: it is
 * cut; -EINVAL: nothing can make JSON of it. */
int json_begin(struct bytes text, const struct json_visitor *visitor);
/* Values of types, the texts without blanks around them: as type_read_json or,
 * exact, type_read_json_exact; and of the key of a map. */
int json_read_part(struct buf *out, const struct type *t, struct bytes json,
		   bool exact, struct type_error *error);
int json_read_key(struct buf *out, const struct type *t, struct bytes text,
		  bool exact, struct type_error *error);
#endif
