/*
 * Names that wait for schema.cql: a copier may bring directories and files of a
 * backup in any order. In a table that mkdir made, and that has no row, or that
 * the caller made himself, directories are kept in memory at any depth (charged
 * to their maker, as all directories that have no rows), and files in them
 * (charged as temporary files); the CREATE TABLE that follows makes them anew
 * in the new table, under the same names. The files are in the store, too
 * (waiting_store.h).
 *
 * Calls return 0 or -errno where nothing else is said. Any thread.
 */
#ifndef FS_KIND_WAITING_H
#define FS_KIND_WAITING_H
#include "fs/op/op.h"

extern const struct node_ops kind_waiting;
/* Look up whether directories and files may wait in dir: 1, 0, -errno. */
int waiting_is_allowed(struct op *op, struct node *dir);
/* Note that a file of that name is made in dir: if it is one of rsync's, which makes
 * directories and files by two processes, the table is filled by a copier. */
void waiting_note_copier(struct node *dir, struct bytes name);
/* Describe a new file that waits in dir, which is kept. */
int waiting_child(struct op *op, struct node *dir, struct bytes name,
		  struct child *out);
/* As create of struct node_ops, if files may wait in dir; a remark in the
 * errors tells that they do. */
int waiting_create(struct op *op, struct node *dir, struct bytes name,
		   struct child *out);
/* Note that files have waited in the table since before the mount: the remark
 * is not added again. */
void waiting_mark_told(struct node *table);
/* As mkdir of struct node_ops, in a partition or below it: -EPERM with the
 * reason where none may wait. */
int waiting_mkdir(struct op *op, struct node *dir, struct bytes name,
		  mode_t mode, struct child *out, bool *keep);
/* The same in the table itself, for the name of a composite key, which is not
 * the name of a text. -ENOENT: it is neither. */
int waiting_mkdir_composite(struct op *op, struct node *dir, struct bytes name,
			    struct child *out, bool *keep);
/* Get or set user.expires of a directory that waits, or another attribute as in
 * all directories. */
int waiting_get_attribute(struct op *op, struct node *n, const char *name,
			  struct buf *out);
int waiting_set_attribute(struct op *op, struct node *n, const char *name,
			  struct bytes value);
/*
 * The tables (references) whose schema is being written: from before the first
 * new one is published until all directories are made in them, calls on nodes of
 * the keyspace's tables wait rather than miss one.
 */
struct waiting_list {
	struct node *keyspace, **tables;
	uint32_t *successors;	/* their numbers: another may get the name */
	size_t count, room, successor_room;
	struct waiting_list *next;		/* under leaving_lock, once begun */
};
/* Note that another table, `to`, is about to take the place of this one. */
int waiting_begin(struct op *op, struct waiting_list *w, struct node *table,
		  const struct table *to);
/* Make the directories, after all statements ran, and let the calls go on.
 * Names that fit nowhere are put into the errors. */
void waiting_end(struct op *op, struct waiting_list *w);
/* As op_node, but wait until no such writing of the node's keyspace is under
 * way. Calls by a number begin with this, before they pin the schema. */
struct node *waiting_node(struct fs *fs, uint64_t id);
/*
 * After a call on n, or on a name in it, that failed as if the object were
 * gone: wait for such a writing that began meanwhile. True: the call must begin
 * again, by waiting_node, which may lead to another node now; it returns
 * -ERESTART to the function of fs.h, which has WAITING_REPEATED. No lock is
 * held.
 */
bool waiting_restarts(struct op *op, const struct node *n);
/* Make the call again while it returns -ERESTART. The value is its last
 * result. */
#define WAITING_REPEATED(call)                                                \
	({                                                                    \
		__typeof__(call) result_;                                     \
									      \
		do                                                            \
			result_ = (call);                                     \
		while (result_ == -ERESTART);                                 \
		result_;                                                      \
	})
/* Check, after a directory or file was made in dir and kept, that it waits too.
 * -ESTALE: all names that waited were made anew before, without it; it is no
 * longer kept. */
int waiting_made(struct fs *fs, struct node *dir, struct node *made);
#endif
