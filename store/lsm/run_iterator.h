/*
 * Walking over a sorted run: sstables that do not overlap, in key order. Such
 * are the results of a compaction that were cut by size, and the levels of a
 * leveled table. To a merge they are one source, and only the file at hand is
 * read. No deletion is in force between two files: each closes its own.
 */
#ifndef STORE_LSM_RUN_ITERATOR_H
#define STORE_LSM_RUN_ITERATOR_H
#include "store/row/iterator.h"
#include "store/sstable/sstable.h"

/* Iterate over `count` (1 or more) files; the iterator takes a reference to
 * each. 0 or -ENOMEM. */
int run_iterate(struct iterator **out, struct sstable *const *files,
		size_t count, bool reverse);
#endif
