/*
 * A cell: a file that holds its value's text. Elements of collections, fields
 * of user types and the files of schemaless tables are cells too: the place
 * tells them apart.
 */
#ifndef FS_KIND_CELL_H
#define FS_KIND_CELL_H
#include "fs/op/place.h"

struct cell_view;
struct write;

extern const struct node_ops kind_cell;
extern const struct file_kind cell_file;

/* Set a file's attributes to those of a live cell. */
void cell_child(struct child *c, const struct table *t, const struct type *type,
		const struct cell_view *cell);
/* The calls of struct node_ops, for kinds that are a cell too. */
int cell_lookup(struct op *op, struct node *dir, struct child *c);
int cell_stat(struct op *op, struct node *n, struct child *out);
int cell_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
int cell_unlink(struct op *op, struct node *n);
/* Check that a write of n now is later than what is or was there: struct
 * file_kind. */
int cell_check_time(struct op *op, struct node *n);

/* Delete the cell with the write w, which has the partition's lock. -ENOENT. */
int cell_delete(struct op *op, struct node *n, const struct place *p,
		struct write *w);
/* Keep the directory of a deleted cell, though nothing may be left of the
 * row. */
int cell_keep_row(struct op *op, struct node *n, const struct place *p);
#endif
