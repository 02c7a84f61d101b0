/*
 * Look at the text of a statement by its tokens, without a parse of it: for
 * texts of definitions that are copied. Pure functions; any thread.
 */
#ifndef STORE_CQL_SYNTAX_STATEMENT_TEXT_H
#define STORE_CQL_SYNTAX_STATEMENT_TEXT_H
#include "store/base/arena.h"

/* Return the name in a CREATE KEYSPACE, in the arena; null: the statement is
 * another, or there is no memory. */
struct bytes cql_statement_created_keyspace(struct arena *arena,
					    struct bytes statement);
enum cql_to_table {
	CQL_CREATES_TABLE,
	CQL_ALTERS_TABLE,	/* ALTER TABLE, DROP TABLE */
	CQL_INDEXES_TABLE,	/* CREATE [CUSTOM] INDEX */
};
/* The same of the table, without its keyspace, to which a statement does that. */
struct bytes cql_statement_table(struct arena *arena, struct bytes statement,
				 enum cql_to_table does);
/* Append the statement, with the keyspace `from` named `to` wherever it is named
 * (USE and KEYSPACE, and before a dot). No memory: out->failed. */
void cql_statement_rename_keyspace(struct buf *out, struct bytes statement,
				   struct bytes from, struct bytes to);
#endif
