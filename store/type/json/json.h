/*
 * JSON: json.c reads the form, which any room may use, and value.c the values of
 * types.
 */
#ifndef STORE_TYPE_JSON_JSON_H
#define STORE_TYPE_JSON_JSON_H
#include "store/type/type.h"

/*
 * A pull reader of JSON for objects (INSERT JSON, R.json). Numbers come as
 * their text. Depth is bounded (64), UTF-8 and escapes are checked.
 */
struct json_member {
	struct bytes name;	/* unescaped; valid until the arena goes */
	struct bytes value;	/* the text of the value, as it stands */
};

/* Called with each element of an array or object; of an object also with its
 * name. */
struct json_visitor {
	/* A whole one. 0, or an error that ends it. */
	int (*each)(void *to, struct bytes name, struct bytes value);
	/* Called with the last, which the text ends in: true if it may continue
	 * so. NULL: it does not matter. */
	bool (*cut)(void *to, struct bytes name, struct bytes value);
	void *to;
};
/* text, which begins with a value, as far as it goes: 1: it is whole; 0: it is
 * cut; -EINVAL: nothing can make JSON of it. */
int json_begin(struct bytes text, const struct json_visitor *visitor);
/*
 * Check the JSON value at the beginning of text; *value is its text alone,
 * without the blanks around it. The rest is not looked at. 0 or -EINVAL, with
 * the words of Cassandra's library, its Java class before them.
 */
int json_read_value(struct bytes *value, struct bytes text,
		    struct type_error *error);
/* The same for INSERT JSON: faults are reported as those of a map. */
int json_read_row(struct bytes *value, struct bytes text,
		  struct type_error *error);
/* Read a JSON string: without its quotes and escapes. -EINVAL if it is not
 * one. */
int json_read_string(struct buf *out, struct bytes json,
		     struct type_error *error);
/*
 * Parse text as one JSON object: its members in order, duplicates kept. Only
 * blanks may be around it: for INSERT JSON give what json_read_value found.
 * 0, -EINVAL (error says what and where) or -ENOMEM. Memory from arena.
 */
int json_read_object(struct arena *arena, struct json_member **members,
		     size_t *count, struct bytes text, struct type_error *error);
/* Parse the texts of an array's elements, as json_read_object does. */
int json_read_array(struct arena *arena, struct bytes **elements, size_t *count,
		    struct bytes text, struct type_error *error);
#endif
