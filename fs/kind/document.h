/*
 * Rows and collections as JSON: the contents of NAME.json. A value of many
 * cells is gathered into its whole form, and split again.
 */
#ifndef FS_KIND_DOCUMENT_H
#define FS_KIND_DOCUMENT_H
#include "fs/op/op.h"

/* Print the whole row with its key columns and statics, without a newline. */
int document_print_row(struct buf *out, const struct table *t,
		       const struct row_view *row,
		       const struct cell_view *statics, uint32_t static_count);
/* Find a column by a member's name, as INSERT JSON does; or NULL. */
const struct column *document_column(const struct table *t, struct bytes name);
/* Read the value of a member. -EINVAL with a reason. */
int document_value(struct op *op, const struct column *c, struct bytes json,
		   struct bytes *value);
/*
 * Describe the child of dir whose document is BASE.SUFFIX, existing or not. A
 * shortened base is that of an existing directory: its name or, so that the
 * suffix fits into 255 bytes, a shorter one (name_shorten_for). -ENOENT.
 */
int document_of(struct op *op, struct node *dir, struct bytes base,
		struct bytes name, struct child *out);
/* True if the directory is kept whose document has that name and value in dir. */
bool document_is_kept(struct op *op, struct node *dir, struct bytes name,
		      struct bytes value);
/* Remove the directory of document n, whose data is deleted: in both trees. */
void document_drop_directory(struct op *op, struct node *n);
#endif
