/*
 * One source without what another shadows. Both are walked side by side; the
 * other is sought where it has many entries that concern nothing of the first.
 *
 * A deletion of the first is in force as far as none of the other is as strong:
 * so it may end and begin at bounds of either.
 */
#ifndef STORE_ROW_SHADOW_H
#define STORE_ROW_SHADOW_H
#include "store/row/iterator.h"

/*
 * Iterate over the data of `it` that `by` neither deletes nor overwrites
 * (merges both, forward; taken over, closed with it, also on error). Merged
 * with `by` the result is the same as `it` merged with `by`. In place of some
 * entries that are left out it yields rows without contents (null), so that the
 * caller gets control now and then; it skips them.
 */
int shadow_open(struct iterator **out, struct iterator *it,
		struct iterator *by);
#endif
