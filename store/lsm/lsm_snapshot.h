/*
 * Snapshots: named moments of all tables or of some, kept in the manifest
 * (manifest_step.h), and read through an engine of their own that never
 * changes. Any thread.
 */
#ifndef STORE_LSM_LSM_SNAPSHOT_H
#define STORE_LSM_LSM_SNAPSHOT_H
#include "store/lsm/lsm.h"
#include "store/lsm/manifest.h"

/*
 * Take snapshots of what the sstables have, durably by one edit, and set their
 * numbers: all or none. The caller has flushed their tables, lets nobody write
 * meanwhile, and gives each another name. -EAGAIN: some data is in memory alone;
 * -EEXIST: a name is taken; or an error as of lsm_property_set.
 */
int lsm_snapshot_add(struct lsm *lsm, struct manifest_snapshot *list,
		     size_t count);
/* Forget the snapshot, and remove the files that it alone has: at the last
 * close of who reads them. Works on a full disk. -ENOENT. */
int lsm_snapshot_remove(struct lsm *lsm, uint64_t number);
/*
 * Remove automatic ones until they are of at most `most` changes: always those of
 * the oldest change of the owner who has the most changes, the older one of two
 * who have as many. Those that are held stay. Those of one change have one time.
 * Each is removed by an edit of its own: after a crash the rest goes with the next
 * change. 0, -errno; *any says whether one was removed.
 */
int lsm_snapshot_give_up(struct lsm *lsm, size_t most, bool *any);
/*
 * Hold the snapshot of that number while it is restored: it is not given up. h is
 * the caller's until lsm_snapshot_unhold.
 */
struct lsm_snapshot_hold {
	uint64_t number;
	struct lsm_snapshot_hold *next;
};
void lsm_snapshot_hold(struct lsm *lsm, struct lsm_snapshot_hold *h,
		       uint64_t number);
void lsm_snapshot_unhold(struct lsm *lsm, struct lsm_snapshot_hold *h);
/* List them, the oldest first; mem_free. 0 or -ENOMEM. */
int lsm_snapshot_list(struct lsm *lsm, struct manifest_snapshot **list,
		      size_t *count);
/* Compute the bytes that the snapshot alone holds. 0, -ENOENT, -ENOMEM. */
int lsm_snapshot_held(struct lsm *lsm, uint64_t number, uint64_t *bytes);

/*
 * Open a snapshot to read: *view is an engine, read-only, without a log, for
 * lsm_table_set, lsm_table_list, lsm_table_stats, lsm_get and lsm_iterate. It
 * must be closed before lsm is. Its files stay until then, also when the
 * snapshot is removed. -ENOENT, -EUCLEAN, -errno.
 */
int lsm_snapshot_open(struct lsm **view, struct lsm *lsm, uint64_t number);
/* NULL is accepted. */
void lsm_snapshot_close(struct lsm *view);

/* The table `to`, which nobody writes yet, gets the files that `from` has in
 * the snapshot. */
struct lsm_adoption {
	uint32_t from, to;
};
/* Do it for all of them by one durable edit, while view, of the snapshot of
 * that number, is open. -ENOENT: it was removed. */
int lsm_snapshot_adopt(struct lsm *lsm, uint64_t number,
		       const struct lsm_adoption *tables, size_t count);
#endif
