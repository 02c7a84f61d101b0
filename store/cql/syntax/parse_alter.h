/* The grammar of ALTER and DESCRIBE. */
#ifndef STORE_CQL_SYNTAX_PARSE_ALTER_H
#define STORE_CQL_SYNTAX_PARSE_ALTER_H
#include "store/cql/syntax/parser.h"

/* Parse after the verb, and set the kind of s and its tree. */
void parse_alter(struct parser *p, struct statement *s);
void parse_describe(struct parser *p, struct statement *s);
#endif
