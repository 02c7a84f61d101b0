/*
 * The inside of an open engine, for the files of this folder alone.
 *
 * Locks, in this order: flushing or compacting (one long work of each kind at a
 * time), viewing (snapshots are opened and removed), install (one change of the set of files at a time; held over the
 * manifest's I/O), room (the reserves), write (one writer: log and memtables in
 * the same order), lock (tables and versions; short). The contents of a version
 * never change; a reader takes a reference under lock and then needs no lock.
 *
 * The array of tables and a table's active memtable change under write and lock
 * both, so that either is enough for looking.
 */
#ifndef STORE_LSM_LSM_INTERNAL_H
#define STORE_LSM_LSM_INTERNAL_H
#include <stdatomic.h>

#include "store/base/lock.h"
#include "store/lsm/commitlog.h"
#include "store/lsm/lsm.h"
#include "store/lsm/manifest.h"
#include "store/lsm/memtable.h"
#include "store/lsm/turns.h"
#include "store/lsm/worker.h"
#include "store/sstable/sstable.h"
#include "store/sstable/writer.h"

#define NOT_IN_LOG UINT64_MAX

/* A memtable that is full, waiting to be flushed. */
struct frozen {
	struct memtable *memtable;
	uint64_t begin;		/* log position of its first batch */
	uint64_t mark;		/* the table's earlier data is here or older */
};

struct live_file {
	struct sstable *sstable;
	uint32_t level;
	/* Set by version_arrange: the smallest and largest key; its run. */
	struct bytes first, last;
	uint32_t run;
};

/* The sources of a table at one moment. */
struct version {
	atomic_uint references;
	struct memtable *active;
	size_t frozen_count, file_count, run_count;
	struct frozen *frozen;		/* oldest first */
	struct live_file *files;	/* by largest timestamp, falling */
	/* The same in sorted runs, one after the other: the files of a run do
	 * not overlap, and are in key order. run_ends: where each run ends;
	 * last_heads: of each of in_runs the first 8 bytes of its last key. */
	struct live_file **in_runs;
	size_t *run_ends;
	uint64_t *last_heads;
	size_t frozen_room, file_room;
};

struct lsm_table {
	uint32_t number;
	struct lsm_table_options options;	/* under lock */
	bool dropped;				/* under write and lock */
	struct version *version;		/* under lock */
	/* Log position before the active memtable's first batch, or
	 * NOT_IN_LOG. Stored before the batch is appended. */
	_Atomic uint64_t active_begin;
	/* Batches committed to it: stored after they are. Under write. */
	_Atomic uint64_t writes;
	_Atomic uint64_t births;	/* of these: a row may live after it */
	struct dead_spans *_Atomic dead;	/* set once, under write */
	struct dead_hints *hints;		/* dead_sweep.h; under write */
	uint64_t dirty_since_ns;	/* the log thread's: for flush periods */
	_Atomic uint64_t debt;		/* files that wait for a compaction */
	uint64_t reads;			/* point reads, iterators; under lock */
	struct lsm_table *next_touched;	/* under write: in the batch at hand */
	bool touched, bears;	/* bears: rows that may live */
};

struct lsm_counters {
	_Atomic uint64_t applied, gets, iterators, bytes_written, flushes,
		compactions, bytes_flushed, bytes_compacted, sstables_read,
		filter_skips, filter_misses, tombstones_read, paused_ns;
	struct latency get_time, apply_time;
};

struct lsm {
	const struct file_ops *files;
	int dir;
	struct lsm_options options;
	struct manifest *manifest;
	struct block_cache *cache;
	struct commitlog *log;
	struct worker *worker;		/* NULL until lsm_start */
	_Atomic uint64_t retry_ms;	/* the flush work's; 0: nothing failed */
	struct work log_work, spare_work, idle_work, flush_work,
		compaction_work, sweep_work;
	/* The log thread's: the work done by its last look, and since when it
	 * has not grown. */
	uint64_t idle_done, idle_since_ns;
	bool idle_seen;
	atomic_int compaction_error;	/* the compaction work's: the last */
	_Atomic uint64_t debt;		/* of the table that has the most */
	atomic_int failed;		/* first error of the disk, or 0 */
	atomic_bool told;		/* a writer or a sync knows of it */
	atomic_bool reserve_spent;	/* changes under room */
	bool reserve_lent;		/* to a compaction; under room */
	unsigned reserve_users;		/* releases not ended; under room */
	atomic_bool room_wanted;	/* lsm_reclaim has something to do */
	/* The earliest next pass; under compacting, as the next two. */
	uint64_t reclaim_after_ns;
	uint64_t reclaim_again_ns;	/* delay after a pass, for time alone */
	uint64_t reclaimed_flushes;	/* before its last pass */
	_Atomic uint64_t file_size;	/* for unified */
	/* The reserve is enough until this many bytes were appended to the
	 * log. */
	_Atomic uint64_t reserve_until;
	atomic_int flush_error;		/* of the last flush in the background */
	atomic_bool refused;		/* the last batch: the disk is full */
	atomic_bool no_room;		/* the last flush of all found no room */
	atomic_bool spare_asked;	/* spare_work was added, and is not done */
	_Atomic uint64_t memtable_bytes; /* of active memtables */
	_Atomic uint64_t frozen_bytes;

	struct mutex flushing, compacting, viewing, install, write, lock, room;
	struct lsm_table **tables;		/* by number */
	size_t table_count, table_room;
	struct turns turns;			/* changes under write */
	struct lsm_snapshot_hold *holds;	/* lock; snapshots not given up */
	struct lsm_counters counters;
};

/* ------------------------------------------------------------------ lsm.c */
/* NULL when there is none. REQUIRES write or lock. */
struct lsm_table *lsm_find_table(const struct lsm *lsm, uint32_t number);
/* Find or make the table. REQUIRES write; not lock. NULL: no memory. */
struct lsm_table *lsm_make_table(struct lsm *lsm, uint32_t number);
/* Prepare and free an engine that nothing was opened in yet, as for a view. */
void lsm_init(struct lsm *lsm, const struct file_ops *files, int dir,
	      const struct lsm_options *options);
void lsm_release(struct lsm *lsm);
/* Remember an error of the disk; the store is read-only from now on. Returns
 * err. Call without locks but flushing, compacting. */
int lsm_fail(struct lsm *lsm, int err);
int lsm_check_writable(const struct lsm *lsm);
/* Return how the table's sstables are written. */
struct sstable_options lsm_writer_options(uint32_t table,
					  const struct lsm_table_options *o);

/* -------------------------------------------------------------- lsm_recover.c */
/* Open the sstable that the manifest names, and no other of its name. */
int lsm_open_named(struct lsm *lsm, struct block_cache *cache,
		   const struct manifest_file *file, struct sstable **out);
/* The same, and add it to its table. REQUIRES write, or that nobody else has
 * lsm. */
int lsm_add_named(struct lsm *lsm, struct block_cache *cache,
		  const struct manifest_file *file);
/* ------------------------------------------------------------- lsm_snapshot.c */
/* Remove the file at its last put, if the manifest does not name it any more:
 * a snapshot may have it. REQUIRES install. */
void lsm_drop_file(struct lsm *lsm, struct sstable *t);

struct dead_spans;
#endif
