/* Types as they are written, before they are looked up. type_name.c also prints
 * those of ast.h. */
#ifndef STORE_CQL_SYNTAX_TYPE_NAME_H
#define STORE_CQL_SYNTAX_TYPE_NAME_H
#include "store/cql/syntax/parser.h"
#include "store/cql/syntax/ast.h"

struct written_type {
	const struct type_name *name;
	bool frozen;		/* by itself, or by what is around it */
};
/* True for list, set and map. */
bool type_name_is_collection(const struct type_name *t);
/* Return part i, from 0: of a map 0 is the key. */
struct written_type written_type_part(const struct written_type *r, uint32_t i);
/* Print as Cassandra does before it has looked it up: with a keyspace, names of
 * user types have it. */
void written_type_print(struct buf *out, const struct written_type *r,
			struct bytes keyspace);
/* Print as CQL does: map<text, frozen<list<int>>>. */
void type_name_print(struct buf *out, const struct type_name *t);
/* The package of Cassandra's classes of types. */
#define TYPE_PACKAGE "org.apache.cassandra.db.marshal."
/* Return the name of Cassandra's class for a native type, without package. */
const char *type_class(enum type_kind native);
/* Print as Cassandra does a type that it has looked up in this keyspace. */
void type_name_print_known(struct buf *out, const struct type_name *t,
			   struct bytes keyspace);
/* Parse [keyspace.]name of a user type, any type, a native type. */
struct table_name parse_user_type_name(struct parser *p);
struct type_name *parse_type(struct parser *p);
struct type_name *parse_native_type(struct parser *p);
#endif
