/*
 * Times that were set above tables: of the root, of keyspaces and of their
 * schema.cql, of .snapshots and .widefs. They are attributes in an engine table
 * of their own, under the directory's name (the root's is empty; no keyspace's
 * begins with a dot):
 *
 *   'm'  of the directory, 's'  of its schema.cql: 8 nanoseconds since 1970 |
 *        8 a tag, both little-endian
 *
 * The tag identifies the object that it was set for: a keyspace made again, other
 * DDL, or other snapshots have another tag.
 */
#ifndef FS_OP_KEYSPACE_TIMES_H
#define FS_OP_KEYSPACE_TIMES_H
#include "fs/op/times.h"

/* That engine table, as a table that attributes are stored in. */
extern const struct table keyspace_times_above;
/* The attributes that have these times. */
enum { ABOVE_DIRECTORY = 'm', ABOVE_SCHEMA = 's' };
int keyspace_times_get(struct op *op, struct bytes keyspace, uint8_t name,
		       uint64_t tag, int64_t *mtime_ns);
/* Set a time. 0 or -errno. */
int keyspace_times_set(struct op *op, struct bytes keyspace, uint8_t name,
		       uint64_t tag, int64_t mtime_ns);
/* Set the time of the root or of a keyspace. */
int keyspace_times_set_mtime(struct op *op, struct node *dir, int64_t mtime_ns);
/* Set to now the times of the root and of the keyspaces that list other names by
 * `to` than by `from`, the schema before. */
void keyspace_times_follow(struct op *op, const struct schema *from,
			   const struct schema *to);
#endif
