/* The grammar of SELECT and of WHERE. */
#ifndef STORE_CQL_SYNTAX_PARSE_SELECT_H
#define STORE_CQL_SYNTAX_PARSE_SELECT_H
#include "store/cql/syntax/parser.h"

void parse_where(struct parser *p, struct relation **relations,
		 uint32_t *count);
bool parse_at_comparison(enum token_kind kind);
enum operator_kind parse_comparison(struct parser *p);
/* Parse (a, b) or a marker, after IN. */
void parse_in_values(struct parser *p, struct term **value,
		     struct term ***values, uint32_t *count);
/* * or selectors with aliases. */
void parse_selections(struct parser *p, struct select *s);
struct select *parse_select(struct parser *p);
#endif
