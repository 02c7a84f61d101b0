/*
 * R.json: the row beside it as one JSON object. A write replaces the row; an
 * append merges into it; removing it removes the row.
 */
#ifndef FS_KIND_ROW_JSON_H
#define FS_KIND_ROW_JSON_H
#include "fs/op/place.h"

extern const struct node_ops kind_row_json;
/* Describe the file of the row at p. -ENOENT: there is none. */
int row_json_stat(struct op *op, const struct place *p, struct child *out);
/* In a listing of .json: make the entry of the row l->row, whose directory is
 * *name and *out, that of its document. 1 or -errno. */
int row_json_list(struct op *op, struct listing *l, struct buf *name,
		  struct child *out);
#endif
