/*
 * The grammar of statements that are refused by name: roles, functions, views.
 */
#ifndef STORE_CQL_SYNTAX_PARSE_REFUSED_H
#define STORE_CQL_SYNTAX_PARSE_REFUSED_H
#include "store/cql/syntax/parser.h"

/* Roles, users, permissions: they are only checked by the grammar, after the
 * verb. */
void parse_create_role(struct parser *p);
void parse_alter_role(struct parser *p);
void parse_drop_role(struct parser *p);
void parse_grant(struct parser *p, bool revoke);
void parse_list(struct parser *p);
void parse_add_identity(struct parser *p);
/* Parse (a, b): types of arguments. */
void parse_types_in_brackets(struct parser *p);
/* Functions, aggregates, views and triggers, likewise; s gets their name.
 * False: this is none of them. */
bool parse_create_other(struct parser *p, struct statement *s);
#endif
