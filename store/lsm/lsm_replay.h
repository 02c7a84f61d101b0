/* Apply the log's batches to the memtables when a store is opened. */
#ifndef STORE_LSM_LSM_REPLAY_H
#define STORE_LSM_LSM_REPLAY_H
#include "store/lsm/lsm_internal.h"

/* Apply the operations of a batch, at that position of the log, on the first
 * tables at once. 0, -EUCLEAN (reported), -ENOMEM. */
int lsm_replay_first(struct lsm *lsm, uint64_t position, struct bytes batch);

/* The operations on the others, of which some wait to be applied in the order of
 * their keys. One thread. */
struct lsm_replay;
/* 0 or -ENOMEM. */
int lsm_replay_new(struct lsm_replay **out, struct lsm *lsm);
/* NULL is accepted. What waits is not applied. */
void lsm_replay_free(struct lsm_replay *p);
/* Take a batch, and keep the budget of memtables: the log ends after it now. 0,
 * -EUCLEAN (reported), -ENOMEM, errors of flushes that will not pass. */
int lsm_replay_add(struct lsm_replay *p, uint64_t position, struct bytes batch);
/* Apply all that waits. 0, -ENOMEM, -EUCLEAN. */
int lsm_replay_all(struct lsm_replay *p);
#endif
