/*
 * The inside of the engine, shared by the lsm_*.c files.
 *
 * Locks, in this order: flushing or compacting (one long work of each kind at a
 * time), install (one change of the set of files at a time; held over the
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
#include "store/lsm/worker.h"
#include "store/sstable/sstable.h"

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
};

/* The sources of a table at one moment. */
struct version {
	atomic_uint references;
	struct memtable *active;
	size_t frozen_count, file_count;
	struct frozen *frozen;		/* oldest first */
	struct live_file *files;	/* by largest timestamp, falling */
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
	struct dead_spans *_Atomic dead;	/* set once, under write */
	uint64_t dirty_since_ns;	/* the log thread's: for flush periods */
	_Atomic uint64_t debt;		/* files that wait for a compaction */
	struct lsm_table *next_touched;	/* under write: in the batch at hand */
	bool touched;
};

struct lsm_counters {
	_Atomic uint64_t applied, gets, iterators, bytes_written, flushes,
		compactions, bytes_flushed, bytes_compacted, sstables_read,
		filter_skips, tombstones_read, paused_ns;
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
	struct work log_work, spare_work, flush_work, compaction_work;
	atomic_int compaction_error;	/* the compaction work's: the last */
	_Atomic uint64_t debt;		/* of the table that has the most */
	atomic_int failed;		/* first error of the disk, or 0 */
	atomic_bool told;		/* a writer or a sync knows of it */
	atomic_bool reserve_spent;	/* changes under room */
	bool reserve_lent;		/* to a compaction; under room */
	unsigned reserve_users;		/* who spent it and need it; under room */
	atomic_bool room_wanted;	/* lsm_reclaim has something to do */
	/* earliest time; under compacting, as the next two */
	uint64_t reclaim_after_ns;
	uint64_t reclaim_again_ns;	/* delay after a pass, for time alone */
	uint64_t reclaimed_flushes;	/* before its last pass */
	_Atomic uint64_t file_size;	/* for unified */
	/* The reserve is enough until this many bytes were appended to the
	 * log. */
	_Atomic uint64_t reserve_until;
	atomic_int flush_error;		/* of the last flush in the background */
	atomic_bool refused;		/* the last that was written, for room */
	atomic_bool no_room;		/* the last flush of all found no room */
	atomic_bool spare_asked;	/* spare_work was added, and is not done */
	_Atomic uint64_t memtable_bytes; /* of active memtables */
	_Atomic uint64_t frozen_bytes;

	struct mutex flushing, compacting, install, write, lock, room;
	struct lsm_table **tables;		/* by number */
	size_t table_count, table_room;
	struct lsm_counters counters;
};

/* ------------------------------------------------------- lsm.c, lsm_version.c */
/* Return the i-th table, or NULL: tables are never freed while the lsm is
 * open. */
struct lsm_table *lsm_table_at(struct lsm *lsm, size_t i);
/* NULL when there is none. REQUIRES write or lock. */
struct lsm_table *lsm_find_table(const struct lsm *lsm, uint32_t number);
/* Find or make the table. REQUIRES write; not lock. NULL: no memory. */
struct lsm_table *lsm_make_table(struct lsm *lsm, uint32_t number);
/* Remember an error of the disk; the store is read-only from now on. Returns
 * err. Call without locks but flushing, compacting. */
int lsm_fail(struct lsm *lsm, int err);
int lsm_check_writable(const struct lsm *lsm);

/* Copy v, with its own references and room for one more file and one more
 * frozen memtable. NULL: no memory. v NULL: empty, with a new memtable. */
struct version *version_copy(const struct version *v, size_t more_files);
/*
 * Reserve memory for a version: after an edit of the manifest the version must
 * be made, so the memory is taken before (NULL: there is none), and copy_to
 * uses it, if it is enough. A spare that was not used is given back by
 * version_put.
 */
struct version *version_spare(const struct version *v, size_t more_files);
struct version *version_copy_to(struct version **spare,
				const struct version *v, size_t more_files);
void version_put(struct version *v);
void version_sort_files(struct version *v);
/* Return a reference to the table's version; NULL when there is no such
 * table. */
struct version *lsm_pin(struct lsm *lsm, uint32_t number);
/* Make v the table's version, taking over the reference, and return the old one
 * with its reference. */
struct version *lsm_swap(struct lsm *lsm, struct lsm_table *t, struct version *v);

/* ------------------------------------------------------------- lsm_write.c */
/* Make the active memtable of t a frozen one. REQUIRES write. */
int lsm_freeze(struct lsm *lsm, struct lsm_table *t);
/* The same of all tables. Takes write. */
int lsm_freeze_all(struct lsm *lsm);
/* Return where the log must begin for data that no sstable has yet; frozen
 * memtables of `flushed` up to that mark do not count. */
uint64_t lsm_log_begin(struct lsm *lsm, const struct lsm_table *flushed,
		       uint64_t flushed_mark);

/* True if other threads flush and compact. */
bool lsm_has_threads(const struct lsm *lsm);

/* -------------------------------------------------------------- lsm_pace.c */
/* No table has more files than this that wait to be merged, except those that
 * flushes under way add. */
#define LSM_MOST_WAITING 128
/* Sleep as long as a batch of this many bytes should. Without locks. */
void lsm_pace_slow(struct lsm *lsm, uint64_t len);
/* True if the batch must wait for flushes or compactions. */
bool lsm_pace_stops(const struct lsm *lsm, const struct batch *batch);
/* Wait until it need not. Returns the flush's error, should that fail; -EINTR
 * when the caller does not want to wait any more; -EROFS. Without locks. */
int lsm_pace_wait(struct lsm *lsm, const struct batch *batch);

/* ------------------------------------------------------------- dead_rows.c */
struct dead_spans;
/* NULL is accepted. */
void dead_spans_free(struct dead_spans *all);
/* Call it before the operation is committed. REQUIRES write. */
void dead_spans_write(struct dead_spans *all, const struct batch_op *op);

/* ------------------------------------------------------------- lsm_flush.c */
/* Write the frozen memtables of one table, or of all (NULL). */
int lsm_flush_frozen(struct lsm *lsm, struct lsm_table *only);
void lsm_flush_run(struct work *work);
/* Flush soon: something was deleted on a full disk. */
void lsm_flush_later(struct lsm *lsm);
/* Flush at once: there is room, where the last flush found none. */
void lsm_flush_again(struct lsm *lsm);
/* True for errors that may pass and are no failure of the disk. */
bool lsm_is_passing(int err);

/* ---------------------------------------------------------- disk_reserve.c */
/* Remove the log's reserve that an earlier run left. */
void lsm_reserve_begin(struct lsm *lsm);
/* Give the reserves the size they need when the log gets `more` bytes. 0, or
 * the error that prevents it. */
int lsm_reserve_keep(struct lsm *lsm, uint64_t more);
/* True if the disk is full, as far as known. */
bool lsm_is_full(const struct lsm *lsm);
/* True if the reserves are too small for `more` bytes, as far as known. */
bool lsm_reserve_is_short(struct lsm *lsm, uint64_t more);
/*
 * Release the reserve for sstables and the manifest. False: it was gone
 * already. True: call lsm_reserve_end when its room has been taken. Until then
 * nobody makes the reserve anew: a writer that looks for room while a flush
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

/* ----------------------------------------------------------- lsm_compact.c */
void lsm_compaction_run(struct work *work);
/* Count the table's files that wait to be merged anew. Takes lock. */
void lsm_count_debt(struct lsm *lsm, struct lsm_table *t);
/* Print the name of the damaged file, and the offset. */
void lsm_damage_text(char *text, size_t size, const struct sstable *t);
/*
 * Write one file of the table anew, without data that others delete or
 * overwrite, if it gets at most *size bytes: else -ERANGE. *size is the size
 * that it gets then, or would get (measure_only). -ESTALE when it is gone,
 * -EUCLEAN when it is damaged. REQUIRES compacting.
 */
int lsm_rewrite(struct lsm *lsm, struct lsm_table *t, uint64_t number,
		bool measure_only, uint64_t *size);

/* ----------------------------------------------------------- lsm_reclaim.c */
/* True if something of f may be deleted or overwritten by something of t, which
 * can be read. */
bool lsm_may_shadow(const struct sstable *t, const struct sstable *f);
/* Ask for lsm_reclaim: the disk is full. */
void lsm_want_room(struct lsm *lsm);
/* Gain room from deleted data, if wanted. 0 or an error that ends writing.
 * REQUIRES compacting, no other lock. */
int lsm_reclaim(struct lsm *lsm);

/* ----------------------------------------------------------- lsm_recover.c */
int lsm_recover(struct lsm *lsm);
/* Store where the log ends, which is synced, for the next open. A failure does
 * no harm: only a log that lost its end is judged more leniently. */
void lsm_note_log_end(struct lsm *lsm);
#endif
