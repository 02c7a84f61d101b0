/* Opening an engine. */
#ifndef STORE_LSM_LSM_RECOVER_H
#define STORE_LSM_LSM_RECOVER_H
#include "store/lsm/lsm_internal.h"

/* Recover, before the engine is used: load the manifest, replay the log, remove
 * files that nothing names. 0, -EUCLEAN or another -errno. */
int lsm_recover(struct lsm *lsm);
/* Store where the log ends, which is synced, for the next open. A failure does
 * no harm: only a log that lost its end is judged more leniently. */
void lsm_note_log_end(struct lsm *lsm);
#endif
