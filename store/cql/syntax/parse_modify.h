/* The grammar of INSERT, UPDATE, DELETE and BATCH. */
#ifndef STORE_CQL_SYNTAX_PARSE_MODIFY_H
#define STORE_CQL_SYNTAX_PARSE_MODIFY_H
#include "store/cql/syntax/parser.h"

/* Parse after the verb (BEGIN). The tree is in the parser's arena. */
struct insert *parse_insert(struct parser *p);
struct update *parse_update(struct parser *p);
struct delete *parse_delete(struct parser *p);
struct batch_statement *parse_batch(struct parser *p);
#endif
