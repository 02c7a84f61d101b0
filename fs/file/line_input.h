/* Files that take lines: each is executed when it is complete. */
#ifndef FS_FILE_LINE_INPUT_H
#define FS_FILE_LINE_INPUT_H
#include "fs/file/handle.h"

struct line_kind {
	size_t max_len;
	int (*run)(struct op *op, struct node *n, struct bytes line);
};
/*
 * Take bytes of a write: complete lines are run in their order, bytes after the
 * last of them wait for more. Returns the count taken, which ends after the
 * last good line; or, if there is none, its error.
 */
int64_t line_input_write(struct op *op, struct handle *h,
			 const struct line_kind *kind, struct bytes data);
/* Run the bytes that came without a newline: they are taken out first, so that
 * they count once however often descriptors are closed. */
int line_input_flush(struct op *op, struct handle *h,
		     const struct line_kind *kind);
#endif
