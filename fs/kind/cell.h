/*
 * A cell: a file that holds its value's text. Elements of collections, fields
 * of user types and the files of schemaless tables are cells too: the place
 * tells them apart.
 */
#ifndef FS_KIND_CELL_H
#define FS_KIND_CELL_H
#include "fs/op/place.h"

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
int cell_rename(struct op *op, struct node *n, struct node *dir,
		struct bytes name, struct node *replaced, struct child *target);
/* Read the value of a file's text. -EINVAL with the reason. */
int cell_read_text(struct op *op, const struct type *type, struct bytes text,
		   struct buf *value);
/* The same of a text copied from another file: a lone newline may be the empty
 * value of a type that has no literal for it. */
int cell_read_copy(struct op *op, const struct type *type, struct bytes text,
		   struct buf *value);
/* Check that cell_read_text would accept a complete text of a type. */
int cell_check_text(struct op *op, const struct type *type, struct bytes text);
/* Check that a write of n now is later than what is or was there: struct
 * file_kind. */
int cell_check_time(struct op *op, struct node *n);
/* Append the text of a value as its file has it, with the last newline. */
void cell_print_value(struct buf *out, const struct type *type,
		      struct bytes value);
/* Return the size of a file with that value. */
uint64_t cell_value_size(const struct type *type, struct bytes value);
#endif
