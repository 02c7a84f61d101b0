/*
 * An sstable is an immutable file of rows and range bounds in key order. A
 * flush or a compaction writes it whole (writer.h); from then on it is only
 * read, by any number of threads, until the last reference goes. format.h has
 * the layout.
 */
#ifndef STORE_SSTABLE_SSTABLE_H
#define STORE_SSTABLE_SSTABLE_H
#include "store/base/file.h"
#include "store/row/iterator.h"
#include "store/sstable/format.h"

struct block_cache;
struct sstable;

/* Statistics that the writer collects. They are stored in the file; the
 * manifest repeats them. */
struct sstable_info {
	uint64_t number;
	uint64_t size;			/* bytes of the file */
	uint64_t checksum;		/* XXH3 of footer and sections: identity */
	uint64_t row_count, cell_count, tombstone_count, partition_count;
	int64_t min_timestamp, max_timestamp;
	int64_t min_local_time, max_local_time;
	bool has_permanent;		/* something never expires */
	bool has_bounds;		/* a range or partition deletion */
	int64_t first_token, last_token;
	uint64_t raw_size;		/* before compression */
	uint32_t largest_partition_rows;
	int64_t created;		/* seconds: when the writer finished it */
};

/* Print the file's name in the store's directory. */
void sstable_name(char name[32], uint64_t number);
/* Read such a name: 0 with its number, or -EINVAL. */
int sstable_name_parse(uint64_t *number, const char *name);

/*
 * Open file number NAME in directory fd dir, reading index and filters (all
 * checksums but those of the blocks, which are checked when read). The caller
 * gets the first reference. 0, -EUCLEAN (reported through log_corrupt()),
 * -EPROTONOSUPPORT when a newer version wrote it, or another -errno.
 */
int sstable_open(struct sstable **out, const struct file_ops *files, int dir,
		 uint64_t number, struct block_cache *cache);
/* The same, but return the sstable that is open already with this cache, if
 * there is one: for files with several owners, which the last put removes. */
int sstable_share(struct sstable **out, const struct file_ops *files, int dir,
		  uint64_t number, struct block_cache *cache);
/* Return a reference to the one that is open with this cache, or NULL. */
struct sstable *sstable_find(struct block_cache *cache, uint64_t number);
struct sstable *sstable_get(struct sstable *t);
void sstable_put(struct sstable *t);
/* Unlink the file at the last put: the manifest does not name it any more. */
void sstable_drop(struct sstable *t);
const struct sstable_info *sstable_info(const struct sstable *t);
/* Return the number of the table that it was written for, which may have been
 * restored as another since; 0: it does not say. */
uint32_t sstable_table(const struct sstable *t);
/* Return the smallest and largest key. Valid while a reference is held. */
struct bytes sstable_first_key(const struct sstable *t);
struct bytes sstable_last_key(const struct sstable *t);
/* Return the number of entries, of the kind that has the most. */
uint64_t sstable_entries(const struct sstable_info *info);
/* Estimate, by the drop-time histogram, the share (0 to 1) of the stored data
 * that is tombstones made, or cells expired, before gc_before. */
double sstable_droppable(const struct sstable *t, int64_t gc_before);

/*
 * Facts found out about the file. They are not stored, so they are found out
 * again after the next open. Any thread.
 *
 * Damaged: a block that was read, at *offset (may be NULL), or its contents.
 */
void sstable_set_damaged(struct sstable *t, uint64_t offset);
bool sstable_is_damaged(const struct sstable *t, uint64_t *offset);
enum sstable_mark {
	SSTABLE_TOLD = 1,	/* its damage was reported */
	SSTABLE_NO_GAIN = 2,	/* a purge of it purged nothing */
};
/* True if it was not marked so before. */
bool sstable_mark(struct sstable *t, enum sstable_mark mark);
bool sstable_is_marked(const struct sstable *t, enum sstable_mark mark);

/* Count its blocks by how they are compressed (enum block_how). Reads a byte of
 * each. 0, -EUCLEAN (reported), -errno. */
int sstable_count_blocks(struct sstable *t, uint64_t counts[BLOCK_HOWS]);

/* Filters. hash: sstable_key_hash() of token+partition key, or of a row's whole
 * key. False: the file certainly does not have it. A file without a row filter
 * returns true for any row: ask for the partition first. */
uint64_t sstable_key_hash(struct bytes key);
bool sstable_may_contain_partition(const struct sstable *t, uint64_t hash);
bool sstable_may_contain_row(const struct sstable *t, uint64_t hash);
bool sstable_has_row_filter(const struct sstable *t);

/*
 * Look up the row at key and the range deletion in force at it. Returns 1 with
 * *row (encoded; a copy in arena), 0 when there is no row (*in_force is set all
 * the same), or -errno. Only the arena allocates.
 */
int sstable_lookup(struct sstable *t, struct bytes key, struct arena *arena,
		   struct bytes *row, struct deletion *in_force);
#endif
