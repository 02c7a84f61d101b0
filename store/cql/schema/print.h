/*
 * Print the schema as CQL, for DESCRIBE and schema.cql: byte for byte as
 * Cassandra does (store/cql/README.md, "Schema"), and in schema.cql such that
 * running it makes the same schema again. Each appends one statement with its
 * semicolon and no newline.
 */
#ifndef STORE_CQL_SCHEMA_PRINT_H
#define STORE_CQL_SCHEMA_PRINT_H
#include "store/schema/schema.h"

enum cql_print {
	/*
	 * As Cassandra's DESCRIBE has it, also where that cannot be run: a
	 * table of COMPACT STORAGE inside a comment, masks in CREATE TABLE.
	 * Without: the bare statement, masked columns by ALTER TABLE.
	 */
	CQL_PRINT_DESCRIBED = 1,
	/* WITH INTERNALS: the table's ID, and dropped columns with the ALTERs
	 * that drop them (and add them again). */
	CQL_PRINT_INTERNALS = 2,
};

/* Append the CREATE statement of the keyspace alone, or of the type. */
void cql_print_keyspace(struct buf *out, const struct keyspace *k);
void cql_print_type(struct buf *out, const struct type *udt);
/* flags: enum cql_print. Indexes are statements of their own. */
void cql_print_table(struct buf *out, const struct table *t, unsigned flags);
/* Print "name type", with "static" where it is. */
void cql_print_column(struct buf *out, const char *name,
		      const struct type *type, enum column_kind kind);
/* Print all options, as after WITH or AND, and a semicolon. */
void cql_print_options(struct buf *out, const struct table_options *o);
void cql_print_index(struct buf *out, const struct table *t,
		     const struct index *index);
#endif
