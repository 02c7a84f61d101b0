/*
 * Types from their names, as .cql.json writes them: map<text, frozen<address>>.
 */
#ifndef TOOLS_CQL_TYPES_H
#define TOOLS_CQL_TYPES_H
#include "store/type/type.h"

/*
 * Find a user type of this name: append its fields' names and their types'
 * names to the arrays (which are lists, text by text, in arena). 0, -ENOENT or
 * another -errno.
 */
struct cql_fields {
	struct bytes *names, *types;
	uint32_t count;
};
typedef int cql_find_type(void *context, struct arena *arena,
			  struct bytes name, struct cql_fields *fields);

/*
 * Return a reference to the type of that name. User types are looked up with
 * find; keyspace is for messages alone. 0, -ENOENT, -EINVAL (no type reads so),
 * -ENOMEM.
 */
int cql_type_of_name(struct type **out, struct bytes name,
		     const char *keyspace, cql_find_type *find, void *context);
#endif
