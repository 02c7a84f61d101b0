/* Replay of the log when a store is opened. */
#ifndef STORE_LSM_COMMITLOG_REPLAY_H
#define STORE_LSM_COMMITLOG_REPLAY_H
#include "store/lsm/commitlog_internal.h"

/* NULL is accepted. */
void replay_free(struct replay *p);
#endif
