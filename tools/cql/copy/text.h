/* The text of values in the file, as the options have it. */
#ifndef TOOLS_CQL_COPY_TEXT_H
#define TOOLS_CQL_COPY_TEXT_H
#include "tools/cql/copy/copy.h"

/* Append a value that is not null as the options have it. */
void copy_print_text(struct buf *out, const struct copy *c,
		     const struct type *t, struct bytes value);
/* True if it is the text that copy_print_text writes for a value of no bytes,
 * as of an int. */
bool copy_is_empty_value(const struct type *t, struct bytes field);
/* Append the text that CQL takes for a field that was written so. */
void copy_plain_text(struct buf *out, const struct copy *c,
		     const struct type *t, struct bytes field);
#endif
