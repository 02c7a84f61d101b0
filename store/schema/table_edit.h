/* Make a table, or a changed copy of one. */
#ifndef STORE_SCHEMA_TABLE_EDIT_H
#define STORE_SCHEMA_TABLE_EDIT_H
#include "store/schema/schema.h"

/* Make a table, which the caller still has to fill in (one reference). */
struct table *table_new(const char *keyspace, const char *name);
/* Make a deep copy to change: same id and number, one reference. */
struct table *table_copy(const struct table *t);
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
#endif
