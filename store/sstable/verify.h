/*
 * Check a whole sstable: every block against its checksum, every entry against
 * its neighbours, the index, the filters and the statistics.
 */
#ifndef STORE_SSTABLE_VERIFY_H
#define STORE_SSTABLE_VERIFY_H
#include "store/sstable/sstable.h"

/* Read and check every block, key order, counts: 0, or -EUCLEAN (reported). */
int sstable_verify(struct sstable *t);
#endif
