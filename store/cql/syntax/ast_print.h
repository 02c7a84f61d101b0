/* Terms and relations as text, as messages quote them. */
#ifndef STORE_CQL_SYNTAX_AST_PRINT_H
#define STORE_CQL_SYNTAX_AST_PRINT_H
#include "store/cql/syntax/ast.h"

/*
 * Print the term as Cassandra's messages and result names do (getText of its
 * raw terms): 'a' (quotes inside not doubled), [1, 2], {'a': 1}, (1, 2),
 * (int)1, f(a, b), 1 + 1, -v, NULL, ?.
 */
void ast_print_term(struct buf *out, const struct term *t);
/* The same for a term whose types are looked up in this keyspace. */
void ast_print_term_known(struct buf *out, const struct term *t,
			  struct bytes keyspace);
/* Return "_add": the function of an operator; ~ is a minus before its value. */
const char *ast_operation_name(char op);
/* Return "STRING", "INTEGER", "UUID", "FLOAT", "BOOLEAN", "HEX", "DURATION". */
const char *ast_constant_kind_name(enum constant_kind kind);
/* Return "=", "!=", "CONTAINS KEY", "IS NOT". */
const char *ast_operator_name(enum operator_kind op);
/* Print as Cassandra's messages do: c = 1, (c, d) IN ((1, 2)), token(k) > 1. */
void ast_print_relation(struct buf *out, const struct relation *r);
#endif
