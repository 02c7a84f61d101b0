/*
 * The row is the unit of storage: one entry of a memtable or an sstable holds a
 * liveness marker, a row deletion, and cells in the order of (column, path).
 * The engine knows columns by number and values as opaque bytes.
 *
 * Times: timestamps are microseconds, as the client or the store's clock gave
 * them, and decide conflicts; local times are seconds since 1970, and decide
 * expiry and purging.
 */
#ifndef STORE_ROW_ROW_H
#define STORE_ROW_ROW_H
#include "store/base/arena.h"
#include "store/base/bytes.h"

#define NO_TIMESTAMP INT64_MIN
#define NO_TIME INT64_MAX	/* as local time: never */

/* A deletion covers all data with its timestamp or a smaller one. None:
 * NO_TIMESTAMP, NO_TIME. */
struct deletion {
	int64_t timestamp;
	int64_t local_time;	/* when it was made, for gc_grace */
};
#define DELETION_NONE ((struct deletion){ NO_TIMESTAMP, NO_TIME })
static inline bool deletion_is_none(struct deletion d)
{
	return d.timestamp == NO_TIMESTAMP;
}
/* Return the stronger one: later timestamp, then later local time. */
struct deletion deletion_max(struct deletion a, struct deletion b);

/* The liveness marker that INSERT writes. None: timestamp NO_TIMESTAMP. */
struct marker {
	int64_t timestamp;
	int32_t ttl;		/* seconds; 0: permanent */
	int64_t expires;	/* local time of its end; NO_TIME: permanent */
};
#define MARKER_NONE ((struct marker){ NO_TIMESTAMP, 0, NO_TIME })

enum cell_flags {
	CELL_TOMBSTONE = 1,	/* deleted at local_time; no value */
	/*
	 * Not a cell: the deletion of all cells of its column with its
	 * timestamp or a smaller one (complex deletion). path is null; it sorts
	 * first.
	 */
	CELL_COLUMN_DELETION = 2,
	CELL_COUNTER = 4,	/* value: 8 bytes, a total; see reconcile.c */
};

struct cell {
	uint32_t column;
	uint8_t flags;		/* enum cell_flags */
	int32_t ttl;		/* 0: none */
	int64_t timestamp;
	/* Expiring cell: its end. Tombstone: when it was made. Else NO_TIME. */
	int64_t local_time;
	struct bytes path;	/* null for a simple column; memcmp order */
	struct bytes value;	/* null when deleted */
};

/*
 * The cells of this column only record how the row's key was written. They are
 * no data: a row with nothing else does not exist.
 */
#define CELL_CLUSTERING 1

/* A decoded row. Slices point into the encoded row or an arena. */
struct row {
	struct marker marker;
	struct deletion deletion;
	uint32_t cell_count;
	struct cell *cells;	/* by (column, column deletion first, path) */
};
#define ROW_NONE ((struct row){ MARKER_NONE, DELETION_NONE, 0, NULL })
static inline bool row_is_nothing(const struct row *row)
{
	return !row->cell_count && deletion_is_none(row->deletion) &&
	       row->marker.timestamp == NO_TIMESTAMP;
}

/*
 * Append the encoded form (row_codec.c has the format; log and sstables hold
 * it), and decode it. decode takes the cell array from the arena, slices point
 * into bytes. 0, -EUCLEAN when damaged, -ENOMEM.
 */
void row_encode(struct buf *out, const struct row *row);
int row_decode(struct row *row, struct arena *arena, struct bytes bytes);
/* Decode cells of the wanted columns only: bit (column & 63) set in mask. */
int row_decode_columns(struct row *row, struct arena *arena,
		       struct bytes bytes, uint64_t mask);
enum row_head { ROW_HAS_MARKER = 1, ROW_HAS_EXPIRY = 2, ROW_HAS_DELETION = 4,
		ROW_HAS_CELLS = 8 };
/* False if the encoded row holds nothing, or only a deletion. */
static inline bool row_may_live(struct bytes encoded)
{
	return encoded.len && (encoded.ptr[0] & ~ROW_HAS_DELETION);
}
/* True if the encoded row has a marker that never expires. */
static inline bool row_has_lasting_marker(struct bytes encoded)
{
	return encoded.len && (encoded.ptr[0] & ROW_HAS_MARKER) &&
	       !(encoded.ptr[0] & ROW_HAS_EXPIRY);
}
/* Return the column of the first cell if the first bytes of the encoded row
 * show one that neither expires nor is deleted; else 0. */
uint32_t row_lasting_column(struct bytes encoded);
/* Smallest and largest timestamp and local time, and number of tombstones. */
struct row_stats {
	int64_t min_timestamp, max_timestamp;	/* min > max: there is none */
	int64_t min_local_time, max_local_time;	/* of deletions and expiries */
	uint32_t tombstones, cells;
	bool has_permanent;	/* something that neither expires nor is deleted */
};
#define ROW_STATS_NONE                                                        \
	((struct row_stats){ INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, 0,   \
			     0, false })
void row_add_stats(struct row_stats *stats, const struct row *row);

/* ------------------------------------------------------------ reconcile.c */
/*
 * Decide which of two versions of a cell wins. store/README.md,
 * "Reconciliation", has the rules. >0: a, <0: b, 0: they are equal.
 * Commutative, associative and idempotent when used to keep the winner. Of
 * counter cells, which are totals, the later timestamp wins, then the larger
 * total.
 */
int cell_reconcile(const struct cell *a, const struct cell *b);
int marker_reconcile(const struct marker *a, const struct marker *b);
/*
 * Merge versions of one row: the winner of each cell, minus what the row's own
 * and column deletions and `covering` (partition or range) shadow. Cells that
 * are merely expired stay as they are. The result's array comes from arena,
 * its slices from the inputs. 0 or -ENOMEM.
 */
int row_merge(struct row *out, struct arena *arena, const struct row *const *rows,
	      size_t count, struct deletion covering);
/*
 * Take from row all that is shadowed or overwritten by another version of it
 * (ROW_NONE: there is none) and by `covering`. The rest, merged with these, is
 * the same as row merged with them. The cells stay in their array. Returns
 * false if nothing was taken.
 */
bool row_subtract(struct row *row, const struct row *by,
		  struct deletion covering);
/*
 * Drop what a compaction may drop: expired cells become tombstones; tombstones
 * and deletions made before gc_before (local time) with timestamp <
 * purge_before go. *keep is false when nothing is left of the row, or only
 * cells that record how its key was written, and no older version of the row
 * can need them.
 */
void row_purge(struct row *row, int64_t now, int64_t gc_before,
	       int64_t purge_before, bool *keep);
/* True if the cell is neither deleted nor expired at local time now. */
static inline bool cell_is_live(const struct cell *c, int64_t now)
{
	return !(c->flags & (CELL_TOMBSTONE | CELL_COLUMN_DELETION)) &&
	       (!c->ttl || c->local_time > now);
}
static inline bool marker_is_live(const struct marker *m, int64_t now)
{
	return m->timestamp != NO_TIMESTAMP && (!m->ttl || m->expires > now);
}
#endif
