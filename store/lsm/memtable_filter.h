/*
 * The keys that a memtable may have: a Bloom filter that grows, with one writer
 * and readers without locks, so that most point reads need not search a tree.
 *
 * A reader that first reads something that the writer published (with release)
 * after an addition finds that key here.
 */
#ifndef STORE_LSM_MEMTABLE_FILTER_H
#define STORE_LSM_MEMTABLE_FILTER_H
#include "store/lsm/memtable_tree.h"

struct filter_lines;
struct memtable_filter {
	struct filter_lines *_Atomic lines;	/* NULL: few keys, no filter */
};

/* False: the key is certainly not there. */
bool filter_may_contain(const struct memtable_filter *f, struct bytes key);
/*
 * Add a key, for the writer: the tree's count-th. The filter's memory comes
 * from the arena. 0 or -ENOMEM, with nothing changed.
 */
int filter_add(struct memtable_filter *f, const struct tree *t, uint64_t count,
	       struct bytes key, struct arena *arena);
#endif
