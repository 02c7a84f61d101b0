/* Reads values as cqlsh writes them. */
#ifndef TOOLS_CQL_COPY_VALUE_H
#define TOOLS_CQL_COPY_VALUE_H
#include "store/type/type.h"

/*
 * Append the binary form of a field: a literal, or a compound value as cqlsh
 * writes it. null: the text that means null inside. As type_read_text.
 */
int copy_read_value(struct buf *out, const struct type *t, struct bytes text,
		    struct bytes null, struct type_error *error);
#endif
