/*
 * Give a table or a keyspace another name in the next version of a schema. What
 * identifies a table in the engine stays (its number and its id, and those of its
 * indexes): no data moves, and one batch of the catalogue does all of it.
 */
#ifndef STORE_SCHEMA_SCHEMA_MOVE_H
#define STORE_SCHEMA_SCHEMA_MOVE_H
#include "store/schema/schema_edit.h"

/*
 * Move a table, within its keyspace or into another. 0, -ENOENT (no such table
 * or keyspace), -EEXIST, -ENOMEM, or -EINVAL with what the other keyspace lacks
 * or has too in *why.
 */
int schema_move_table(struct schema *s, const struct table *t,
		      struct bytes to_keyspace, struct bytes to_name,
		      struct buf *why);
/* Move a keyspace with its types and tables. 0, -ENOENT, -EEXIST, -ENOMEM. */
int schema_move_keyspace(struct schema *s, struct bytes name, struct bytes to);
#endif
