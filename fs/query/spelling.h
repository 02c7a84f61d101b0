/*
 * The one spelling of values and columns in a query's name: as names, with those
 * bytes escaped too that would divide a term. Pure functions; no memory:
 * out->failed.
 */
#ifndef FS_QUERY_SPELLING_H
#define FS_QUERY_SPELLING_H
#include <stdbool.h>

#include "store/base/bytes.h"

/* Append the spelling of a value's canonical text, of a pattern or of the name
 * of an entry. before_dots: it is the begin of a range, and ".." follows. */
void spelling_value(struct buf *out, struct bytes text, bool before_dots);
/* Append the spelling of a column. before_equal: '=' follows, so that a column
 * whose name is a word of queries (limit, after, token, cols) has its first byte
 * escaped. */
void spelling_column(struct buf *out, struct bytes name, bool before_equal);
#endif
