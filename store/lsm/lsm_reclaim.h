/* Files rewritten alone on a full disk, without the data that was deleted. */
#ifndef STORE_LSM_LSM_RECLAIM_H
#define STORE_LSM_LSM_RECLAIM_H
#include "store/lsm/lsm_internal.h"

/* True if something of f may be deleted or overwritten by something of t, which
 * can be read. */
bool lsm_may_shadow(const struct sstable *t, const struct sstable *f);
/* Ask for lsm_reclaim: the disk is full. */
void lsm_want_room(struct lsm *lsm);
/* Gain room from deleted data, if wanted. 0 or an error that ends writing.
 * REQUIRES compacting, no other lock. */
int lsm_reclaim(struct lsm *lsm);
#endif
