/* Documents of rows, read: see rows_read.c. Calls have the handle's lock, but
 * for rows_read, which takes it. */
#ifndef FS_KIND_ROWS_READ_H
#define FS_KIND_ROWS_READ_H
#include "fs/kind/rows_state.h"

/* file_kind.read */
int rows_read(struct op *op, struct handle *h, uint64_t offset, size_t size,
	      struct buf *out);
/* Give up what reading holds. */
void rows_read_end(struct fs *fs, struct rows *r);
/* True if the document has any line: 1, 0, -errno. */
int rows_exist(struct op *op, struct node *n);
#endif
