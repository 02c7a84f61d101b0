/*
 * P.ndjson, P.csv, T.ndjson, T.csv: the rows of a partition, of a prefix or of
 * a table as lines (store/document). They are read as a stream, of one moment,
 * and take lines; their size is 0, as of files in /proc.
 */
#ifndef FS_KIND_ROWS_H
#define FS_KIND_ROWS_H
#include "fs/node/name.h"
#include "fs/op/place.h"
#include "store/document/line.h"

/* True for the suffix of such a document; *form is set. */
bool rows_form(enum name_suffix suffix, enum row_form *form);
/* Describe the document of the table of that name in a keyspace. -ENOENT. */
int rows_of_table(struct op *op, struct node *dir, struct bytes base,
		  enum row_form form, struct child *out);
/* Describe that of a partition or prefix, which the child is: as a name that
 * may be new. */
void rows_of_partition(struct op *op, const struct child *partition,
		       const struct table *t, enum row_form form,
		       struct child *out);
/* Release the past data of documents that are not being read: see
 * consoles_rest. */
void rows_rest(struct fs *fs, int64_t now_s);
#endif
