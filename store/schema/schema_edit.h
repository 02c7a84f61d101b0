/*
 * Make the next version of a schema. An edit starts as a copy that shares all
 * keyspaces and tables, and replaces those that change. It never changes
 * objects that others hold.
 */
#ifndef STORE_SCHEMA_SCHEMA_EDIT_H
#define STORE_SCHEMA_SCHEMA_EDIT_H
#include "store/schema/schema.h"

/* Make the next version. NULL without memory. */
struct schema *schema_copy(const struct schema *s);
/* Each replaces or adds (taking over the reference, also on error) or removes
 * (name; -ENOENT). 0 or -ENOMEM. */
int schema_set_keyspace(struct schema *s, struct keyspace *k);
int schema_remove_keyspace(struct schema *s, struct bytes name);
/* Keyspaces are copied before they are changed. */
int schema_set_table(struct schema *s, struct table *t);
int schema_remove_table(struct schema *s, struct bytes keyspace,
			struct bytes name);
/* Set a new or altered user type: all tables and types of the keyspace that use
 * it are replaced by copies that use the new version. The reference to udt is
 * taken over. */
int schema_set_type(struct schema *s, struct bytes keyspace, struct type *udt);
int schema_remove_type(struct schema *s, struct bytes keyspace,
		       struct bytes name);
/* Return a type like t of other parts, whose references are taken over; a user
 * type is of that keyspace. NULL without memory. */
struct type *schema_type_of_parts(const struct type *t, const char *keyspace,
				  struct type **parts);
struct keyspace *keyspace_new(const char *name);
/* Copy a keyspace; tables and types are shared. */
struct keyspace *keyspace_copy(const struct keyspace *k);
/* As options_set, for the replication, where 'class' stays first. */
int keyspace_set_replication(struct keyspace *k, const char *name,
			     const char *value);
#endif
