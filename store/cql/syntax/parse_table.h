/* The grammar of CREATE TABLE and of column definitions. */
#ifndef STORE_CQL_SYNTAX_PARSE_TABLE_H
#define STORE_CQL_SYNTAX_PARSE_TABLE_H
#include "store/cql/syntax/parser.h"

/* Parse WITH, and the words that only tables have there; what: "table" or
 * "view", for messages. */
void parse_table_properties(struct parser *p, struct create_table *t,
			    const char *what);
/* Parse after CREATE. */
void parse_create_table(struct parser *p, struct statement *s);
/* Parse name type [STATIC] [MASKED …]. */
void parse_column_definition(struct parser *p, struct column_definition *c);
/* Parse after PRIMARY: KEY ((a, b), c). A second one is refused. */
void parse_primary_key(struct parser *p, struct create_table *t);
/* Parse MASKED WITH DEFAULT or f(a, b): the call of the function. */
struct term *parse_mask(struct parser *p);
#endif
