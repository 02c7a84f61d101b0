/* Give back the room of a store that nobody writes to. */
#ifndef STORE_LSM_LSM_IDLE_H
#define STORE_LSM_LSM_IDLE_H
#include "store/lsm/lsm_internal.h"

/* Look whether the store is idle, and then add idle_work. By the log thread
 * alone. */
void lsm_idle_look(struct lsm *lsm);
/*
 * idle_work: flush what a log of more than one small segment holds and leave one
 * such segment; then shrink the reserve. Nothing is done on a full disk. What is
 * written meanwhile keeps its segment. Without locks. An error is treated as
 * that of a flush in the background.
 */
void lsm_idle_run(struct work *work);
/* Give back at once the log's segments, if they hold nothing, and the reserve
 * that is not needed. Nothing is flushed. Without locks; errors as above. */
void lsm_idle_shrink(struct lsm *lsm);
#endif
