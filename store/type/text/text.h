/* The text form of a value: of a native type, or of one with parts. */
#ifndef STORE_TYPE_TEXT_TEXT_H
#define STORE_TYPE_TEXT_TEXT_H
#include "store/type/type.h"

/*
 * Read and print the text form (fs/README.md, "Cells"; store/cql/README.md,
 * "Values"). read takes every literal that CQL takes for a native type, without
 * quotes, and numbers as Java writes them, too (+1, .5, 0x1p3); for frozen collections, tuples, user types and vectors a JSON text or
 * a CQL literal. It appends the value's bytes, and returns 0 or -EINVAL (error
 * is set). print appends the one canonical form, without a newline: for native
 * types the literal without quotes, else JSON. Lack of memory is left to
 * out->failed.
 */
int type_read_text(struct buf *out, const struct type *t, struct bytes text,
		   struct type_error *error);
void type_print_text(struct buf *out, const struct type *t, struct bytes value);
/* As type_read_text, but a number is taken as CQL writes it alone; inside JSON's
 * quotes as fromJson takes it. */
int type_read_literal(struct buf *out, const struct type *t, struct bytes text,
		      struct type_error *error);
/*
 * False if type_read_literal takes no text that begins with these bytes, so that
 * write(2) refuses at once; true when in doubt.
 */
bool type_text_may_begin(const struct type *t, struct bytes text);
/* Return the exact length of type_print_text, without printing. */
size_t type_text_length(const struct type *t, struct bytes value);
#endif
