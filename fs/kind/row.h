/*
 * A row: a directory of its cells. Also the static row of a partition, which
 * differs only by having no marker. One read of the row serves a whole listing.
 */
#ifndef FS_KIND_ROW_H
#define FS_KIND_ROW_H
#include "fs/op/place.h"

extern const struct node_ops kind_row, kind_static;
/* Store the marker of the row c in dir, whose time it gets, too. touch: the row is
 * made anew, and the directory above changes with it. */
int row_insert(struct op *op, struct node *dir, struct child *c, bool touch);
/* Return the column that a name is of, which is that of a row's file, or for the
 * suffix of a document (name_shorten_for); or NULL. */
const struct column *row_column(struct op *op, const struct table *t,
				struct bytes name, size_t suffix_len);
/* Describe the directory of a row that was read, with its time if that was read,
 * too. */
void row_child(struct child *c, const struct table *t,
	       const struct row_view *row);
#endif
