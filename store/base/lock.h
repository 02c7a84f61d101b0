/*
 * Mutexes that clang's thread safety analysis understands, and the order in
 * which the store's locks are taken. A function that needs a lock says
 * REQUIRES(&x->lock). A later lock of this list may be taken while an earlier
 * one is held, never the other way round:
 *
 *   1. catalog, table, partition stripes	store/
 *   2. lsm.flushing, lsm.compacting	one long work of each kind at a time
 *   3. lsm.viewing	snapshots are opened and removed; held over I/O
 *   4. lsm.install	one change of the set of files at a time; held over I/O
 *   5. lsm.room		the files that hold room back; held over I/O
 *   6. lsm.write	one writer: memtables and log in the same order
 *   7. lsm.lock	tables and versions; short, never held over I/O
 *   8. commitlog, manifest, worker, block cache shards, dead spans, the list
 *      of open sstables: leaves; but who makes a segment of the log
 *      (commitlog.preparing) holds none of 2 to 7, and changes the manifest
 */
#ifndef STORE_BASE_LOCK_H
#define STORE_BASE_LOCK_H
#include <pthread.h>
#include <stdbool.h>

#ifdef __clang__
#define LOCK_ATTRIBUTE(x) __attribute__((x))
#else
#define LOCK_ATTRIBUTE(x)
#endif
#define REQUIRES(...) LOCK_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ACQUIRES(...) LOCK_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRES(...) LOCK_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define RELEASES(...) LOCK_ATTRIBUTE(release_capability(__VA_ARGS__))
#define UNCHECKED LOCK_ATTRIBUTE(no_thread_safety_analysis)

struct LOCK_ATTRIBUTE(capability("mutex")) mutex {
	pthread_mutex_t handle;
};
#define MUTEX_INIT { PTHREAD_MUTEX_INITIALIZER }

static inline void mutex_init(struct mutex *m)
{
	pthread_mutex_init(&m->handle, NULL);
}
static inline void mutex_release(struct mutex *m)
{
	pthread_mutex_destroy(&m->handle);
}
static inline void mutex_lock(struct mutex *m) ACQUIRES(m) UNCHECKED;
static inline void mutex_lock(struct mutex *m)
{
	pthread_mutex_lock(&m->handle);
}
static inline bool mutex_try(struct mutex *m) TRY_ACQUIRES(true, m) UNCHECKED;
static inline bool mutex_try(struct mutex *m)
{
	return !pthread_mutex_trylock(&m->handle);
}
static inline void mutex_unlock(struct mutex *m) RELEASES(m) UNCHECKED;
static inline void mutex_unlock(struct mutex *m)
{
	pthread_mutex_unlock(&m->handle);
}
/* Wait for c; m is released meanwhile. */
static inline void mutex_wait(struct mutex *m, pthread_cond_t *c) REQUIRES(m);
static inline void mutex_wait(struct mutex *m, pthread_cond_t *c)
{
	pthread_cond_wait(c, &m->handle);
}
#endif
