/* Types as they are written, before they are looked up. type_name.c also prints
 * those of ast.h. */
#ifndef STORE_CQL_SYNTAX_TYPE_NAME_H
#define STORE_CQL_SYNTAX_TYPE_NAME_H
#include "store/cql/syntax/ast.h"

struct written_type {
	const struct type_name *name;
	bool frozen;		/* by itself, or by what is around it */
};
bool type_name_is_collection(const struct type_name *t);
/* The part of that number. */
struct written_type written_type_part(const struct written_type *r, uint32_t i);
/* As Cassandra prints it before it has looked it up: with a keyspace, names of
 * user types have it. */
void written_type_print(struct buf *out, const struct written_type *r,
			struct bytes keyspace);
#endif
