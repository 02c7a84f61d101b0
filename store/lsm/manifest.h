/*
 * The manifest stores the parts of the store: the live sstables of each table,
 * up to which log position each table needs no replay, the next file number,
 * and small named properties. It is a log of edits; an edit is atomic and
 * durable when manifest_apply returns 0. manifest.c has the format.
 *
 * Threads: all calls from any; manifest_apply is one at a time inside.
 */
#ifndef STORE_LSM_MANIFEST_H
#define STORE_LSM_MANIFEST_H
#include "store/base/file.h"
#include "store/sstable/sstable.h"

struct manifest;

/* A live sstable. */
struct manifest_file {
	uint32_t table;
	uint32_t level;			/* chosen by the strategy */
	/* The numbers of the snapshots that have it: from born on, and below
	 * died, which is MANIFEST_LIVE while it is live. */
	uint64_t born, died;
	struct sstable_info info;
};
#define MANIFEST_LIVE UINT64_MAX

/*
 * The part of a table that replay must know: its records at log positions <
 * mark are in sstables, or dead (truncated), and are skipped. All records of a
 * dropped table are dead. A table without an entry has mark 0.
 */
struct manifest_table {
	uint32_t table;
	bool dropped;
	uint64_t mark;
};

/* A file of the log that exists, with at least this size, and is needed or
 * about to be. */
struct manifest_segment {
	uint64_t number, size;
};

/*
 * A snapshot: the sstables that were live when it was made, of all tables or of
 * some. It keeps those that have died since. Its number, from 1 on, is never
 * given to another.
 */
#define MANIFEST_SNAPSHOT_NAME 255
#define MANIFEST_SNAPSHOT_TABLES 4
#define MANIFEST_NO_OWNER ((uid_t)-1)
struct manifest_snapshot {
	uint64_t number;
	int64_t created_us;
	bool automatic;			/* it may be given up for room */
	uid_t owner;			/* whose request made it; that of an old
					 * version: MANIFEST_NO_OWNER */
	uint32_t table_count;		/* 0: all tables */
	uint32_t tables[MANIFEST_SNAPSHOT_TABLES];
	char name[MANIFEST_SNAPSHOT_NAME + 1];
};

/*
 * Read the manifest that CURRENT names, and change nothing; or begin a new one
 * where there is none and nothing else of an engine (never when read_only:
 * -ENOENT). A torn last edit does not count. dir stays the caller's and must
 * live longer. 0; -EUCLEAN when damaged (reported through log_corrupt());
 * -EPROTONOSUPPORT when a newer version wrote it; another -errno.
 */
int manifest_open(struct manifest **out, const struct file_ops *files, int dir,
		  bool read_only);
/*
 * Make the manifest that was read durable, and the only one: the store was
 * found sound. The first edit does the same. 0 or -errno.
 */
int manifest_make_durable(struct manifest *m);
/* NULL is accepted. */
void manifest_close(struct manifest *m);

/* ----------------------------------------------------------------- edits */
/*
 * An edit is filled, applied once and released, by one thread. The order of the
 * steps matters: they are carried out one after the other.
 */
struct manifest_edit {
	struct buf steps;
};
#define MANIFEST_EDIT_INIT ((struct manifest_edit){ BUF_INIT })

/* Free the steps; the edit can be used again. */
void manifest_edit_release(struct manifest_edit *e);
/* Add an sstable that is durable, its directory entry too. */
void manifest_edit_add(struct manifest_edit *e, uint32_t table, uint32_t level,
		       const struct sstable_info *info);
/* Drop the sstable: it is no longer live. (To move it to another level: drop,
 * add.) */
void manifest_edit_drop(struct manifest_edit *e, uint32_t table,
			uint64_t number);
/* Drop all sstables of the table that are live at this step. */
void manifest_edit_drop_files(struct manifest_edit *e, uint32_t table);
/* Set the mark: records of the table at log positions < mark are not replayed.
 * Flush: add, mark. Truncate: drop_files, mark. Marks never go back. */
void manifest_edit_mark(struct manifest_edit *e, uint32_t table, uint64_t mark);
/* Drop the table, with its sstables; the number is not used again. mark is the
 * log's end: when the log begins after it the entry is forgotten. */
void manifest_edit_drop_table(struct manifest_edit *e, uint32_t table,
			      uint64_t mark);
/* Set the log's beginning: older segments are not needed. Never goes back. */
void manifest_edit_log(struct manifest_edit *e, uint64_t position);
/* Add the segment, whose size and header are on disk. Segments before the
 * position where the log begins are forgotten by themselves. */
void manifest_edit_segment(struct manifest_edit *e, uint64_t number,
			   uint64_t size);
/* Forget the segment: its file may be removed. */
void manifest_edit_segment_gone(struct manifest_edit *e, uint64_t number);
/* Set a property. A null value removes it. Names to 255 bytes. */
void manifest_edit_property(struct manifest_edit *e, const char *name,
			    struct bytes value);

/* Add a snapshot of what is live at this step; its number must be that of
 * manifest_next_snapshot. */
void manifest_edit_snapshot(struct manifest_edit *e,
			    const struct manifest_snapshot *s);
/* Forget the snapshot, and the sstables that it alone has. */
void manifest_edit_snapshot_gone(struct manifest_edit *e, uint64_t number);

/*
 * Carry out the edit: 0 when it is durable. Nothing is changed on an error:
 * -ESTALE when it drops an sstable that is not live or a snapshot that does not
 * exist, or adds an sstable to a dropped table (a truncate or drop came
 * between: throw the outputs away); -ENOSPC and -ENOMEM (also when it was for a
 * step of the edit), after which others may still succeed; -EROFS; -EIO: the
 * disk failed now or before, nothing can be written any more until the store is
 * opened again (a failed sync is never tried again). After -EIO nobody knows
 * whether the edit is on disk: remove no file that it adds or drops; the next
 * open finds out.
 */
int manifest_apply(struct manifest *m, const struct manifest_edit *e);

/* ----------------------------------------------------------------- state */
/* Return the number of a file not yet created. No number is returned twice by
 * one process; those of files that no edit named are returned again after a
 * restart (open removed those files before). */
uint64_t manifest_next_number(struct manifest *m);
/* Copy the live files, by (table, number); mem_free. 0 or -ENOMEM. */
int manifest_files(struct manifest *m, struct manifest_file **files,
		   size_t *count);
/* True if this sstable is live or in a snapshot: open removes the others. */
bool manifest_has_file(struct manifest *m, uint64_t number);
/* Copy the marks, by table; mem_free. 0 or -ENOMEM. */
int manifest_tables(struct manifest *m, struct manifest_table **tables,
		    size_t *count);
/* Copy the log's segments, by number; mem_free. 0 or -ENOMEM. */
int manifest_segments(struct manifest *m, struct manifest_segment **segments,
		      size_t *count);
/* Where no power cut can have come: -EUCLEAN (reported) if the last edit is
 * followed by anything but a write that was interrupted. */
int manifest_check_tail(struct manifest *m);
/* Return the mark of one table; UINT64_MAX if it is dropped. */
uint64_t manifest_mark(struct manifest *m, uint32_t table);
/* Return the largest number of a table that it has an entry of; 0: none. */
uint32_t manifest_last_table(struct manifest *m);
/* Return where the log begins. */
uint64_t manifest_log(struct manifest *m);
/* Append the property's value: 0, -ENOENT, -ENOMEM. */
int manifest_property(struct manifest *m, const char *name, struct buf *value);
/* Copy the snapshots, the oldest first; mem_free. 0 or -ENOMEM. */
int manifest_snapshots(struct manifest *m, struct manifest_snapshot **snapshots,
		       size_t *count);
/* Return the number of the next snapshot. */
uint64_t manifest_next_snapshot(struct manifest *m);
/* Copy the sstables of a snapshot, by (table, number); mem_free. 0, -ENOENT,
 * -ENOMEM. */
int manifest_snapshot_files(struct manifest *m, uint64_t number,
			    struct manifest_file **files, size_t *count);
/* Copy the sstables that are only in snapshots; mem_free. One may come more
 * than once. 0 or -ENOMEM. */
int manifest_past_files(struct manifest *m, struct manifest_file **files,
			size_t *count);
/* Compute the bytes of the sstables that only this snapshot has. 0, -ENOENT,
 * -ENOMEM. */
int manifest_snapshot_held(struct manifest *m, uint64_t number,
			   uint64_t *bytes);
/* Print the name of the manifest's own file, for unknown files. */
void manifest_name(struct manifest *m, char name[32]);
/* For tests: append the whole state as one manifest file's bytes. */
int manifest_bytes(struct manifest *m, struct buf *out);
#endif
