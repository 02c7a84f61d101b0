/*
 * The schema back to CQL, as DESCRIBE and schema.cql show it: byte for byte as
 * Cassandra does (semantics.md 6.7), and such that running it makes the same
 * schema again. Each appends one statement with its semicolon and no newline.
 */
#ifndef STORE_CQL_PRINT_H
#define STORE_CQL_PRINT_H
#include "store/schema/schema.h"

enum cql_print {
	/* WITH INTERNALS: the table's ID, and dropped columns with the ALTERs
	 * that drop them (and add them again). */
	CQL_PRINT_INTERNALS = 1,
	/* A table of COMPACT STORAGE inside a comment, as Cassandra's DESCRIBE
	 * has it; without, the statement itself, which can be run. */
	CQL_PRINT_COMPACT_IN_COMMENT = 2,
};

void cql_print_keyspace(struct buf *out, const struct keyspace *k);
void cql_print_type(struct buf *out, const struct type *udt);
/* flags: enum cql_print. Indexes are statements of their own. */
void cql_print_table(struct buf *out, const struct table *t, unsigned flags);
void cql_print_index(struct buf *out, const struct table *t,
		     const struct index *index);
/* 'it''s' */
void cql_print_string(struct buf *out, struct bytes text);
#endif
