/* Compactions of one table, picked by its strategy. */
#ifndef STORE_LSM_LSM_COMPACT_H
#define STORE_LSM_LSM_COMPACT_H
#include "store/lsm/lsm_internal.h"

/* The worker's job: pick a compaction and run it, if one is due. */
void lsm_compaction_run(struct work *work);
/* Count the table's files that wait to be merged again. Takes lock. */
void lsm_count_debt(struct lsm *lsm, struct lsm_table *t);
/*
 * Write one file of the table again, without data that others delete or
 * overwrite, if it gets at most *size bytes: else -ERANGE. *size is the size
 * that it gets then, or would get (measure_only). -ESTALE when it is gone,
 * -EUCLEAN when it is damaged. REQUIRES compacting.
 */
int lsm_rewrite(struct lsm *lsm, struct lsm_table *t, uint64_t number,
		bool measure_only, uint64_t *size);
#endif
