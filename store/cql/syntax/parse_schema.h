/* The grammar of CREATE and DROP, and of WITH. */
#ifndef STORE_CQL_SYNTAX_PARSE_SCHEMA_H
#define STORE_CQL_SYNTAX_PARSE_SCHEMA_H
#include "store/cql/syntax/parser.h"

/* Parse a = b AND c = d after WITH; or one of them. */
void parse_properties(struct parser *p, struct properties *properties);
void parse_property(struct parser *p, struct properties *properties);
/* Parse after ALTER, CREATE, DROP, and set the kind of s and its tree. */
void parse_alter_keyspace(struct parser *p, struct statement *s);
void parse_create(struct parser *p, struct statement *s);
void parse_drop(struct parser *p, struct statement *s);
#endif
