/* Counters of the engine since it was opened, and its present contents. */
#ifndef STORE_LSM_STATS_H
#define STORE_LSM_STATS_H
#include <stdbool.h>
#include <stdint.h>

#include "store/base/latency.h"

struct lsm_stats {
	uint64_t applied, gets, iterators, bytes_written, flushes, compactions,
		bytes_flushed, bytes_compacted, log_bytes, log_segments, syncs,
		cache_hits, cache_misses, cache_bytes, cache_room,
		cache_held,	/* bytes of filters and indexes, out of its room */
		cache_dropped,	/* bytes that left the cache */
		memtable_bytes, memtable_room, sstables_read, filter_skips,
		filter_misses,	/* filters let pass what was not there */
		tombstones_read,
		debt,		/* files of a table that wait to be merged */
		paused_ns;	/* writers were slowed down, or waited */
	bool faulted;		/* turned read-only by an I/O error */
	/* One of LSM_SAMPLE point reads and batches; every sync. */
	struct latency_sum get_time, apply_time, sync_time;
};
#define LSM_SAMPLE 16

/* The receiver of each damage, while files are verified, and after each file of
 * how many bytes of how many were read. Either may be NULL. */
struct lsm_verify_told {
	void (*report)(void *context, const char *text);
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/* The files of all tables, by level; the last has those of higher levels too. */
#define LSM_LEVELS 16
struct lsm_level_stats {
	uint64_t files, bytes;
	double density;		/* bytes for the share of tokens, summed */
};
struct lsm_shape {
	struct lsm_level_stats levels[LSM_LEVELS];
	uint64_t purgeable_bytes;	/* estimate: tombstones past their grace */
	uint64_t damaged_files;
};
#endif
