/*
 * A JSON object as Java's map of it: a name occurs once, with its last value
 * and at its first place; and the names as columns and fields are called, which
 * takes each name that is written otherwise out of the map and puts it in
 * again: over the value of the name as it is called, wherever that is, or at
 * the end.
 */
#ifndef STORE_TYPE_JSON_MAP_H
#define STORE_TYPE_JSON_MAP_H
#include "store/type/json/json.h"

/* As json_read_object, as Java's map of it: of a name that occurs twice the last
 * value, at the first place. */
int json_read_map(struct arena *arena, struct json_member **members,
		  size_t *count, struct bytes text, struct type_error *error);
/*
 * Call the members of such a map as columns and fields are: in lower case, but
 * for a name in quotes of its own, which loses them. A name that changes so
 * replaces the value of that name. 0 or -ENOMEM.
 */
int json_call_members(struct arena *arena, struct json_member **members,
		      size_t *count);
#endif
