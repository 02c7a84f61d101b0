/* A row that is renamed. */
#ifndef FS_KIND_ROW_MOVE_H
#define FS_KIND_ROW_MOVE_H
#include "fs/op/place.h"

struct node;
struct op;
struct row_view;
struct write;

/*
 * Write all of the row that was read at from under the key of to in the directory
 * dir, with its times, and delete the old one, of the node n: one batch. The caller
 * has w, locked for both partitions. Returns 0 or -errno.
 */
int row_write_moved(struct op *op, struct write *w, struct node *n,
		    struct node *dir, const struct place *from,
		    const struct place *to, const struct row_view *row);
#endif
