/* The memory that this process may use, and the defaults that follow from it.
 * Any thread. */
#ifndef STORE_BASE_MEMORY_H
#define STORE_BASE_MEMORY_H
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of memory that there are, or that control groups (of version 1 or 2)
 * leave to this process, if that is less. root: where proc and the groups are
 * looked for, "" but in tests.
 */
uint64_t memory_limit(const char *root);
/* Defaults of a store: 128 MiB for the cache of blocks, 64 MiB for memtables;
 * an eighth and a sixteenth of the memory where that is less. */
size_t memory_default_cache(void);
size_t memory_default_memtables(void);
/* Files and directories that a mount may know because the kernel does: 256 Ki,
 * for 96 MiB; for a sixteenth of the memory where that is less. */
size_t memory_default_nodes(void);
/* The memory that a reader (an iterator, a cursor, a result) holds. */
struct memory_use {
	uint64_t bytes;		/* its own: blocks, rows that were merged */
	/* Called for each source in memory (a memtable) that it pins and that is
	 * no part of the table any more; NULL: not wanted. */
	void (*past)(void *context, const void *source, uint64_t bytes);
	void *context;
};
#endif
