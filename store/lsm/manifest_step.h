/*
 * The steps of an edit, each a byte that says which, then (varints but where
 * said):
 *
 *	1 add		table | level | size | 8 checksum | sstable_info, see
 *			sstable/stats.c
 *	2 drop		table | number
 *	3 drop files	table
 *	4 mark		table | log position
 *	5 drop table	table | log position
 *	6 log		log position
 *	7 property	length, name | 1 there is a value | length, value
 *	8 next number	number
 *	9 segment	number | size, at the least
 *	10 segment gone	number
 *	11 snapshot	number | 8 created, microseconds | 1 flags | count, and
 *			the tables | length, name | owner, a uid, if the flags
 *			say so. Flags: 1 automatic, 2 it has an owner, which
 *			those of manifests before version 4 have not
 *	12 snapshot gone	number
 *	13 file		as 1, then born | died, 0: live: an sstable that
 *			snapshots have or had; in a whole state only
 *	14 next snapshot	number; in a whole state only
 *
 * Of a file that snapshots have there is an entry for each span of snapshots in
 * which it was live: `born` is the number of the next snapshot when it was
 * added, `died` that when it was dropped. Entries without a snapshot in their
 * span, of those of that table, are forgotten. So a snapshot costs its name
 * alone, and dropping a file says nothing more than that. An sstable may belong
 * to several tables: a table that is restored has the files of the one that it
 * was.
 *
 * Properties: "timestamp" (store.c), "log" and "boot" (lsm_recover.c).
 */
#ifndef STORE_LSM_MANIFEST_STEP_H
#define STORE_LSM_MANIFEST_STEP_H

enum manifest_step {
	STEP_ADD = 1, STEP_DROP, STEP_DROP_FILES, STEP_MARK, STEP_DROP_TABLE,
	STEP_LOG, STEP_PROPERTY, STEP_NEXT_NUMBER, STEP_SEGMENT,
	STEP_SEGMENT_GONE, STEP_SNAPSHOT, STEP_SNAPSHOT_GONE, STEP_FILE,
	STEP_NEXT_SNAPSHOT
};
enum snapshot_flag { SNAPSHOT_IS_AUTOMATIC = 1, SNAPSHOT_HAS_OWNER = 2 };
#endif
