/*
 * Walking over an sstable in both directions. Forward is the blocks' own order.
 * Backward, the entries between two restarts are put together at once (keys
 * need the ones before them) and returned from the last to the first.
 */
#ifndef STORE_SSTABLE_ITERATE_H
#define STORE_SSTABLE_ITERATE_H
#include "store/sstable/sstable.h"

/* Iterate over all entries; the iterator holds a reference. no_cache: blocks
 * that are read are not put into the cache (compaction). 0 or -ENOMEM. */
int sstable_iterate(struct iterator **out, struct sstable *t, bool reverse,
		    bool no_cache);
/*
 * The same over a sorted run: `count` (1 or more) sstables that do not overlap, in
 * key order, of which the one at hand is read alone. Such are the results of a
 * compaction that were cut by size, and the levels of a leveled table. No deletion
 * is in force between two of them: each closes its own.
 */
int sstable_iterate_run(struct iterator **out, struct sstable *const *files,
			size_t count, bool reverse, bool no_cache);
#endif
