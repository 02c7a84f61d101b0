/*
 * Strategies pick which sstables of a table to merge, by their sizes, keys,
 * times and levels alone: pure functions, no I/O, no state. Any thread.
 */
#ifndef STORE_LSM_STRATEGY_H
#define STORE_LSM_STRATEGY_H
#include "store/lsm/lsm.h"
#include "store/sstable/sstable.h"

struct strategy_file {
	const struct sstable_info *info;
	struct bytes first_key, last_key;
	uint32_t level;		/* as the manifest has it; flush: 0 */
	bool left_out;		/* damaged: never picked, but keeps deletions
				 * that may shadow something of it */
	bool no_gain;		/* a purge of it was tried in vain */
	double droppable;	/* sstable_droppable() for gc_before */
};

struct strategy_pick {
	size_t *files;		/* indexes into the array; the pick's own */
	size_t count;
	uint32_t level;		/* of the outputs */
	uint64_t output_size;	/* cut outputs at about this; 0: do not */
	uint32_t shards;	/* cut between so many equal parts of the tokens;
				 * 0, 1: do not */
	uint64_t least_size;	/* do not cut there what is smaller */
	bool drop_only;		/* all is dead: one edit drops them, no merge */
	bool move_only;		/* no overlap: one edit changes the level */
	bool purges;		/* to purge, and sure to purge something */
};

struct strategy_request {
	const struct lsm_table_options *options;
	const struct strategy_file *files;
	size_t count;
	int64_t now;		/* seconds */
	/* Smallest timestamp in memtables and log; INT64_MAX when empty: dead
	 * data must not shadow anything in there. */
	int64_t min_memory_timestamp;
	bool urgent;		/* room is short: purge at any cost */
};

/*
 * Pick: 1 with *pick (strategy_release it), 0 when there is nothing to do,
 * -ENOMEM. Call it again after each compaction until it returns 0.
 */
int strategy_pick(struct strategy_pick *pick, const struct strategy_request *r);
/* Pick all files that are not left out, for a major compaction: 1, 0 (none),
 * -ENOMEM. */
int strategy_pick_all(struct strategy_pick *pick,
		      const struct strategy_request *r);
void strategy_release(struct strategy_pick *pick);
/* Return the time from which there may be a merge without new files: seconds
 * since 1970, later than now; INT64_MAX: never. */
int64_t strategy_next(const struct strategy_request *r);
/* Return the bytes of a file for the share of all tokens that it covers. */
double strategy_density(const struct sstable_info *info);
/* Count the files that wait to be merged: for slowing writers down, and
 * statistics. Purges, which may wait, do not count. */
uint64_t strategy_debt(const struct strategy_request *r);
#endif
