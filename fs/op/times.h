/*
 * Attributes: times that were set beside the data, timestamps, and user.*.
 * Calls return 0 or -errno if nothing else is said; a struct write is the
 * caller's, and additions to it take effect with op_write.
 */
#ifndef FS_OP_TIMES_H
#define FS_OP_TIMES_H
#include "fs/op/op.h"

struct place;

/* Set owner, group and mode, those of all objects in a table. */
void times_child_owner(struct child *c, const struct table *t);
void times_child_stat(const struct child *c, uint64_t ino, struct stat *out);
/* Set c's time to one that was set for this child, if any. */
int times_of_child(struct op *op, struct node *table, const struct place *p,
		   struct child *c);
/* Return the name of the attribute with the times of the table's directories, for
 * struct query; 0: none is stored; -errno. */
int times_attribute(struct op *op, struct node *table);
/* Set c's time to what a query read of it, unless that is empty. */
void times_of_listed(struct child *c, struct bytes attribute);
/* Look up whether any object of the table has one, of this kind. */
int times_exist(struct op *op, struct node *table, const struct node_ops *ops);
/* Return the time of a cell: as set while it had this timestamp, else the
 * timestamp. */
int times_cell_mtime(struct op *op, struct node *table, const struct place *p,
		     int64_t timestamp_us, int64_t *mtime_ns);
/* Look up whether the time of the directory is stored: 1, 0, -errno. */
int times_are_set(struct op *op, struct node *table, const struct place *p);
/* Set the directory's time to this, in a write. */
int times_set_directory(struct op *op, struct write *w, struct node *table,
			const struct place *p, int64_t mtime_ns);
/* Set it to now; only: if a time is stored. */
int times_move_directory(struct op *op, struct write *w, struct node *table,
			 const struct place *p, bool only);
/* Set the time of a table that was truncated to now, in a write; p: its place.
 * Where no times are known to have been stored in it, statements go on without
 * them. */
int times_set_truncated(struct op *op, struct write *w, struct node *table,
			const struct place *p);
/* Set the time of the cell that has this timestamp. */
int times_set_cell(struct op *op, struct write *w, struct node *table,
		   const struct place *p, int64_t timestamp_us,
		   int64_t mtime_ns);
/* Set the time of the document in which that is the newest timestamp. */
int times_set_document(struct op *op, struct write *w, struct node *table,
		       const struct place *p, int64_t timestamp_us,
		       int64_t mtime_ns);
/* Copy the times that were set for an object (a partition key null: for the
 * table) to one in another table, where a cell keeps its timestamp. */
int times_carry(struct op *op, struct write *w, const struct place *from,
		const struct place *to);
/* Called by op_write: what the write has of times is stored, or not; its state
 * (write_watch). */
void times_written(struct op *op, bool done, uint64_t state);
/* Do utimensat on a directory or a document of a table. */
int times_set_mtime(struct op *op, struct node *n, int64_t mtime_ns);
/* Return time and end of a row: the latest of its parts. */
int64_t times_row_mtime_ns(const struct row_view *row);
int64_t times_row_expires_s(const struct row_view *row);
/* Return the second in which the first of its parts ends, or NO_TIME. */
int64_t times_row_changes_s(const struct row_view *row);
/* Return the second until which the attributes stay as they are, but for
 * changes; or NO_TIME. */
int64_t times_child_changes_s(const struct child *c);
/* Return a timestamp to delete data with that one: later or, at the largest
 * timestamp, the same, where a deletion wins. */
int64_t op_timestamp(struct op *op, int64_t replaced_us);
/* Return one for a value that replaces data with that one; spare: the number of
 * timestamps below it that must be later, too. -EPERM, explained, when nothing
 * can be later. */
int op_later(struct op *op, int64_t replaced_us, int64_t spare, int64_t *at);
/* Check that op_later would give one: it takes none. */
int op_check_later(struct op *op, int64_t replaced_us, int64_t spare);
/* Return the newest timestamp of a value or a deletion there; or NO_TIMESTAMP. */
int times_place_newest(struct op *op, const struct place *p, int64_t *newest);
/* As op_later for a write, or a deletion, at that place, live or deleted as it is:
 * of the cell, the column or the row. */
int times_place_timestamp(struct op *op, const struct place *p, int64_t spare,
			  int64_t *at);
/* Check that times_place_timestamp would give one now: it takes none. */
int times_check_place(struct op *op, const struct place *p, int64_t spare);
int times_place_deletion(struct op *op, const struct place *p, int64_t *at);
#endif
