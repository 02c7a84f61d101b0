/*
 * Times of directories beside a write by path: those of the directories that list
 * what it makes or removes move, all others stay. Calls return 0 or -errno;
 * additions to a struct write take effect with op_write.
 */
#ifndef FS_OP_TIMES_KEEP_H
#define FS_OP_TIMES_KEEP_H
#include "fs/op/op.h"

struct place;

/* Note that a child of dir appears or is removed with this write; the
 * directories above keep their time. */
int times_touch(struct op *op, struct write *w, struct node *dir);
/* The same in a write of its own. */
int times_touch_alone(struct op *op, struct node *dir);
/* The same for the directory *made that mkdir makes in dir: if it has a place its
 * time is set to made->mtime_ns, which is all that the store has of it. */
int times_make_alone(struct op *op, struct node *dir, const struct child *made);
/* Note that the document of the row p, in dir, is written: a new row is touched
 * for as a child, and in a row that is there values change. */
int times_row_written(struct op *op, struct write *w, struct node *dir,
		      const struct place *p);
/*
 * Keep the times of dir and of the directories above it, up to the table, with
 * a write at p, in dir, that changes values and no names: so far their times may
 * come from the last write.
 */
int times_keep(struct op *op, struct write *w, struct node *dir,
	       const struct place *p);
/* Note that a cell of the row appears with this write: its own time counts,
 * unless another was set. */
int times_appear(struct op *op, struct write *w, struct node *row,
		 const struct place *p);
/* Called when the write is done, by times_written: what is known of the
 * directories that were kept is known in this state (write_watch), too. 0: it is
 * not. */
void times_kept(struct op *op, uint64_t state);
#endif
