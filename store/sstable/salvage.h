/*
 * Read the sound blocks of a damaged sstable: those that pass their checksums,
 * found by the file's index or, where that is damaged, by a search.
 *
 * Deletions of ranges become ranges again. Where a damaged block interrupts
 * one, it ends with the last key before the block, and begins again with the
 * first key after it: keys in between are not deleted in other files.
 */
#ifndef STORE_SSTABLE_SALVAGE_H
#define STORE_SSTABLE_SALVAGE_H
#include "store/sstable/sstable.h"

/* All are called by the caller's thread; their arguments are valid during the
 * call only. A result that is not 0 ends the salvage and is returned. */
struct sstable_salvage {
	/* A row, decoded and found sound. */
	int (*row)(void *context, struct bytes key, const struct row *row);
	/* The deletion of the keys >= from and < to, of one partition. */
	int (*range)(void *context, struct bytes from, struct bytes to,
		     struct deletion deletion);
	/* Bytes from offset begin to end are lost: between this last key before
	 * them and this first one after (empty: there is none). */
	int (*lost)(void *context, uint64_t begin, uint64_t end,
		    struct bytes before, struct bytes behind, const char *why);
	void *context;
};

/*
 * Find the number of the table that the file says it is of, in its footer or,
 * where that is damaged, its header: sstable_salvage proves that of a header,
 * as it finds blocks of that table alone. 0: it does not say. 0, -EUCLEAN when
 * both are damaged, -ENOENT, -errno.
 */
int sstable_salvage_table(const struct file_ops *files, int dir,
			  uint64_t number, uint32_t *table);
/*
 * Salvage file number of directory fd dir. known: what the manifest says of it,
 * or NULL. 0, or: -EUCLEAN, nothing of it can be read (reported through
 * log_corrupt()); -ENOENT; -EPROTONOSUPPORT a newer version wrote it; -ENOMEM;
 * what a call returned.
 */
int sstable_salvage(const struct file_ops *files, int dir, uint64_t number,
		    const struct sstable_info *known,
		    const struct sstable_salvage *calls);
#endif
