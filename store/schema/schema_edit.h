/*
 * Make the next version of a schema. An edit starts as a copy that shares all
 * keyspaces and tables, and replaces those that change. It never changes
 * objects that others hold.
 */
#ifndef STORE_SCHEMA_SCHEMA_EDIT_H
#define STORE_SCHEMA_SCHEMA_EDIT_H
#include "store/schema/schema.h"

/* Make a table, which the caller still has to fill in (one reference). */
struct table *table_new(const char *keyspace, const char *name);
/* Make a deep copy to change: same id and number, one reference. */
struct table *table_copy(const struct table *t);
/* Make a mask, which the caller still has to fill in (one reference). The name
 * is copied; mask_set_value copies an argument's value, 0 or -ENOMEM. */
struct column_mask *mask_new(const char *function, uint32_t argument_count);
int mask_set_value(struct mask_argument *a, struct bytes value);
struct column_mask *mask_get(struct column_mask *m);
void mask_put(struct column_mask *m);
/* Append a column (the name is copied, the reference to the type taken over).
 * Returns its place. */
int table_add_column(struct table *t, const char *name, struct type *type,
		     enum column_kind kind, bool reversed);
/* Sort the columns into SELECT * order, count kinds, set positions. Index
 * columns follow. Call it after the last change. */
int table_finish(struct table *t);
/*
 * Take the column away and keep a record of it: its cells up to dropped_us are
 * never shown again; with DROPPED_NOW none that was written before the edit is
 * done. A column that table_add_column adds again under this name and kind gets
 * its number back, so newer cells are shown. No index may be on it. The caller
 * calls table_finish.
 */
#define DROPPED_NOW INT64_MIN
int table_drop_column(struct table *t, uint32_t column, int64_t dropped_us);
/* True if a column is dropped with DROPPED_NOW. The store sets the time of
 * these when nothing is written until the table is published. */
bool table_drops_now(const struct table *t);
void table_set_dropped(struct table *t, int64_t now_us);
/*
 * Put the records of dropped columns in the order in which Cassandra lists them,
 * when the first `before` of them were there before the statement.
 */
void table_order_dropped(struct table *t, uint32_t before);
/* Append a deep copy of the index (number 0: the store gives it one). */
int table_add_index(struct table *t, const struct index *index);
void table_remove_index(struct table *t, struct bytes name);
int table_options_init(struct table_options *o);
void table_options_release(struct table_options *o);
int table_options_copy(struct table_options *to, const struct table_options *o);
/* Set an option in a list sorted by name, as DESCRIBE shows it; the value is
 * copied. */
int options_set(struct property **options, uint32_t *count, const char *name,
		const char *value);
const char *options_find(const struct property *options, uint32_t count,
			 const char *name);
int options_copy(struct property **to, uint32_t *to_count,
		 const struct property *options, uint32_t count);
void options_release(struct property *options, uint32_t count);

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
struct keyspace *keyspace_new(const char *name);
/* Copy a keyspace; tables and types are shared. */
struct keyspace *keyspace_copy(const struct keyspace *k);
/* As options_set, for the replication, where 'class' stays first. */
int keyspace_set_replication(struct keyspace *k, const char *name,
			     const char *value);
struct keyspace *keyspace_get(struct keyspace *k);
void keyspace_put(struct keyspace *k);
#endif
