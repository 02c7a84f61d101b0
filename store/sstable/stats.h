/*
 * Statistics of a file, gathered by the writer for compaction: its
 * sstable_info, and when its tombstones and expiring cells may be dropped.
 */
#ifndef STORE_SSTABLE_STATS_H
#define STORE_SSTABLE_STATS_H
#include "store/row/iterator.h"
#include "store/sstable/sstable.h"

#define HISTOGRAM_BUCKETS 64

/* Local times (seconds), each bucket the mean of those joined in it. */
struct histogram {
	struct histogram_bucket {
		int64_t time;
		uint64_t count;
	} buckets[HISTOGRAM_BUCKETS + 1];	/* by time */
	uint32_t used;
};
/* Add count entries of that time (seconds). Beyond its buckets the two that are
 * nearest are joined. Exported for tests. */
void histogram_add(struct histogram *h, int64_t time, uint64_t count);
/* Estimate how many were added with a time < time. */
double histogram_below(const struct histogram *h, int64_t time);

struct stats {
	struct sstable_info info;
	struct histogram drop_times;
	struct buf last_key;
};
/* Begin without a row; add a row of the file, or a deletion; release what it
 * took. */
void stats_init(struct stats *s);
void stats_release(struct stats *s);
void stats_add_row(struct stats *s, const struct row *row);
void stats_add_deletion(struct stats *s, struct deletion d);
/* Append the section's bytes. The writer sets the last key itself. */
void stats_write(struct buf *out, const struct stats *s);
/* Read a section into initialised stats. 0, -EUCLEAN, -ENOMEM. */
int stats_read(struct stats *s, struct bytes section);
/* Append the statistics as the file and the manifest have them, without size
 * and checksum; read them. Reading returns false when damaged. */
void sstable_info_write(struct buf *out, const struct sstable_info *info);
bool sstable_info_read(struct reader *r, struct sstable_info *info);
#endif
