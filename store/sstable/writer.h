/*
 * Write an sstable, front to back, in one go. A crash leaves a file without a
 * footer, or one with a footer that no manifest edit names: both are
 * unfinished.
 *
 * The order: all bytes of the file, fdatasync of the file (finish); then the
 * caller syncs the directory; then the manifest names the file.
 */
#ifndef STORE_SSTABLE_WRITER_H
#define STORE_SSTABLE_WRITER_H
#include "store/sstable/compressor.h"
#include "store/sstable/sstable.h"

struct sstable_writer;
struct sstable_options {
	uint32_t table;		/* the number of the table; 0: not said */
	uint32_t block_size;	/* bytes before compression; 0: default */
	uint32_t filter_bits;	/* per key; 0: default 10 */
	struct compression compression;	/* where it saves enough */
	/* Keep a block compressed where it is so many times as small: 1 or
	 * more; 0: default, which saves an eighth. */
	double least_ratio;
	bool measure_only;	/* no file: only tells its size */
	/* Upper estimates, which save memory while a large file is written; 0:
	 * not known. */
	uint64_t expected_rows, expected_partitions;
};

/* Make the file, and a writer of it. 0 or -errno. */
int sstable_writer_create(struct sstable_writer **out,
			  const struct file_ops *files, int dir,
			  uint64_t number, const struct sstable_options *options);
/* Add an entry. Keys must ascend. */
int sstable_writer_add(struct sstable_writer *w, const struct entry *entry);
/* Return the number of bytes written so far: outputs are cut by it. */
uint64_t sstable_writer_size(const struct sstable_writer *w);
/* Complete and sync the file (the caller syncs the directory). */
int sstable_writer_finish(struct sstable_writer *w, struct sstable_info *info);
/* Close the writer, and remove the file unless it is finished. NULL is
 * accepted. */
void sstable_writer_close(struct sstable_writer *w);
#endif
