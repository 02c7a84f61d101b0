/*
 * Names that waited for schema.cql (waiting.h) are made anew in the table: a
 * directory under its name, a file as the cell of its name.
 */
#ifndef FS_KIND_WAITING_MOVE_H
#define FS_KIND_WAITING_MOVE_H
#include "fs/op/op.h"

/* The end of the names of files that have no place. */
#define WAITING_ASIDE ".rej"

/*
 * Move all that waits in the node of a table that was replaced to the table that
 * took its place, which may have another name by now (NULL: it is gone, too);
 * nothing, if it was not replaced. A file that fits nowhere stays in memory as
 * NAME.rej, and is named in the errors. op->arena is cleared.
 */
void waiting_move_table(struct op *op, struct node *from,
			const struct table *now);
/* At the unmount, when nobody calls any more: name in the log the files that are
 * still aside, with their sizes. They are gone then. */
void waiting_tell_lost(struct fs *fs);
/* Find the directory of that name in dir, or make it: a reference in *out. 0 or
 * -errno. */
int waiting_make(struct op *op, struct node *dir, struct bytes name,
		 struct node **out);
#endif
