/* Pauses of writers, by the debt of compaction and the memory of memtables. */
#ifndef STORE_LSM_LSM_PACE_H
#define STORE_LSM_LSM_PACE_H
#include "store/lsm/lsm_internal.h"

/* No table has more files than this that wait to be merged, except those that
 * flushes under way add. */
#define LSM_MOST_WAITING 128

/* Sleep as long as a batch of this many bytes should. Without locks. */
void lsm_pace_slow(struct lsm *lsm, uint64_t len);
/* True if the batch must wait for flushes or compactions. */
bool lsm_pace_stops(const struct lsm *lsm, const struct batch *batch);
/* Wait until it need not. Returns the flush's error, should that fail; -EINTR
 * when the caller does not want to wait any more; -EROFS. Without locks. */
int lsm_pace_wait(struct lsm *lsm, const struct batch *batch);
#endif
