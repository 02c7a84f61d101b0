/*
 * Shared by the parts of DDL. A statement makes the next version of the schema
 * inside store_edit_schema: it looks at the present version only there, so that
 * two statements at once see each other. Inside store/cql only.
 *
 * Checks come in Cassandra's order, with its words: a statement with several
 * faults is refused for the same one.
 */
#ifndef STORE_CQL_SCHEMA_DDL_H
#define STORE_CQL_SCHEMA_DDL_H
#include "store/cql/statement/refuse.h"
#include "store/cql/statement/statement.h"
#include "store/schema/schema_edit.h"

struct ddl {
	struct execution *x;
	const struct statement *statement;
	struct bytes keyspace;		/* the object's, existing or not */
	const struct schema *now;	/* in force: valid inside the edit */
	struct schema *next;		/* NULL: nothing changes */
};

/* Start the next version: 0 or -ENOMEM. */
int ddl_begin(struct ddl *d);
/* Find the keyspace; refuse if it does not exist. */
int ddl_keyspace(struct ddl *d, const struct keyspace **k);
/* Return the table of that name in k (which may be NULL), or NULL; -EACCES
 * where the user may not change it. */
int ddl_table(struct ddl *d, const struct keyspace *k, struct bytes name,
	      const struct table **t);
/*
 * Return 0 under IF EXISTS; else refuse at the name of what is not there:
 * before, KEYSPACE.NAME with d's keyspace, after.
 */
int ddl_missing(struct ddl *d, bool if_exists, const struct identifier *name,
		const char *before, const char *after);
/* True if what exists and is the same is no error (cql_session_define). */
bool ddl_is_definition(const struct ddl *d);
/* The same, in the keyspace that the session defines. */
bool ddl_is_own_definition(const struct ddl *d);
/* Refuse (AlreadyExists) a definition of an object that exists and differs;
 * what: "Type", "Index". */
int ddl_refuse_different(struct ddl *d, const char *what,
			 const struct identifier *name);
/* Put a table, changed or new, into the next version; takes it over. */
int ddl_set_table(struct ddl *d, struct table *t);
/* True if it is [A-Za-z0-9_]+ and not longer. */
bool ddl_is_plain_name(struct bytes name, size_t longest);
/* Check the name of a column or field: any text, but bounded. */
int ddl_check_name(struct ddl *d, struct bytes name);

/* Refuse with a ConfigurationException. */
#define misconfigured(d, ...) \
	refuse_as((d)->x, CQL_CONFIGURATION, __VA_ARGS__)

/* Changes of the schema, and DESCRIBE. */
int ddl_execute(struct cql_result *r, const struct statement *s);
#endif
