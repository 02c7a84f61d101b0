/* Writers of the log and of memtables. */
#ifndef STORE_LSM_LSM_WRITE_H
#define STORE_LSM_LSM_WRITE_H
#include "store/lsm/lsm_internal.h"

/* Make the active memtable of t a frozen one. REQUIRES write. */
int lsm_freeze(struct lsm *lsm, struct lsm_table *t);
/* The same of all tables. Takes write. */
int lsm_freeze_all(struct lsm *lsm);
/* Return where the log must begin for data that no sstable has yet; frozen
 * memtables of `flushed` up to that mark do not count. */
uint64_t lsm_log_begin(struct lsm *lsm, const struct lsm_table *flushed,
		       uint64_t flushed_mark);
/* True if other threads flush and compact. */
bool lsm_has_threads(const struct lsm *lsm);
#endif
