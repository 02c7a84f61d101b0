/*
 * Automatic snapshots: of a table before its rows are removed, of everything
 * before a restore, named WHAT-ms-NAME, where those of one change have one
 * WHAT-ms and one time. Each acknowledged write is in the snapshot, or came after
 * the change: the snapshot is taken in two steps, of which the second takes the
 * writers' lock and holds it until the change is made.
 *
 *	snapshot_automatic_table(), _all()	what is to be kept
 *	snapshot_automatic_prepare()		flush, while writing goes on
 *	(lock publish) snapshot_automatic_take()
 *	(make the change, unlock publish) snapshot_automatic_end()
 *
 * One thread, which holds ddl all the time. A snapshot that fails is reported
 * in the log, and the change is made; only an interrupted one ends the change.
 */
#ifndef STORE_SNAPSHOT_AUTOMATIC_H
#define STORE_SNAPSHOT_AUTOMATIC_H
#include "store/lsm/manifest.h"
#include "store/store.h"

struct automatic_one;
struct snapshot_automatic {
	struct store *store;
	uid_t owner;			/* whose request the change is */
	struct automatic_one *ones;
	size_t count, room;
	int64_t ms;			/* of the names; 0: not chosen yet */
	struct manifest_snapshot *list;	/* as taken */
};
#define SNAPSHOT_AUTOMATIC_INIT(s, uid) ((struct snapshot_automatic){         \
	.store = (s), .owner = (uid) })

/* Keep the table, unless its options forbid it, or the disk is full. It is kept
 * only if it has rows. REQUIRES ddl. */
void snapshot_automatic_table(struct snapshot_automatic *a,
			      const struct table *t, const char *what);
/* Keep the tables that the next version of the schema drops (neither number nor
 * name is left), and those that lose columns. REQUIRES ddl. */
void snapshot_automatic_dropped(struct snapshot_automatic *a,
				const struct schema *next);
/* Keep everything, before a restore. REQUIRES ddl. */
void snapshot_automatic_all(struct snapshot_automatic *a);
/* Flush what is to be kept. 0, or -EINTR: the caller does not wait any more.
 * REQUIRES ddl; publish is not held. */
int snapshot_automatic_prepare(struct snapshot_automatic *a);
/* Flush what was written since, and take the snapshots, durably, by one edit of
 * the manifest. 0 or -EINTR. REQUIRES ddl, and publish exclusively. */
int snapshot_automatic_take(struct snapshot_automatic *a);
/* Give up the oldest where there are too many now; release. REQUIRES ddl;
 * publish is not held. */
void snapshot_automatic_end(struct snapshot_automatic *a);
#endif
