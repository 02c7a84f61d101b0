/* Checks of the columns and types of a table. */
#ifndef STORE_CQL_SCHEMA_TABLE_CHECK_H
#define STORE_CQL_SCHEMA_TABLE_CHECK_H
#include "store/cql/schema/create_table.h"
#include "store/cql/schema/ddl.h"

struct new_column {
	const struct column_definition *definition;
	struct type *type;		/* a reference, until it is added */
	bool in_key;
};
struct new_table {
	struct ddl *d;
	const struct create_table *s;
	const struct keyspace *keyspace;
	const char *name;
	const struct table *old;	/* that it replaces, or NULL */
	const struct identifier *key;	/* of the partition: in its clause, */
	uint32_t key_count;		/* or right after a column */
	struct new_column *columns;	/* by name */
	uint32_t count;
	struct table *table;
};
/* Fill in the list of columns and the key: 0 or -ENOMEM. */
int new_table_columns(struct new_table *n);
/* Look up the types, check them and their places. Sets TABLE_COUNTER. */
int new_table_check(struct new_table *n);
void new_table_release_types(struct new_table *n);
struct new_column *new_table_column(struct new_table *n, struct bytes name);
/* Return the CLUSTERING ORDER BY of the column; NULL: none. */
const struct clustering_order *new_table_order(const struct new_table *n,
					       struct bytes name);
/* Check what only CREATE TABLE can have wrong, when the keyspace is known to
 * exist. */
int check_new_table(struct ddl *d);
/* Check that a multi-cell user type has no multi-cell fields. for_column NULL:
 * the message does not name it. */
int check_nested_fields(struct ddl *d, const struct type *t,
			const char *for_column);
#endif
