/*
 * Requests that were read from the device and wait for their turn. Each is charged
 * to its user.
 *
 * A request leaves its queue before its turn when its caller does not wait for it
 * any more. The kernel sends an interrupt for any signal, but a program with a
 * handler for one (for the end of a child, for a timer) does not expect EINTR from
 * stat(2) or open(2). So an interrupt ends reads and writes of statements and
 * documents, and any other request only when its caller is being killed. Else
 * libfuse gets the interrupt, and sends it back to the kernel with the next request
 * that it serves: it comes again.
 */
#ifndef MOUNT_REQUEST_H
#define MOUNT_REQUEST_H
#include <fuse_lowlevel.h>
#include <stdbool.h>

#include "fs/fs.h"

enum request_weight {
	REQUEST_OF_NOBODY = 1,	/* no caller waits for it, or it ends such waits */
	REQUEST_INTERRUPT,	/* the same, of another request */
	REQUEST_LIGHT,
	REQUEST_HEAVY,		/* it may run a statement or make a document */
};

struct request {
	struct request *next;
	struct fuse_buf buf;
	/* By request_look: */
	uint32_t opcode;
	enum request_kind kind;
	enum request_weight weight;
	bool closes_locks;		/* the last close of a file that has some */
	uint64_t number;		/* of an interrupt: of the one to end */
	uid_t uid;
	pid_t pid;
	uint64_t begun_ns;		/* served since, by the monotonic clock */
	struct charge *charge;		/* while it waits, or NULL */
};
/* Make one of what was read; its buffer, which libfuse made, is taken over. NULL
 * without memory. */
struct request *request_new(struct request *read);
/* NULL is accepted. */
void request_free(struct request *r);
/* Set what its header says, after it was read into buf. Any thread. */
void request_look(struct request *r);
/*
 * Charge a request that is to wait to its user. 0, or as fs_waits. Without a user
 * nothing is charged. -EINTR: its caller was killed and closes a file as he ends;
 * the release of the file does the work of this request.
 */
int request_charge(struct fs *fs, struct request *r);

/* Note that a request is refused: if it closes a descriptor, the locks of that
 * go even so. */
void request_refused(struct fs *fs, const struct request *r);
/* Serve it, and count it (fs_served). */
void request_serve(struct fuse_session *session, struct fs *fs,
		   const struct request *r);

/* In the order they came. */
struct request_queue {
	struct request *first, **last;
};
void request_queue_init(struct request_queue *q);
void request_queue_add(struct request_queue *q, struct request *r);
/* Take the first one and end its charge; NULL: there is none. */
struct request *request_queue_take(struct request_queue *q, struct fs *fs);
/* Take the one that this interrupt ends, likewise; NULL: it is not here, or
 * continues. */
struct request *request_queue_end(struct request_queue *q, struct fs *fs,
				  const struct request *interrupt);
#endif
