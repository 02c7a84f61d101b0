/*
 * schema.cql, and the DDL of one table or keyspace as NAME.cql. Statements
 * written into schema.cql are applied one by one; an object that exists already
 * is no error, so that a backup can be copied over itself.
 */
#ifndef FS_KIND_SCHEMA_H
#define FS_KIND_SCHEMA_H
#include "fs/op/place.h"

/* Describe dir's schema.cql. 0 or -errno. */
int schema_child(struct op *op, struct node *dir, struct child *out);
/* Set to now the times of the schema.cql that have another text by `to` than by
 * `from`, the schema before. An error leaves a time as it was. */
void schema_times_follow(struct op *op, const struct schema *from,
			 const struct schema *to);
/* Describe BASE.cql in the root or in a keyspace. -ENOENT. */
int schema_definition_child(struct op *op, struct node *dir, struct bytes base,
			    struct child *out);

/* The cql_may of sessions (context: the op): ask the rights of its caller. */
bool schema_may_caller(void *context, const struct keyspace *k,
		       const struct table *t, enum cql_right right);
/*
 * Open a session of the caller; keyspace: to be in, or NULL; mode: of what it
 * makes; as_caller: with the caller's rights, else with all. *out is to be freed
 * in any case.
 */
int schema_open_session(struct op *op, struct cql_session **out,
			const char *keyspace, mode_t mode, bool as_caller);
/* Run one statement, and drop its rows. 0 or -errno. */
int schema_run_session(struct op *op, struct cql_session *session,
		       struct bytes text);
/* Run one statement in a session of its own. */
int schema_run_statement(struct op *op, const char *keyspace, struct bytes text,
			 mode_t mode, bool as_caller);
#endif
