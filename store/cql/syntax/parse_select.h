/* The grammar of SELECT and of WHERE. */
#ifndef STORE_CQL_SYNTAX_PARSE_SELECT_H
#define STORE_CQL_SYNTAX_PARSE_SELECT_H
#include "store/cql/syntax/parser.h"

/* Parse relations with AND between, after WHERE. */
void parse_where(struct parser *p, struct relation **relations,
		 uint32_t *count);
/* True for = != < <= > >=; parse one of them. */
bool parse_at_comparison(enum token_kind kind);
enum operator_kind parse_comparison(struct parser *p);
/* Parse a, b): names of columns, after their bracket. */
void parse_columns(struct parser *p, struct identifier **columns,
		   uint32_t *count);
/* Parse (a, b) into *values, or a marker into *value, after IN. */
void parse_in_values(struct parser *p, struct term **value,
		     struct term ***values, uint32_t *count);
/* Parse *, or selectors with aliases. */
void parse_selections(struct parser *p, struct select *s);
/* Parse after SELECT. */
struct select *parse_select(struct parser *p);
#endif
