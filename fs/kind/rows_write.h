/* Documents of rows, written: see rows_write.c. Calls have the handle's lock,
 * but for rows_write, which takes it. */
#ifndef FS_KIND_ROWS_WRITE_H
#define FS_KIND_ROWS_WRITE_H
#include "fs/kind/rows_state.h"

/* file_kind.write */
int64_t rows_write(struct op *op, struct handle *h, uint64_t offset,
		   struct bytes data);
/* Apply the line that came without its newline. 0, -errno. */
int rows_write_rest(struct op *op, struct handle *h, struct rows *r);
/* Give up what writing holds. */
void rows_write_end(struct fs *fs, struct rows *r);
#endif
