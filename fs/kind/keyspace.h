/* A keyspace: its schema.cql, and a directory for each table. */
#ifndef FS_KIND_KEYSPACE_H
#define FS_KIND_KEYSPACE_H
#include "fs/op/place.h"

/* Describe a keyspace: all but a time that was set for its directory. */
void keyspace_child(struct child *c, const struct keyspace *k);
/* Set c's time to that of the keyspace's directory. 0 or -errno. */
int keyspace_set_time(struct op *op, const struct keyspace *k, struct child *c);
/*
 * Translate the file name of a keyspace or table to its name in the schema,
 * which is allocated in the op's arena. -ENOENT with the reason where that name
 * is written otherwise; -ENOMEM.
 */
int keyspace_read_name(struct op *op, struct bytes name, struct bytes *raw);
/* Check that a keyspace or table may have this name (what: which of
 * the two, for the reason). 0; -EINVAL with the reason. */
int keyspace_check_name(struct op *op, struct bytes name, const char *what);
/* True if the caller made the schema.cql of n's keyspace with O_EXCL, as the
 * last process that did so. */
bool keyspace_is_copied(struct op *op, const struct node *n);
/* Note that the directory of the table was made: a copier that made schema.cql
 * finds it from now on. 0 or -ENOMEM. */
int keyspace_note_made(struct fs *fs, uint32_t table);
#endif
