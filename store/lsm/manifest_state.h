/*
 * The manifest's contents in memory: built by carrying out steps, copied before
 * an edit so that an edit that fails leaves no trace. No locks.
 */
#ifndef STORE_LSM_MANIFEST_STATE_H
#define STORE_LSM_MANIFEST_STATE_H
#include "store/lsm/manifest.h"

struct manifest_property {
	char *name;
	struct buf value;
};
struct manifest_state {
	struct manifest_file *files;		/* by table, number, born */
	size_t file_count;
	struct manifest_table *tables;		/* by table */
	size_t table_count;
	struct manifest_property *properties;	/* by name */
	size_t property_count;
	struct manifest_segment *segments;	/* by number */
	size_t segment_count;
	struct manifest_snapshot *snapshots;	/* by number */
	size_t snapshot_count;
	uint64_t next_snapshot;		/* its number; 0 is as 1 */
	uint64_t log;
	uint64_t next_number;
	/* Edits are missing (a repair): accept steps on entries that only these
	 * could have added. */
	bool partial;
};

/* Free the lists. */
void manifest_state_release(struct manifest_state *s);
/* Copy it. 0 or -ENOMEM; to is released then. */
int manifest_state_copy(struct manifest_state *to,
			const struct manifest_state *from);
/*
 * Carry out an edit's steps. 0, -ESTALE, -EINVAL (an sstable twice, a number
 * not given out), -EUCLEAN (no steps), -ENOMEM; after an error s is half done.
 */
int manifest_state_apply(struct manifest_state *s, struct bytes steps);
/* Append the steps that make this state of an empty one. */
void manifest_state_write(struct buf *steps, const struct manifest_state *s);
/* Append the step that no number below this is used any more. */
void manifest_state_add_number(struct buf *steps, uint64_t number);
/* Return the number of the next snapshot. */
uint64_t manifest_state_next_snapshot(const struct manifest_state *s);
/* True if a snapshot has the entry. */
bool manifest_state_is_kept(const struct manifest_state *s,
			    const struct manifest_file *f);
/* True if this snapshot has the entry. */
bool manifest_state_in_snapshot(const struct manifest_snapshot *s,
				const struct manifest_file *f);
/* Return the snapshot of that number or NULL. */
const struct manifest_snapshot *
manifest_state_snapshot(const struct manifest_state *s, uint64_t number);
/* Return the table's entry or NULL. */
const struct manifest_table *
manifest_state_table(const struct manifest_state *s, uint32_t table);
const struct manifest_property *
manifest_state_property(const struct manifest_state *s, const char *name);
#endif
