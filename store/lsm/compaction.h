/*
 * A compaction replaces sstables by their merge, in three steps:
 *
 *	prepare		pins the inputs
 *	run		merges and writes the outputs, durable when it returns;
 *			long, no lock held by the caller
 *	install		one manifest edit: outputs live, inputs not
 *
 * After install the caller swaps its set of files, taking a reference to each
 * output, and calls compaction_drop_inputs, so that the inputs' files are
 * unlinked when their last reader leaves. A crash between any two steps leaves
 * either the inputs or the outputs live, and the others as files that no
 * manifest names. compaction_free at any point cleans up: outputs that were not
 * installed are removed, unless install ended with -EIO: then the manifest may
 * name them or the inputs, and all stay until the next open.
 *
 * Dropped on the way: shadowed data always; expired cells become tombstones;
 * tombstones and deletions made before gc_before if their timestamp is smaller
 * than that of anything outside of the inputs that may be of the partition
 * (store/README.md, "Reconciliation").
 *
 * With shadows, which are other live sstables that stay as they are, all that
 * these delete or overwrite is dropped too: so a file can be rewritten alone,
 * into no more room than it takes. They must stay until the install: one
 * compaction of a table at a time, and the calls that drop them (TRUNCATE,
 * DROP) drop the inputs too.
 *
 * One thread at a time for each compaction.
 */
#ifndef STORE_LSM_COMPACTION_H
#define STORE_LSM_COMPACTION_H
#include "store/lsm/manifest.h"
#include "store/lsm/strategy.h"
#include "store/sstable/sstable.h"
#include "store/sstable/writer.h"

struct compaction;

struct compaction_setup {
	const struct file_ops *files;
	int dir;
	struct block_cache *cache;
	uint32_t table;
	struct sstable *const *inputs;	/* references are taken */
	size_t input_count;
	struct sstable *const *shadows;	/* the caller's, until run returns */
	size_t shadow_count;
	/* Block size, filter, compression. With measure_only run writes
	 * nothing, and bytes_written is the size that it would be. */
	struct sstable_options output;
	uint32_t level;			/* as the pick says, these six */
	uint64_t output_size;
	uint32_t shards;
	uint64_t least_size;
	bool drop_only, move_only;
	uint64_t most_bytes;		/* -ERANGE when there is more; 0: any */
	int64_t now;			/* seconds, fixed for the whole run */
	int64_t gc_before;		/* now - gc_grace */

	/* compaction_run calls these in its thread. */
	/* The smallest timestamp outside of the inputs of anything that may be
	 * of the partition (token and escaped key): other sstables whose filter
	 * does not rule it out, memtables, log. INT64_MAX: nothing. NULL:
	 * nothing is purged. */
	int64_t (*min_other_timestamp)(void *context, struct bytes partition);
	uint64_t (*next_number)(void *context);
	/* May be NULL. True: stop with -ECANCELED. */
	bool (*cancelled)(void *context);
	void *context;
};

/* Make a compaction as *setup says, for compaction_free. All that setup points
 * to, but for the inputs, stays the caller's and outlives it. 0, -ENOMEM. */
int compaction_prepare(struct compaction **out,
		       const struct compaction_setup *setup);
/* Merge and write. 0, -EUCLEAN when an input is damaged, -ENOSPC, -ERANGE,
 * -ECANCELED, -errno. */
int compaction_run(struct compaction *c);
/* Install the outputs. Errors as of manifest_apply: after -ESTALE free it. */
int compaction_install(struct compaction *c, struct manifest *manifest);
/* Return the outputs, opened by run. The references are the compaction's: take
 * one with sstable_get. */
size_t compaction_output_count(const struct compaction *c);
struct sstable *compaction_output(const struct compaction *c, size_t i);
/* move_only: there are no outputs; the inputs stay, at the pick's level. */
void compaction_drop_inputs(struct compaction *c, struct manifest *manifest);
uint64_t compaction_bytes_written(const struct compaction *c);
/* NULL is accepted. */
void compaction_free(struct compaction *c);
#endif
