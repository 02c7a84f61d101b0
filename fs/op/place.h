/* Where in a table a node is. Calls return 0 or -errno where nothing else is
 * said. */
#ifndef FS_OP_PLACE_H
#define FS_OP_PLACE_H
#include "fs/op/op.h"

/* The place of a node in a table, in the terms of the store. */
struct place {
	struct table *table;		/* of op->schema */
	struct bytes partition_key;	/* null above partitions */
	struct bytes *clustering;	/* room for all of them */
	uint32_t clustering_count;
	bool is_static;
	const struct column *column;	/* or NULL */
	struct bytes path;		/* of an element; else null */
	const struct type *type;	/* of the value, where it is a cell */
};
/* As place_of, for a change: -EROFS in a virtual table too. */
int place_to_change(struct op *op, struct node *n, struct place *p);
/* Forget the place that was found last: op->schema is another. */
void place_forget(struct op *op);
/* Compute the place: 0; -ESTALE where table or column are gone; -ENOMEM. */
int place_of(struct op *op, struct node *n, struct place *p);
/* The same while the key of a directory above is not known: only the known
 * parts of the value's place, its column and type. */
int place_type(struct op *op, struct node *n, struct place *p);
/* The place of a child that has no node yet. */
int place_of_child(struct op *op, struct node *dir, const struct child *c,
		   struct place *p);
bool place_is_row(const struct place *p);
struct object_ref place_object(const struct place *p);
/* Return the table of a node at or below one; NULL: it was dropped. */
struct table *op_table(struct op *op, const struct node *n);
struct keyspace *op_keyspace(struct op *op, struct node *n);
/*
 * Begin w, with the partitions locked: before reading data that w depends on.
 * n: the node whose place p is, or a directory on the way to it. Its row may have
 * been renamed since p was found: p's keys become those of the row's present
 * name, which stays until w is written. 0, or an error of place_of; w is to be
 * released.
 */
struct placed {
	struct node *n;
	struct place *p;
};
int place_begin_writes(struct op *op, struct write *w,
		       const struct placed *of, size_t count) UNCHECKED;
int place_begin_write(struct op *op, struct write *w, struct node *n,
		      struct place *p);
/* Begin a write at p, the place of n, and call change, which fills and writes
 * it. 0, -errno. */
int place_change(struct op *op, struct node *n, struct place *p,
		 int (*change)(struct op *op, struct node *n,
			       const struct place *p, struct write *w));
/* The row is renamed: from before its data is locked until its node has the new
 * name (or not) nothing is written by the name that it had. */
void place_move_begin(struct node *row);
void place_move_end(struct fs *fs, struct node *row);
/* Begin (or continue with) the place's row in w. */
void place_write_row(struct write *w, const struct place *p);
#endif
