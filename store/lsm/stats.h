/* Counters of the engine since it was opened, and its present contents. */
#ifndef STORE_LSM_STATS_H
#define STORE_LSM_STATS_H
#include <stdbool.h>
#include <stdint.h>

struct lsm_stats {
	uint64_t applied, gets, iterators, bytes_written, flushes, compactions,
		bytes_flushed, bytes_compacted, log_bytes, log_segments, syncs,
		cache_hits, cache_misses, cache_bytes, memtable_bytes,
		sstables_read, filter_skips, tombstones_read,
		debt,		/* files of a table that wait to be merged */
		paused_ns;	/* writers were slowed down, or waited */
	bool faulted;		/* turned read-only by an I/O error */
};
#endif
