/*
 * The session's loop: a few long-lived threads that read requests from
 * /dev/fuse and answer them. libfuse 3.14 forgets to confirm some INIT flags
 * that it asked for; the loop lies between the library and the device and sets
 * them in that one reply.
 */
#ifndef MOUNT_LOOP_H
#define MOUNT_LOOP_H
#include <fuse_lowlevel.h>
#include <stdbool.h>

struct fs;
struct loop;

/* Make it after the mount, before the first request; fs outlives it. threads >=
 * 1. */
int loop_new(struct loop **out, struct fuse_session *session, unsigned threads,
	     struct fs *fs);
/*
 * Look for an interrupt, in a request that takes long. The kernel sends it as a
 * request of its own, which the only thread must read itself; other requests
 * that it reads are served later. With several threads another one reads it.
 * NULL is accepted.
 */
void loop_look(struct loop *l);
/* Wait until closes that were read before are served: share_settle. The only
 * thread serves all in their order. */
void loop_settle(struct loop *l);
/* Start the threads. */
int loop_start(struct loop *l);
/* Return a descriptor that becomes readable when the session has ended
 * (unmounted). */
int loop_ended_fd(const struct loop *l);
/* End the session and wait for the threads; requests being served are
 * answered. */
void loop_join(struct loop *l);
void loop_free(struct loop *l);
struct fuse_session *loop_session(const struct loop *l);
/* Send a notification that the library does not know: 0 or -errno. */
int loop_notify(struct loop *l, int code, const void *body, size_t len);
#endif
