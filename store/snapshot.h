/*
 * Snapshots of a store: named moments of all that it has, or of one table, which
 * stay as they are until they are dropped. lsm/manifest_step.h says how they are
 * kept. TRUNCATE, DROP, ALTER TABLE that drops a column, and a restore make
 * automatic ones (snapshot_automatic.h): one for each table, or for everything.
 * These are given up, all of them, when the disk is full; and when they are of
 * more than SNAPSHOT_AUTOMATIC changes, the oldest of the user whose requests have
 * made the most of these: so nobody's requests push out what others' have made.
 * Any thread.
 */
#ifndef STORE_SNAPSHOT_H
#define STORE_SNAPSHOT_H
#include "store/lsm/manifest.h"
#include "store/store.h"

#define SNAPSHOT_AUTOMATIC 64

/*
 * True if a snapshot may have this name, which is that of its directory: 1 to
 * 255 bytes, without "/" and control bytes, not beginning with "." or "@", not
 * ending in a document's suffix; "%" only where it escapes one of these.
 */
bool snapshot_name_is_valid(struct bytes name);

/* Take a snapshot of the whole store, as of this moment, durably: no data is
 * copied. owner: whose request it is, which its record keeps. -EINVAL: such a name; -EEXIST; -EROFS; -ENOSPC; another -errno. */
int snapshot_create(struct store *s, const char *name, uid_t owner);
/* Release the snapshot, and the room that it alone holds. Its readers keep it
 * until they release it. -ENOENT, -EROFS, another -errno. */
int snapshot_drop(struct store *s, const char *name);
/* List all, the oldest first; mem_free. 0 or -ENOMEM. */
int snapshot_list(struct store *s, struct manifest_snapshot **list,
		  size_t *count);
/* Find it by name or (name NULL) number. 0, -ENOENT, -ENOMEM. */
int snapshot_find(struct store *s, const char *name, uint64_t number,
		  struct manifest_snapshot *out);
/* True if an automatic snapshot of that name is one of those of the change, which
 * has the name that theirs have in common: WHAT-ms. */
bool snapshot_name_is_of(const char *name, const char *change);
/* Take automatic ones of the keyspace's tables, if any of them has rows, before
 * it is removed piece by piece. owner: whose request it is. change: gets their
 * WHAT-ms, or "". 0, -EROFS, -EINTR. */
int snapshot_keep_keyspace(struct store *s, struct bytes name, const char *what,
			   uid_t owner, char *change, size_t size);
/* Compute the bytes that the snapshot alone holds. 0, -ENOENT, -ENOMEM. */
int snapshot_held(struct store *s, uint64_t number, uint64_t *bytes);

/*
 * Return the store as it was in a snapshot: read-only, at the time of the
 * snapshot (store_now_s), without an observer. It is opened when it is needed,
 * and shared by its readers; each ends with snapshot_release. -ENOENT: it was
 * dropped; -EUCLEAN; another -errno.
 */
int snapshot_acquire(struct store **view, struct store *s, uint64_t number);
void snapshot_release(struct store *s, struct store *view);
/* Close views that were not used since the call before. */
void snapshot_rest(struct store *s);

/*
 * Bring back all that the snapshot has (keyspace NULL), a keyspace, or a table:
 * schema, rows, owners and times, in one atomic step; present data is replaced.
 * Of a table, the keyspace and its types are made where they are missing. owner:
 * whose request it is, and so the snapshot of what was there before. 0;
 * -ENOENT, -EINVAL with *why; an error as of store_edit_schema.
 */
struct snapshot_part {
	const char *name;	/* of the snapshot, or of a change: all its tables */
	const char *keyspace, *table;	/* NULL: all of them */
};
int snapshot_restore(struct store *s, const struct snapshot_part *part,
		     uid_t owner, struct buf *why);

/* ------------------------------------------------------ for store/ alone */
/* Append the text, limited to 200 bytes, as a part of a name other than its
 * beginning. */
void snapshot_name_from(char *out, size_t size, const char *text);
/* Flush the tables of a snapshot that is to be made. 0 or an error as of
 * store_flush. */
int snapshot_flush(struct store *s, const struct manifest_snapshot *made);
/* Close the view of a snapshot, if it has no reader. */
void snapshot_close_view(struct store *s, uint64_t number);
/* Close all views, before the engine is closed. */
void snapshot_close_views(struct store *s);
#endif
