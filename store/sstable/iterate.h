/*
 * Walking over an sstable in both directions. Forward is the blocks' own order.
 * Backward, the entries between two restarts are put together at once (keys
 * need the ones before them) and returned from the last to the first.
 */
#ifndef STORE_SSTABLE_ITERATE_H
#define STORE_SSTABLE_ITERATE_H
#include "store/sstable/sstable.h"

/* Iterate over all entries; the iterator holds a reference. no_cache: blocks
 * that are read are not put into the cache (compaction). */
int sstable_iterate(struct iterator **out, struct sstable *t, bool reverse,
		    bool no_cache);
#endif
