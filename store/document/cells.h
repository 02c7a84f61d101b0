/*
 * The cells of one column as one value, and back: what documents show of a
 * collection or a user type that is not frozen. Any thread.
 */
#ifndef STORE_DOCUMENT_CELLS_H
#define STORE_DOCUMENT_CELLS_H
#include "store/table/table.h"

/*
 * Return in *value the whole form of the cells of one column (count of them, in
 * order; at least 1). A simple column's is the cell's own, others are built in
 * room, which is cleared. 0, -ENOMEM.
 */
int cells_gather(struct bytes *value, struct buf *room, const struct column *c,
		 const struct cell_view *cells, size_t count);
/* Append the JSON of one column from its cells. 0, -ENOMEM. */
int cells_print_json(struct buf *out, const struct column *c,
		     const struct cell_view *cells, size_t count);
/*
 * Write one column of the row begun in w: value is the whole form, null
 * deletes. add: a collection's elements are added to what is there; else it is
 * replaced, with a deletion one microsecond older. 0, -EUCLEAN.
 */
int cells_write(struct write *w, const struct column *c, struct bytes value,
		int64_t timestamp_us, int32_t ttl_s, bool add);
/*
 * See what a document's total does to a counter of that row (clustering NULL: of
 * the statics): 1, it is to be written, as there is none, or (null) deleted; 0,
 * it stays. -EINVAL with w->refusal: it is empty, or there is another total, as
 * no document says how much is to be added.
 */
int cells_check_total(struct write *w, const struct table *t,
		      struct bytes partition_key, const struct bytes *clustering,
		      const struct column *c, struct bytes value);
/* Write the total that is to be written into the row begun in w, whose partition
 * is locked. 0 or -errno. */
int cells_write_total(struct write *w, const struct column *c,
		      struct bytes value, int64_t timestamp_us);
#endif
