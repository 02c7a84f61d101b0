/* The grammar of terms. */
#ifndef STORE_CQL_SYNTAX_PARSE_TERM_H
#define STORE_CQL_SYNTAX_PARSE_TERM_H
#include "store/cql/syntax/parser.h"

/* Refuse a number that Java cannot read, in its words; token is the number. */
void parse_refuse_number(struct parser *p, struct token token,
			 const char *problem);
/* Parse a term of any form. */
struct term *parse_term(struct parser *p);
/* Parse the right side of SET c = …: stops before + c, which makes it a
 * prepend. */
struct term *parse_assigned_term(struct parser *p);
/* Parse operands with + - * / % between; assigned: as parse_assigned_term. */
struct term *parse_sum(struct parser *p, parse_operand *operand, bool assigned);
/* Parse (a, b). */
struct term *parse_tuple(struct parser *p);
/* Parse (type)x, where operand reads x. */
struct term *parse_hint(struct parser *p, parse_operand *operand);
/* Parse NULL; a marker; a string or marker; an integer or marker; a constant of
 * any kind. parse_at_...: true if one begins here, or with this token. */
struct term *parse_null(struct parser *p);
bool parse_at_marker(const struct parser *p);
struct term *parse_marker(struct parser *p);
struct term *parse_string(struct parser *p);
struct term *parse_integer(struct parser *p);
struct term *parse_constant(struct parser *p);
bool parse_at_constant(enum token_kind kind);
/* Make a term that begins at the offset start; end it after the last token. */
struct term *parse_new_term(struct parser *p, enum term_kind kind,
			    uint32_t start);
struct term *parse_finish_term(struct parser *p, struct term *t);
/* Make the height of parent more than that of child, one of its parts; refuse
 * more than PARSER_HEIGHT_MAX. */
void parse_adopt_part(struct parser *p, struct term *parent,
		      struct term *child);
/* Append an item to a list, a tuple, a call. */
void parse_add_item(struct parser *p, struct term *t, struct term *item);
/* Parse [keyspace.]function, and the bracket after it. */
void parse_function_name(struct parser *p, struct term *call);
/* Parse a, b) after that, and return the finished call. */
struct term *parse_arguments(struct parser *p, struct term *call);
/* True at a type in brackets: a name or keyspace.name, a type that can be
 * nothing else, or a class in quotes before a possible value. selection: in a
 * SELECT list, where a value must be able to follow. */
bool parse_at_type_in_brackets(struct parser *p, bool selection);
#endif
