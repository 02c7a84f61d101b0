/*
 * The threads that serve requests, shared among users. Some threads read the
 * device; a watcher finds a request that takes long, and starts another thread
 * in place of the one that serves it, so that short requests go on. Of one user
 * no more are served at a time than leave a thread to the others: the rest of
 * them wait here, in the order they came. Waiting requests are charged to him:
 * beyond what he may have, a call ends with ENOSPC.
 *
 *                   share_next
 *      READ: receive, share_admit ----> waits for its turn
 *        |                                 |
 *      serve                             SERVE: it and free it
 *        +-----------> share_next <--------+
 */
#ifndef MOUNT_SHARE_H
#define MOUNT_SHARE_H
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdbool.h>

struct charge;
struct fs;

/* A request that was read and waits. */
struct request {
	struct request *next;
	struct fuse_buf buf;
	struct charge *charge;		/* while it waits, or NULL */
};
/* Make one. Its buffer, which libfuse made, is taken over. NULL without
 * memory. */
struct request *request_new(struct fuse_buf *buf);
void request_free(struct request *r);
/*
 * Charge a request in buf that is to wait to its user, by *charge, which
 * belongs to the request. 0, or as fs_waits. A request without a user: NULL.
 */
int request_charge(struct fs *fs, struct charge **charge,
		   const struct fuse_buf *buf);

/* Wake a thread from a read of the device, which nothing else ends (SIGUSR1),
 * and join it. */
void thread_wake_and_join(pthread_t thread);

struct share;
struct worker;

/* Make it. threads >= 2; each runs serve, with a worker whose context is
 * this. */
int share_new(struct share **out, unsigned threads, int device_fd,
	      struct fs *fs, void *(*serve)(void *worker),
	      void *context);
/* Start. 0: at least one thread runs. */
int share_start(struct share *s);
/* After the session was told to exit: wait for all threads. */
void share_join(struct share *s);
void share_free(struct share *s);

void *worker_context(const struct worker *w);
enum share_step { SHARE_READ, SHARE_SERVE, SHARE_LEAVE };
/* End the worker's request, and return its next step. SERVE: *r, its own
 * now. */
enum share_step share_next(struct worker *w, struct request **r);
/* Admit a request after the read: it is served, it waits (then the buffer was
 * taken over), or its user has too many that wait. */
enum share_admitted { SHARE_SERVED, SHARE_WAITS, SHARE_REFUSED };
enum share_admitted share_admit(struct worker *w, struct fuse_buf *buf);
/* End a read that has brought nothing. */
void share_read_failed(struct worker *w);
#endif
