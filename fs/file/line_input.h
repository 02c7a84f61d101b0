/* Files that take a line at a time: each is carried out as it is complete. */
#ifndef FS_FILE_LINE_INPUT_H
#define FS_FILE_LINE_INPUT_H
#include "fs/file/handle.h"

struct line_kind {
	size_t max_len;
	const char *bytes;	/* that a line may have; NULL: any */
	const char *refusal;	/* of a line that has others, or is longer */
	int (*run)(struct op *op, struct node *n, struct bytes line);
};
/*
 * Bytes of a write: complete lines are run in their order, what is behind the
 * last of them waits for more. The count taken, which ends after the last line
 * that was good; or, where there is none, its error.
 */
int64_t handle_write_lines(struct op *op, struct handle *h,
			   const struct line_kind *kind, struct bytes data);
/* What came without a newline: it is taken out first, so that it counts once
 * however often descriptors are closed. */
int handle_flush_line(struct op *op, struct handle *h,
		      const struct line_kind *kind);
#endif
