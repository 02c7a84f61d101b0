/*
 * Scans of what was deleted, before readers come: when many rows in a row of
 * one partition were deleted, a thread of the worker finds out where the next
 * live one is (dead_rows.h). So even the first reader of a queue's head, and
 * the first after a restart, finds it at once. Of sstables it is not known where
 * their tombstones are: after a restart those are found with which one begins.
 *
 * Threads: under the write lock, or where nobody else has the engine.
 */
#ifndef STORE_LSM_DEAD_SWEEP_H
#define STORE_LSM_DEAD_SWEEP_H
#include "store/lsm/lsm_internal.h"

struct dead_hints;
/* NULL is accepted. */
void dead_hints_free(struct dead_hints *hints);
/*
 * Note an operation on the table that deletes a row; others are passed. Without
 * memory nothing is noted. Asks for a sweep, once the worker is there.
 */
void dead_hints_add(struct lsm *lsm, struct lsm_table *t,
		    const struct batch_op *op);
/* Ask for sweeps from the beginning of the sstables that have as many tombstones:
 * when the engine starts. */
void dead_hints_begin(struct lsm *lsm);
/* sweep_work: scan what was asked for. */
void dead_sweep_run(struct work *work);
#endif
