/*
 * The scrub: all files of a store, or of a table, are read and verified while
 * the mount works, by a thread of its own that rests as long as it works. One
 * at a time. Damage goes to the errors of the mount, and is kept here until the
 * next one begins. Any thread; the lock is a leaf.
 */
#ifndef FS_NODE_SCRUB_H
#define FS_NODE_SCRUB_H
#include <pthread.h>
#include <stdatomic.h>

#include "fs/node/errors.h"
#include "store/store.h"

enum scrub_state { SCRUB_NONE, SCRUB_RUNNING, SCRUB_FINISHED, SCRUB_STOPPED,
		   SCRUB_FAILED };
struct scrub {
	struct mutex lock;
	/* under lock, as all below */
	enum scrub_state state;
	bool started;			/* there is a thread to join */
	uint64_t done, total, problem_count;	/* bytes, bytes, damage */
	struct buf problems;		/* the first of them, a line each */
	pthread_t thread;
	/* The thread's, while it runs. */
	atomic_bool stop;
	struct store *store;
	struct table *table;		/* a reference; NULL: all */
	struct errors *errors;
	uid_t uid;			/* who asked for it */
	pid_t pid;
	uint64_t rested_ns;		/* the end of its last rest */
};
/* Set up an idle scrub. */
void scrub_init(struct scrub *s);
/* Begin one: 0, -EBUSY (one is running), -EAGAIN (no thread). t NULL: all. */
int scrub_start(struct scrub *s, struct store *store, struct table *t,
		struct errors *errors, uid_t uid, pid_t pid);
/* Stop a scrub that runs, wait for its thread, and release s. */
void scrub_release(struct scrub *s);
/* Append "running: 12 of 100 bytes, 0 problems" (or none, finished, stopped,
 * failed) and, with problems, a line for each of the first of them. */
void scrub_print(struct scrub *s, struct buf *out, bool problems);
#endif
