/* Terms and relations as text, as messages quote them. */
#ifndef STORE_CQL_SYNTAX_AST_PRINT_H
#define STORE_CQL_SYNTAX_AST_PRINT_H
#include "store/cql/syntax/ast.h"

/*
 * The term as Cassandra's messages and result names print it (getText of its
 * raw terms): 'a' (quotes inside not doubled), [1, 2], {'a': 1}, (1, 2),
 * (int)1, f(a, b), 1 + 1, -v, NULL, ?. In ast_print.c.
 */
void term_print(struct buf *out, const struct term *t);
/* The same of one whose types are looked up in this keyspace. */
void term_print_known(struct buf *out, const struct term *t,
		      struct bytes keyspace);
/* "_add": the function behind an operator; ~ is a minus before its value. */
const char *operation_name(char op);
/* "STRING", "INTEGER", "UUID", "FLOAT", "BOOLEAN", "HEX", "DURATION". */
const char *constant_kind_name(enum constant_kind kind);
/* "=", "!=", "CONTAINS KEY", "IS NOT". */
const char *operator_name(enum operator_kind op);
/* As Cassandra's messages quote it: c = 1, (c, d) IN ((1, 2)), token(k) > 1. */
void relation_print(struct buf *out, const struct relation *r);
#endif
