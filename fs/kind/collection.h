/*
 * A set, map, list or user type that is not frozen: a directory of its
 * elements, each a cell of its own. A list's elements are named by their ids,
 * written so that names sort as the list does; by position they can be reached
 * without being listed, and @append and @prepend add elements.
 */
#ifndef FS_KIND_COLLECTION_H
#define FS_KIND_COLLECTION_H
#include "fs/op/place.h"

extern const struct node_ops kind_collection;
/* Read the live cells of the place's column; none: 0 of them. They live as long
 * as the arena. 0 or -errno. */
int collection_cells(struct op *op, const struct place *p, struct arena *arena,
		     const struct cell_view **cells, size_t *count);
/* Set time and end of a collection with these cells (at least one): the
 * latest. */
void collection_times(struct child *c, const struct cell_view *cells,
		      size_t count);
/* The call of struct file_kind for a file without text. */
int collection_load_nothing(struct op *op, struct node *n, struct buf *out);
#endif
