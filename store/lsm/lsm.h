/*
 * The engine: a tree of sstables for each table, one commit log for all. Tables
 * are numbers, keys are bytes (row/key.h), rows are cells by column number. All
 * calls from any thread unless said otherwise.
 *
 * Life: lsm_open recovers (manifest, sstables, log) all tables that it finds;
 * then the owner sets the options of each with lsm_table_set, and lsm_start
 * begins flushes and compactions in the background.
 */
#ifndef STORE_LSM_LSM_H
#define STORE_LSM_LSM_H
#include "store/base/file.h"
#include "store/lsm/stats.h"
#include "store/row/iterator.h"
#include "store/row/mutation.h"
#include "store/sstable/compressor.h"

struct lsm;

struct lsm_options {
	size_t cache_bytes;	/* of decoded blocks; 0: memory.h's default */
	size_t memtable_bytes;	/* budget of all memtables; 0: the same */
	double commit_s;	/* seconds between log syncs; 0: every apply */
	bool read_only;		/* never writes one byte */
	bool no_threads;	/* tests: flush and compact only when told */
	/* Told of changes of state (read-only from now on after an I/O error,
	 * damage); may be NULL; called without locks. */
	void (*notice)(void *context, const char *text);
	/* Told once of each sstable that compactions leave out because it is
	 * damaged, and where; may be NULL. Called by any thread; it may call
	 * nothing of lsm.h. */
	void (*damaged)(void *context, uint32_t table, const char *text);
	/*
	 * Called when all files were found sound, before any is changed. The
	 * tables with numbers below `first` are complete and can be read; of
	 * the others the data that only the log has is still missing. NULL, or
	 * returns 0, or an error that lsm_open returns then, with nothing
	 * changed.
	 */
	int (*sound)(void *context, struct lsm *lsm);
	uint32_t first;
	bool exists;		/* a manifest must be there: no new one is made */
	void *context;
};

enum lsm_strategy { LSM_UNIFIED, LSM_SIZE_TIERED, LSM_LEVELED, LSM_TIME_WINDOW };
/* The files that come along with those that most overlap at one key: no others,
 * those that overlap one of them, and so on. */
enum lsm_overlap { LSM_OVERLAP_TRANSITIVE, LSM_OVERLAP_SINGLE, LSM_OVERLAP_NONE };
#define LSM_MOST_LEVELS 32

struct lsm_table_options {
	int64_t gc_grace_s;
	int64_t memtable_flush_period_ms;	/* 0: none */
	/* How sstables are written: see struct sstable_options. */
	uint32_t block_size;		/* 0: default */
	uint32_t filter_bits;		/* 0: default */
	struct compression compression;
	double least_ratio;		/* 0: default */

	enum lsm_strategy strategy;
	bool compaction_enabled;
	bool log_compactions;
	/* Purges: at once where a larger share may be dropped; only of files
	 * that were written so long ago; of a file alone, even where others
	 * keep some of its data from going. */
	double tombstone_threshold;
	int64_t tombstone_interval_s;
	bool unchecked_tombstones;
	/* Merges also drop what files that are not merged delete. */
	bool overlapping_tombstones;
	/* Files that are dead as a whole are dropped when the time is a multiple
	 * of this; 0: at once. */
	int64_t expiry_check_s;

	/* size tiered, and the newest time window */
	uint32_t min_threshold, max_threshold;
	uint64_t small_sstable;		/* smaller ones are all alike */
	double bucket_low, bucket_high;
	/* leveled; the size is unified's target, too: 0: default */
	uint64_t sstable_size;
	uint32_t fanout;
	bool writes_to_rise;		/* also a file that overlaps nothing */
	/* time window */
	int64_t window_s;
	int64_t timestamps_per_s;
	/* unified */
	uint64_t flush_size;		/* level 0 has files of about this */
	uint64_t least_size;		/* files are not cut smaller; 0: default */
	uint32_t base_shards;
	double growth;			/* 0: more files, 1: larger ones */
	uint32_t most_files;		/* of one merge */
	enum lsm_overlap overlap;
	/* Of each level from 0 on, the last one of all above: -n is levelled
	 * with a fan-out of n + 2, n tiered. */
	int32_t scaling[LSM_MOST_LEVELS];
	uint32_t scaling_count;		/* at least 1 */
};
/* Set the defaults. */
void lsm_table_defaults(struct lsm_table_options *options);

/* dir: an open directory of our own (the fd stays the caller's). In an existing
 * store nothing is changed before all of it was found sound. */
int lsm_open(struct lsm **out, const struct file_ops *files, int dir,
	     const struct lsm_options *options);
int lsm_start(struct lsm *lsm);
/* Flush nothing (the log has it all), sync the log, end the threads. NULL is
 * accepted. Returns the first error of the last sync. */
int lsm_close(struct lsm *lsm);

/* Make a table known, or change its options. New tables need no file. */
int lsm_table_set(struct lsm *lsm, uint32_t table,
		  const struct lsm_table_options *options);
/*
 * Drop all data of a table: memtables, files, by one durable manifest edit. Its
 * earlier log records are dead; the number is not used again. Open iterators
 * continue over the data that they pinned.
 */
int lsm_table_drop(struct lsm *lsm, uint32_t table);
/* The same, but the table continues to exist, empty (TRUNCATE). */
int lsm_table_truncate(struct lsm *lsm, uint32_t table);
/* Return a number of the present contents of the partitions with such a token:
 * what was read of them after one call is still so if a later call returns the
 * same. 0: they change just now. */
uint64_t lsm_partition_state(struct lsm *lsm, uint32_t table, int64_t token);
/* The same of all tables together. */
uint64_t lsm_state(struct lsm *lsm);
/* Return the largest number that is, or was lately, a table's. */
uint32_t lsm_table_last(struct lsm *lsm);
/* List the numbers of the tables that have any data: for dropping orphans. */
int lsm_table_list(struct lsm *lsm, uint32_t **tables, size_t *count);

/*
 * Apply a batch: it is in the log (handed to the kernel) before any reader sees
 * it, and then all readers see it at once, table by table. *position, if not
 * NULL, is for lsm_sync. -EIO: the disk failed, now or in the background;
 * -EROFS after that, or read-only; -ENOSPC. A batch may be larger than a log
 * segment; -EFBIG: it is larger than LSM_LARGEST_BATCH. It waits while too much
 * is in memory or too many sstables wait to be merged (lsm_pace.c): -EINTR
 * (watch.h). -EINVAL when a key is none (key.h), -ESTALE when a table was
 * dropped.
 */
#define LSM_LARGEST_BATCH (((size_t)4 << 30) - 4096 - 1)
int lsm_apply(struct lsm *lsm, const struct batch *batch, uint64_t *position);
/*
 * The same in parts, for callers that hold locks while it is applied. Call
 * lsm_pace before taking them: it waits for room, so that lsm_insert rarely
 * does. After releasing them call lsm_acknowledge: it pauses where writers
 * outrun the disk and, where every apply is synced (commit_s 0), waits for the
 * sync.
 */
void lsm_pace(struct lsm *lsm);
int lsm_insert(struct lsm *lsm, const struct batch *batch, uint64_t *position);
int lsm_acknowledge(struct lsm *lsm, const struct batch *batch,
		    uint64_t position);
/* Wait until everything up to position is on disk (group commit). */
int lsm_sync(struct lsm *lsm, uint64_t position);
/* Return the position after the last apply. */
uint64_t lsm_position(struct lsm *lsm);

/*
 * Point read: the row at key, merged from all sources with every deletion
 * applied. 1 with *row (cells from arena), 0 when there is nothing (tombstones
 * count: they are returned), -errno. Cells of columns not in mask (bit column &
 * 63) may be missing: reading stops as soon as all wanted columns are decided,
 * and the marker and deletions from before that may be missing too. So where
 * two columns share a bit only UINT64_MAX will do, which reads everything.
 */
int lsm_get(struct lsm *lsm, uint32_t table, struct bytes key, uint64_t mask,
	    struct arena *arena, struct row *row);
/* The same for all columns, with the range or partition deletion that covers
 * the key. */
int lsm_get_covered(struct lsm *lsm, uint32_t table, struct bytes key,
		    struct arena *arena, struct row *row,
		    struct deletion *covering);
/*
 * Open a merged iterator over the table as it is now, pinned until closed (as
 * in merge_open: covered rows are left out). lower inclusive, upper exclusive,
 * empty: open. Sources that cannot hold keys between them are left out, and
 * with both ends in one partition also those whose filter rules the partition
 * out. Must be sought (lower or, reverse, upper) before next.
 */
int lsm_iterate(struct iterator **out, struct lsm *lsm, uint32_t table,
		struct bytes lower, struct bytes upper, bool reverse);

/* Write all memtables (of one table, or UINT32_MAX: all) to sstables, and wait. */
int lsm_flush(struct lsm *lsm, uint32_t table);
/*
 * Merge all sstables of the table into one level, purging what may be purged.
 * -EUCLEAN (reported) when damaged ones were left out; -EINTR (watch.h), as
 * lsm_flush, when its caller does not want it any more.
 */
int lsm_compact(struct lsm *lsm, uint32_t table);
/* Call it for each file that damaged() was, or will be, told of. */
void lsm_each_damaged(struct lsm *lsm,
		      void (*each)(void *context, uint32_t table,
				   const char *text),
		      void *context);
/* True after the first error of the disk: nothing is written any more. */
bool lsm_has_failed(const struct lsm *lsm);
/* True if the disk is full, as far as known. */
bool lsm_is_full(const struct lsm *lsm);
/* Wait until no background work is left to do. */
int lsm_settle(struct lsm *lsm);

struct lsm_table_stats {
	uint64_t sstable_count, sstable_bytes, memtable_bytes;
	uint64_t row_estimate, partition_estimate, tombstones;
	uint64_t reads, writes;		/* since it was opened */
	uint64_t debt;			/* files that wait to be merged */
	uint64_t raw_bytes;		/* of its sstables before compression */
	uint64_t largest_partition_rows;
	int64_t min_timestamp, max_timestamp;
};
void lsm_table_stats(struct lsm *lsm, uint32_t table,
		     struct lsm_table_stats *stats);
/* Return a number that changes with each flush and compaction: what was pinned
 * before may be memory and files that nothing else needs. */
uint64_t lsm_moment(const struct lsm *lsm);
void lsm_stats(struct lsm *lsm, struct lsm_stats *stats);
/* Look at all files. 0, -ENOMEM. */
int lsm_shape(struct lsm *lsm, struct lsm_shape *shape);
/* Read and check everything: each damage is told to report; 0 or -EUCLEAN. */
int lsm_verify(struct lsm *lsm, void (*report)(void *context, const char *text),
	       void *context);
/* The same of some tables. */
int lsm_verify_tables(struct lsm *lsm, const uint32_t *tables, size_t count,
		      const struct lsm_verify_told *told);
/* The same of the files that only snapshots have. */
int lsm_verify_snapshots(struct lsm *lsm, const struct lsm_verify_told *told);

/*
 * Small named blobs kept in the manifest (the catalogue's counters and the
 * like): durable and atomic when set returns. get: 0 with *value appended,
 * -ENOENT.
 */
int lsm_property_set(struct lsm *lsm, const char *name, struct bytes value);
int lsm_property_get(struct lsm *lsm, const char *name, struct buf *value);
#endif
