/*
 * The threads that serve requests, shared among users. Some threads read the
 * device; a request that takes long is found by a watcher, which starts another
 * thread in place of the one that serves it, so that short requests go on. Of
 * one user no more are served at a time than leave a thread to the others: the
 * rest of them wait here, in the order they came. What waits is charged to him: of
 * more than he may have the call ends, with ENOSPC.
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
/* Its buffer, which libfuse made, is taken over. NULL without memory. */
struct request *request_new(struct fuse_buf *buf);
void request_free(struct request *r);
/*
 * A request in buf is to wait: its user pays for it, by *charge, which the request
 * has then. 0, or as fs_waits. What nobody waits for is nobody's: NULL.
 */
int request_charge(struct fs *fs, struct charge **charge,
		   const struct fuse_buf *buf);

/* A read of the device that nothing ends is interrupted (SIGUSR1). */
void thread_wake_and_join(pthread_t thread);

struct share;
struct worker;

/* threads >= 2; each runs serve, with a worker whose context is this. */
int share_new(struct share **out, unsigned threads, int device_fd,
	      struct fs *fs, void *(*serve)(void *worker),
	      void *context);
/* 0: at least one thread runs. */
int share_start(struct share *s);
/* After the session was told to exit: wait for all threads. */
void share_join(struct share *s);
void share_free(struct share *s);

void *worker_context(const struct worker *w);
enum share_step { SHARE_READ, SHARE_SERVE, SHARE_LEAVE };
/* What the worker served is done. What is it to do? SERVE: *r, its own now. */
enum share_step share_next(struct worker *w, struct request **r);
/* The read is over. Is what was read served, does it wait (then the buffer was
 * taken over), or has its user too many that wait? */
enum share_admitted { SHARE_SERVED, SHARE_WAITS, SHARE_REFUSED };
enum share_admitted share_admit(struct worker *w, struct fuse_buf *buf);
/* The read is over, and has brought nothing. */
void share_read_failed(struct worker *w);
#endif
