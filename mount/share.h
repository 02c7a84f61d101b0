/*
 * The threads that serve requests, shared among users. Some threads read the
 * device; a watcher finds a request that takes long, and starts another thread
 * in place of the one that serves it, so that short requests continue. Of one
 * user no more are served at a time than leave a thread to the others: the rest
 * of them wait here, in the order they came, unless their callers are killed
 * (request.h). Waiting requests are charged to him: beyond what he may have, a
 * call ends with ENOSPC.
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
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct fs;
struct request;

/* The signal that ends a thread's read of the device, which nothing else ends. It
 * does nothing where nothing handles it; SIGUSR1 and SIGUSR2 are the user's. */
#define SHARE_WAKE_SIGNAL SIGURG
/* Wake a thread from a read of the device, and join it. */
void share_wake_and_join(pthread_t thread);

struct share;
struct share_worker;

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

/* Return the context that share_new was given. */
void *share_worker_context(const struct share_worker *w);
enum share_step { SHARE_READ, SHARE_SERVE, SHARE_LEAVE };
/* End the worker's request, and return its next step. SERVE: *r, its own
 * now. */
enum share_step share_next(struct share_worker *w, struct request **r);
/*
 * Admit a request after the read (request_look). 1: it is served; 0: it waits, and
 * its buffer was taken over. An errno ends the request of this number: -ENOSPC, its
 * user has too many that wait; -EINTR, its caller does not wait for it any more.
 */
int share_admit(struct share_worker *w, struct request *read);
/* End a read that has brought nothing. */
void share_read_failed(struct share_worker *w);
/*
 * Wait until other threads have served what they have read so far of closes of
 * files that have locks. The kernel lets the caller of a close go on when it has
 * sent it, and another thread may then be the first to serve.
 */
void share_settle(struct share *s);
#endif
