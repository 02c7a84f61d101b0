/*
 * Descriptors of the sstables' files, few at a time: a store may have more
 * files than the process may have open. A file without readers may be closed,
 * the one that was read longest ago first; it is opened again by its name when
 * it is needed, and must be the same file.
 *
 * Its name stays as long as the file is in the pool: a file that a compaction
 * replaced is unlinked only when its last reader has left it.
 *
 * Threads: all calls from any, but open and close of one file by one at a time.
 */
#ifndef STORE_SSTABLE_POOL_H
#define STORE_SSTABLE_POOL_H
#include "store/base/file.h"

struct file_pool;

struct pooled_file {		/* embed it; all under the pool's lock */
	struct file_pool *pool;		/* NULL: it stays open */
	const struct file_ops *files;
	int dir, fd;			/* fd -1: closed */
	unsigned readers;		/* it stays open for them */
	bool opening;			/* one of them opens it */
	struct pooled_file *newer, *older;	/* of those without readers */
	uint64_t inode, device, size;	/* as it was first */
	char name[32];
};

/* limit: descriptors that may be open without a reader, 1 at least; 0: as many
 * as leave the process those that it needs elsewhere. */
int file_pool_new(struct file_pool **out, size_t limit);
/* Free the pool, whose files are all closed. NULL is accepted. */
void file_pool_free(struct file_pool *p);
/* For tests: return the number of open files. */
size_t file_pool_open_count(struct file_pool *p);

/* Open the file, with one reader; name, files, dir and pool are set, fd is -1.
 * 0 or -errno. */
int pooled_file_open(struct pooled_file *f);
/* Return a descriptor, which stays open until as many puts; -EMFILE and the
 * like, -EUCLEAN (reported) when the file is gone or another. */
int pooled_file_get(struct pooled_file *f);
void pooled_file_put(struct pooled_file *f);
/* Close a file without readers. One that was never opened is accepted. */
void pooled_file_close(struct pooled_file *f);
#endif
