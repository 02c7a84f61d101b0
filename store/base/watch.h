/*
 * A watch over the reads of a statement: it counts the files that they open,
 * and asks whether the caller still waits. It belongs to a thread; the engine
 * reports to the watch of its thread, if there is one, so other readers and
 * background work have no part in it.
 */
#ifndef STORE_BASE_WATCH_H
#define STORE_BASE_WATCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/lock.h"

#define WATCH_FILES 32	/* so many are named; the others are counted */

struct watch {
	/* Asked now and then; true: reads fail with -EINTR from now on. */
	bool (*stop)(void *context);
	void *context;
	bool stopped;
	uint32_t steps;
	uint64_t bytes;
	uint64_t tombstones;		/* of point reads: cursors count theirs */
	uint64_t files[WATCH_FILES];	/* numbers of sstables, each once */
	uint32_t file_count;		/* may be larger */
};

/* Make w the thread's watch (NULL: none). Returns the one before. */
struct watch *watch_set(struct watch *w);
/* Forget what was read. */
void watch_clear(struct watch *w);

/* Count an entry, before it is looked at: 0 or -EINTR. */
int watch_step(void);
/* The same after work on so many bytes. */
int watch_bytes(size_t len);
/* The same, asked at once: between steps that take long. */
int watch_ask(void);
/* Lock it, however long that takes, or end with -EINTR. */
int watch_lock(struct mutex *m) TRY_ACQUIRES(0, m);
void watch_file(uint64_t number);
void watch_tombstones(uint64_t count);
#endif
