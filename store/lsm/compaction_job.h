/*
 * One compaction of a table: prepare it, run it (compaction.h), and install the
 * outputs in place of the inputs.
 */
#ifndef STORE_LSM_COMPACTION_JOB_H
#define STORE_LSM_COMPACTION_JOB_H
#include "store/lsm/compaction.h"
#include "store/lsm/lsm_internal.h"
#include "store/lsm/strategy.h"

struct compaction_job {
	struct lsm *lsm;
	struct lsm_table *table;
	struct lsm_table_options options;
	struct version *from;
	int64_t now;
	struct strategy_file *files;	/* as from->files */
	struct strategy_pick pick;
	struct sstable **inputs;	/* then files that shadow them */
	size_t shadow_count;
	struct compaction *compaction;
	struct version *spare;
	uint64_t most_bytes;		/* of the outputs; 0: any */
	bool alone;			/* rewrite one, without shadowed data */
	bool measure_only;
	uint64_t written;		/* what run wrote, or would write */
};

/*
 * Run a compaction of the files that j->pick names. 0, -EAGAIN when it gained
 * nothing or met damage (the next pick leaves such files out), -ECANCELED,
 * -ESTALE when the table was truncated or dropped meanwhile, other -errno.
 * REQUIRES compacting.
 */
int compaction_job_run(struct compaction_job *j);
/* Return the least timestamp in the memtables of a version, or in those that
 * may contain the partition (empty: any). */
int64_t compaction_job_min_of_memory(const struct version *v,
				     struct bytes partition);
#endif
