/*
 * Take what is sound out of an sstable, however damaged the rest is: the blocks
 * that pass their checksums, found by the file's index or, where that is
 * damaged, by looking for them.
 *
 * Deletions of ranges become ranges again. Where a damaged block cuts one off
 * it ends with the last key before the block, and begins again with the first
 * key behind it: what it deleted in between in other files is not deleted.
 */
#ifndef STORE_SSTABLE_SALVAGE_H
#define STORE_SSTABLE_SALVAGE_H
#include "store/sstable/sstable.h"

/* All are called by the caller's thread; what they get is theirs during the
 * call only. Results that are not 0 end the salvage and are returned. */
struct sstable_salvage {
	/* A row, decoded and found sound. */
	int (*row)(void *context, struct bytes key, const struct row *row);
	/* The deletion of the keys >= from and < to, of one partition. */
	int (*range)(void *context, struct bytes from, struct bytes to,
		     struct deletion deletion);
	/* Bytes that are lost, from offset begin to end; with the last key
	 * before them and the first one behind (empty: there is none). */
	int (*lost)(void *context, uint64_t begin, uint64_t end,
		    struct bytes before, struct bytes behind, const char *why);
	void *context;
};

/*
 * Salvage file number of directory fd dir. known: what the manifest says of it,
 * or NULL. 0, or: -EUCLEAN, nothing of it can be read (told through
 * log_corrupt()); -ENOENT; -EPROTONOSUPPORT a newer version wrote it; -ENOMEM;
 * what a call returned.
 */
int sstable_salvage(const struct file_ops *files, int dir, uint64_t number,
		    const struct sstable_info *known,
		    const struct sstable_salvage *calls);
#endif
