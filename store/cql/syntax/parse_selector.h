/* The grammar of the list of a SELECT and of GROUP BY. */
#ifndef STORE_CQL_SYNTAX_PARSE_SELECTOR_H
#define STORE_CQL_SYNTAX_PARSE_SELECTOR_H
#include "store/cql/syntax/parser.h"

/* Parse one item. */
struct term *parse_selector(struct parser *p);
#endif
