/*
 * Directories that wait for schema.cql: a copier may make all directories of a
 * backup before it writes the first file. In a table that mkdir made, and that
 * has no row, they are kept in memory at any depth (charged to their maker, as
 * all directories that have no rows); the CREATE TABLE that follows makes them
 * anew in the new table, under the same names. A file there is refused.
 *
 * Calls return 0 or -errno where nothing else is said. Any thread.
 */
#ifndef FS_KIND_WAITING_H
#define FS_KIND_WAITING_H
#include "fs/op/op.h"

/* As mkdir of struct node_ops, in a partition or below it: -EPERM with the
 * reason where none may wait. */
int waiting_mkdir(struct op *op, struct node *dir, struct bytes name,
		  mode_t mode, struct child *out, bool *keep);
/* The same in the table itself, for the name of a composite key, which is none
 * of a text. -ENOENT: it is no such name either. */
int waiting_mkdir_composite(struct op *op, struct node *dir, struct bytes name,
			    struct child *out, bool *keep);
/* user.expires of a directory that waits; other attributes as everywhere. */
int waiting_get_attribute(struct op *op, struct node *n, const char *name,
			  struct buf *out);
int waiting_set_attribute(struct op *op, struct node *n, const char *name,
			  struct bytes value);
/*
 * The tables (references) whose schema is being written: from before the first
 * new one is published until all directories are made in them, lookups in that
 * keyspace wait rather than miss one.
 */
struct waiting_list {
	struct node *keyspace, **tables;
	size_t count, room;
	struct waiting_list *next;		/* under leaving_lock, once begun */
};
/* Another table is about to take the place of this one. */
int waiting_begin(struct op *op, struct waiting_list *w, struct node *table);
/* All statements ran: make the directories, and let the lookups go on. What
 * fits nowhere is named in the errors. */
void waiting_end(struct op *op, struct waiting_list *w);
/* A name was not found in dir: wait for such a writing of its keyspace. True:
 * look again, with the present schema. */
bool waiting_wait(struct fs *fs, const struct node *dir);
/* A directory was made in dir and is kept. -ESTALE: the directories had been
 * made anew before, without it; it is not kept any more. */
int waiting_made(struct fs *fs, struct node *dir, struct node *made);
#endif
