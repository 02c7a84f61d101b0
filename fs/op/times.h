/*
 * Attributes: times that were set beside the data, timestamps, and user.*.
 * Calls give 0 or -errno where nothing else is said; a struct write is the
 * caller's, and what is added to it takes effect with op_write.
 */
#ifndef FS_OP_TIMES_H
#define FS_OP_TIMES_H
#include "fs/op/op.h"

/* The time of a directory: as set, else fallback. */
int attr_directory_mtime(struct op *op, struct node *table,
			 const struct place *p, int64_t fallback_ns,
			 int64_t *mtime_ns);
/* Any time that was set for this child, in its place. */
int attr_child_times(struct op *op, struct node *table, const struct place *p,
		     struct child *c);
/* Has any object of the table one, of this kind? */
int attr_has_times(struct op *op, struct node *table,
		   const struct node_ops *ops);
/* The time of a cell: as set while it had this timestamp, else that. */
int attr_cell_mtime(struct op *op, struct node *table, const struct place *p,
		    int64_t timestamp_us, int64_t *mtime_ns);
/* In a write: the directory's time is now this. */
int attr_set_directory(struct op *op, struct write *w, struct node *table,
		       const struct place *p, int64_t mtime_ns);
/* Of the cell that has this timestamp. */
int attr_set_cell(struct op *op, struct write *w, struct node *table,
		  const struct place *p, int64_t timestamp_us,
		  int64_t mtime_ns);
/* Of the document in which that is the newest timestamp. */
int attr_set_document(struct op *op, struct write *w, struct node *table,
		      const struct place *p, int64_t timestamp_us,
		      int64_t mtime_ns);
/* What was set of an object (a partition key null: of the table) is set of one
 * in another table, where a cell keeps its timestamp. */
int attr_carry(struct op *op, struct write *w, const struct place *from,
	       const struct place *to);
/* A child of dir appears or goes with this write; what is above keeps its
 * time. */
int attr_touch(struct op *op, struct write *w, struct node *dir);
/* The same where nothing else is written. */
int attr_touch_alone(struct op *op, struct node *dir);
/* By op_write: what the write brought along is stored, or is not. */
void attr_written(struct op *op, bool done);
/* Behind a write that touched: its directory is there, without an end, and has
 * that time, which needs no look until the table changes. */
void op_know_touched(struct op *op);
/* utimensat on a directory or a document of a table. */
int attr_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
/*
 * With a write that changes values below dir and no names in it: it and the
 * directories above it, up to the table, keep their times, which may so far
 * come from what was written last.
 */
int attr_keep_times(struct op *op, struct write *w, struct node *dir);
/* A cell of the row appears with this write: its own time tells, unless
 * another was set. */
int attr_appear(struct op *op, struct write *w, struct node *row,
		const struct place *p);
/* Time and end of a row: the latest of its parts. */
int64_t row_mtime_ns(const struct row_view *row);
int64_t row_expires_s(const struct row_view *row);
/* A timestamp for a deletion of what has that one: later, or at the end of all
 * time the same, where a deletion wins. */
int64_t op_timestamp(struct op *op, int64_t replaced_us);
/* One for a value that replaces what has that one; spare: how many more below it
 * are to be later, too. -EPERM, explained, when nothing can be later. */
int op_later(struct op *op, int64_t replaced_us, int64_t spare, int64_t *at);
/* The same for a write, or a deletion, at that place, live or deleted as it is:
 * of the cell, the column or the row. */
int place_timestamp(struct op *op, const struct place *p, int64_t spare,
		    int64_t *at);
int place_deletion(struct op *op, const struct place *p, int64_t *at);

/* keyspace_times.c: times that were set above tables; tag: what for. */
enum { ABOVE_DIRECTORY = 'm', ABOVE_SCHEMA = 's' };
int above_get(struct op *op, struct bytes keyspace, uint8_t name, uint64_t tag,
	      int64_t *mtime_ns);
int above_set(struct op *op, struct bytes keyspace, uint8_t name, uint64_t tag,
	      int64_t mtime_ns);
/* Of the root or a keyspace. */
int above_set_mtime(struct op *op, struct node *dir, int64_t mtime_ns);
#endif
