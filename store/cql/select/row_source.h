/* The rows of a SELECT, from one cursor or merged from several. */
#ifndef STORE_CQL_SELECT_ROW_SOURCE_H
#define STORE_CQL_SELECT_ROW_SOURCE_H
#include "store/cql/select/select.h"

/* Open the cursors of a planned SELECT. 0, what refuse() returns, or -errno. */
int source_open(struct select_state *s);
/* Compare by the ith column of ORDER BY, in its direction. */
int row_source_compare(const struct select_state *s, uint32_t i, struct bytes a,
		       struct bytes b);
/* Read the next row: 1 with *view, 0, -errno. */
int source_next(struct select_state *s, struct row_view *view);
/* Go past the other rows of the last row's partition: 0 or -errno. No effect
 * on several cursors. */
int source_skip_partition(struct select_state *s);
/* Refuse a read of too many tombstones; warn of many at its end. */
int source_check_tombstones(struct select_state *s, bool ended);
/* Close the cursors, and add to the trace what they read. */
void source_close(struct select_state *s);
#endif
