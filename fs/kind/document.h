/*
 * Rows and collections as JSON: the contents of NAME.json. A value of many
 * cells is gathered into its whole form, and split again.
 */
#ifndef FS_KIND_DOCUMENT_H
#define FS_KIND_DOCUMENT_H
#include "fs/op/op.h"

/* Print the JSON of one column from its cells (count of them, in order). */
int document_print_column(struct buf *out, const struct column *c,
			  const struct cell_view *cells, size_t count);
/* Print the whole row with its key columns and statics, without a newline. */
int document_print_row(struct buf *out, const struct table *t,
		       const struct row_view *row,
		       const struct cell_view *statics, size_t static_count);
/*
 * Write one column of the row begun in w: value is the whole form, null
 * deletes. add: a collection's elements are added to what is there.
 */
int document_write_column(struct write *w, const struct column *c,
			  struct bytes value, int64_t timestamp_us,
			  int32_t ttl_s, bool add);
/* Find a column by a member's name, as INSERT JSON does; or NULL. */
const struct column *document_column(struct op *op, const struct table *t,
				     struct bytes name);
/* Replace the words of Cassandra's library in a refusal of JSON. */
void document_say_plainly(struct type_error *error);
/* Read the value of a member. -EINVAL with a reason. */
int document_value(struct op *op, const struct column *c, struct bytes json,
		   struct bytes *value);
#endif
