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
 *
 * So is the time of a TRUNCATE, while the table may be without it: under the key of
 * the table's records (waiting_record.h), with the table's number as tag:
 *
 *   't'  the time at which it began
 *
 * Order: 't' is on disk before the rows, and the table's own time with them, are
 * gone; then one batch stores the time in the table and removes 't'. After a crash
 * in between, a table that has no time of its own shows 't', on and on.
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
/* Store that a TRUNCATE of the table begins now, while no other thread writes. An
 * error leaves it to the time that is stored afterwards. */
void keyspace_times_truncating(struct store *s, const struct table *t);
/* Add to w that the table has a time of its own again. */
void keyspace_times_forget_truncating(struct write *w, const struct table *t);
/* Set the time to that of the TRUNCATE, if one is stored. 0 or -errno. */
int keyspace_times_of_truncating(struct op *op, const struct table *t,
				 int64_t *mtime_ns);
#endif
