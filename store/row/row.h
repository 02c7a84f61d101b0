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
