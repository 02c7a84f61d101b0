/* Choose among several versions of a cell, a marker or a row. */
#ifndef STORE_ROW_RECONCILE_H
#define STORE_ROW_RECONCILE_H
#include "store/row/row.h"

/* Return the stronger one: later timestamp, then later local time. */
struct deletion reconcile_deletion_max(struct deletion a, struct deletion b);
/* Add what the row has to the statistics. */
void row_add_stats(struct row_stats *stats, const struct row *row);
/*
 * Decide which of two versions of a cell wins. store/README.md,
 * "Reconciliation", has the rules. >0: a, <0: b, 0: they are equal.
 * Commutative, associative and idempotent when used to keep the winner. Of
 * counter cells, which are totals, the later timestamp wins, then the larger
 * total.
 */
int reconcile_cell(const struct cell *a, const struct cell *b);
int reconcile_marker(const struct marker *a, const struct marker *b);
/*
 * Merge versions of one row: the winner of each cell, minus what the row's own
 * and column deletions and `covering` (partition or range) shadow. Cells that
 * are merely expired stay as they are. The result's array comes from arena,
 * its slices from the inputs. 0 or -ENOMEM.
 */
int row_merge(struct row *out, struct arena *arena, const struct row *const *rows,
	      size_t count, struct deletion covering);
/*
 * Take from row all that is shadowed or overwritten by another version of it
 * (ROW_NONE: there is none) and by `covering`. The rest, merged with these, is
 * the same as row merged with them. The cells stay in their array. Returns
 * false if nothing was taken.
 */
bool row_subtract(struct row *row, const struct row *by,
		  struct deletion covering);
/*
 * Drop what a compaction may drop: expired cells become tombstones; tombstones
 * and deletions made before gc_before (local time) with timestamp <
 * purge_before go. *keep is false when nothing is left of the row, or only
 * cells that record how its key was written, and no older version of the row
 * can need them.
 */
void row_purge(struct row *row, int64_t now, int64_t gc_before,
	       int64_t purge_before, bool *keep);
#endif
