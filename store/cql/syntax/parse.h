/*
 * Parse CQL text to a statement (ast.h), by the grammar of Cassandra 5.0 and
 * without a schema: unknown names are refused by the analysis.
 */
#ifndef STORE_CQL_SYNTAX_PARSE_H
#define STORE_CQL_SYNTAX_PARSE_H
#include "store/base/arena.h"
#include "store/cql/syntax/ast.h"
#include "store/cql/syntax/error.h"
#include "store/schema/schema.h"

/*
 * Parse the one statement that text begins with. Semicolons may follow it. With
 * consumed NULL nothing else may follow; else it stops after the first
 * semicolon, and *consumed is the length up to there (of the text if it had
 * none).
 *
 * The tree is made in arena, and none of it points into text. Text without any
 * statement is an error at line 0, column -1 (a caller that reads several uses
 * cql_split), and so is text that is not UTF-8. Nesting is bounded, and the
 * time is linear in the length of the text. Returns 0, -EINVAL (*error is set,
 * with its place) or -ENOMEM. Any thread.
 */
int cql_parse(struct arena *arena, struct statement **out, struct bytes text,
	      size_t *consumed, struct cql_error *error);

/*
 * Look whether a statement can begin with this text, to which more may be
 * added: -EINVAL with *error if a complete token of it fits no statement. 0
 * does not mean that it is right: faults that depend on how the text continues,
 * and those of meaning, are found by cql_parse alone. -ENOMEM. Time and memory
 * as cql_parse.
 */
int cql_parse_begin(struct arena *arena, struct bytes text,
		    struct cql_error *error);

/* Append the name, with quotes if it needs them. */
static inline void cql_print_name(struct buf *out, struct bytes name)
{
	schema_print_name(out, name);
}
#endif
