/*
 * Where in a table a node is, and the names of keys. Calls return 0 or -errno
 * where nothing else is said.
 */
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
/* Compute the place: 0; -ESTALE where table or column are gone; -ENOMEM. */
int place_of(struct op *op, struct node *n, struct place *p);
/* The same while the key of a directory above is not known: only the known
 * parts of the value's place, its column and type. */
int place_type(struct op *op, struct node *n, struct place *p);
/* Count the key names from the table down to dir. */
uint32_t key_level(const struct node *dir);
/* The place of a child that has no node yet. */
int place_of_child(struct op *op, struct node *dir, const struct child *c,
		   struct place *p);
bool place_is_row(const struct place *p);
struct object_ref place_object(const struct place *p);
/* Return the table of a node at or below one; NULL: it was dropped. */
struct table *op_table(struct op *op, const struct node *n);
struct keyspace *op_keyspace(struct op *op, const struct node *n);
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
/* The row is renamed: from before its data is locked until its node has the new
 * name (or not) nothing is written by the name that it had. */
void place_move_begin(struct node *row);
void place_move_end(struct fs *fs, struct node *row);
/* Begin (or go on with) the place's row in w. */
void place_write_row(struct write *w, const struct place *p);

/* -------------------------------------------------------------- key names */
/* Append the name of a key: of a partition, of the i-th clustering column. */
void key_name_of_partition(struct buf *out, const struct table *t,
			   const struct bytes *values);
/* Append the name of a partition's key as it is stored. 0, -EUCLEAN,
 * -ENOMEM. */
int key_name_stored(struct buf *out, const struct table *t, struct bytes key);
void key_name_of_clustering(struct buf *out, const struct table *t, uint32_t i,
			    struct bytes value);
void key_name_of_value(struct buf *out, const struct type *type,
		       struct bytes value);
/* The same without shortening, for @key. */
int key_name_full(struct op *op, struct node *n, struct buf *out);
/*
 * Parse a name: *value from the op's arena. -ENOENT where it is not the one
 * spelling of a value (with the reason), -ENOMEM.
 */
int key_name_parse_partition(struct op *op, const struct table *t,
			     struct bytes name, struct bytes *value);
/* Parse a composite key's name as it was before it was shortened. */
int key_name_parse_whole(struct op *op, const struct table *t,
			 struct bytes name, struct bytes *value);
int key_name_parse_clustering(struct op *op, const struct table *t, uint32_t i,
			      struct bytes name, struct bytes *value);
int key_name_parse_value(struct op *op, const struct type *type,
			 struct bytes name, struct bytes *value);

/*
 * Check that the rows that were found at p have the name of p. Of equal values
 * (decimal 1.0 and 1.00) the stored one is the name: -ENOENT with the reason.
 */
int place_check_name(struct op *op, const struct place *p,
		     const struct row_view *row);
#endif
