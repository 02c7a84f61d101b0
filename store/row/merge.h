/*
 * Sources are kept in the order of their next entries, so that the next entry
 * of the merge is at the front. A yielded entry stays valid until the next
 * call, so its sources are advanced then; each goes to its new place, and
 * mostly that is the front again after one comparison.
 *
 * A bound of a source matters when it changes the strongest deletion in force
 * of all. Where a bound and a row have one key, the bound comes first.
 */
#ifndef STORE_ROW_MERGE_H
#define STORE_ROW_MERGE_H
#include "store/row/iterator.h"

/*
 * Merge sources (any order; taken over, closed with it, also on error) into
 * one. The merge yields each row once, merged and with the deletions in force
 * applied (covered data is left out, and so is a row of which nothing is left),
 * and each bound where the strongest deletion in force changes. With one source
 * it costs next to nothing more.
 */
int merge_open(struct iterator **out, struct iterator **sources, size_t count,
	       bool reverse);
#endif
