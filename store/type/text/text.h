/* The text form of a value: of a native type, or of one with parts. */
#ifndef STORE_TYPE_TEXT_TEXT_H
#define STORE_TYPE_TEXT_TEXT_H
#include "store/type/type.h"

/*
 * Text form (fs/README.md, "Cells"; store/cql/README.md, "Values"). read takes
 * every literal that CQL takes for the type, without quotes, for frozen
 * collections, tuples, user types and vectors a JSON text or a CQL literal;
 * appends the bytes.
 * print appends the one canonical form, without a newline: for native types the
 * literal without quotes, else JSON. Both return 0, -EINVAL (error set) or
 * -ENOMEM is left to out->failed.
 */
int type_read_text(struct buf *out, const struct type *t, struct bytes text,
		   struct type_error *error);
void type_print_text(struct buf *out, const struct type *t, struct bytes value);
/*
 * False as soon as no text that begins with these bytes is taken by
 * type_read_text (so that write(2) refuses at once); true when in doubt.
 */
bool type_text_may_begin(const struct type *t, struct bytes text);
/* The length of type_print_text without printing (exact, cheap). */
size_t type_text_length(const struct type *t, struct bytes value);
#endif
