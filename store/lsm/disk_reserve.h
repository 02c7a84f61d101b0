/* A full disk: the reserves, and what may use them. */
#ifndef STORE_LSM_DISK_RESERVE_H
#define STORE_LSM_DISK_RESERVE_H
#include "store/lsm/lsm_internal.h"

/* Remove the log's reserve that an earlier run left. */
void lsm_reserve_begin(struct lsm *lsm);
/* Give the reserves the size they need when the log gets `more` bytes. 0, or
 * the error that prevents it. */
int lsm_reserve_keep(struct lsm *lsm, uint64_t more);
/* Give back what the reserve for sstables has and does not need any more. */
void lsm_reserve_shrink(struct lsm *lsm);
/* True if the reserves are too small for `more` bytes, as far as known. */
bool lsm_reserve_is_short(struct lsm *lsm, uint64_t more);
/*
 * Release the reserve for sstables and the manifest. False: it was gone
 * already. True: call lsm_reserve_end when its room has been taken. Until then
 * nobody makes the reserve again: a writer that looks for room while a flush
 * writes would take it from the flush, and both find the disk full for good.
 */
bool lsm_reserve_spend(struct lsm *lsm);
void lsm_reserve_end(struct lsm *lsm);
/* Make sure that a compaction finds need bytes, from the reserve if there is no
 * other room. Until they are taken back nobody fills the reserve again.
 * -ENOSPC. */
int lsm_reserve_lend(struct lsm *lsm, uint64_t need);
void lsm_reserve_take_back(struct lsm *lsm);
/* Return the largest size at which a file can be rewritten on a full disk. */
uint64_t lsm_file_size(struct lsm *lsm);
/* True if the batch may use the room that is held back. */
bool lsm_frees_room(const struct batch *batch);
/* Freeze and write all memtables, and release the log before them; on a full
 * disk down to the last segment. Without locks, as the next. */
int lsm_flush_all(struct lsm *lsm, bool full);
/* The same, for a writer that found the disk full. -ENOSPC at once where it is
 * tried in the background already. */
int lsm_make_room(struct lsm *lsm);
#endif
