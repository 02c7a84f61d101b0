/* Texts for messages and names, in the arena of the statement. */
#ifndef STORE_CQL_STATEMENT_TEXT_H
#define STORE_CQL_STATEMENT_TEXT_H
#include "store/cql/statement/statement.h"

/* Return texts for messages and names, from the arena; "" without memory. */
const char *text_of(struct execution *x, struct bytes bytes);
const char *text_of_buf(struct execution *x, struct buf *buf); /* releases */
const char *text_of_type(struct execution *x, const struct type *t);
const char *text_of_term(struct execution *x, const struct term *t);
/* Return a type as written, before its names are looked up. */
const char *text_as_written(struct execution *x, const struct term *t);
const char *text_of_table(struct execution *x, const struct table *t);
#endif
