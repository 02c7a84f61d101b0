/* Flushes: memtables frozen, and written as sstables. */
#ifndef STORE_LSM_LSM_FLUSH_H
#define STORE_LSM_LSM_FLUSH_H
#include "store/lsm/lsm_internal.h"

/* Return the i-th table, or NULL: tables are never freed while the lsm is
 * open. */
struct lsm_table *lsm_table_at(struct lsm *lsm, size_t i);
/* Write the frozen memtables of one table, or of all (NULL). */
int lsm_flush_frozen(struct lsm *lsm, struct lsm_table *only);
void lsm_flush_run(struct work *work);
/* Flush soon: something was deleted on a full disk. */
void lsm_flush_later(struct lsm *lsm);
/* Flush at once: there is room, where the last flush found none. */
void lsm_flush_again(struct lsm *lsm);
/* True for errors that may pass and are no failure of the disk. */
bool lsm_is_passing(int err);
#endif
