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

struct charge;
struct fs;

struct request {
	struct request *next;
	struct fuse_buf buf;
	struct charge *charge;		/* while it waits, or NULL */
};
/* Make one. Its buffer, which libfuse made, is taken over. NULL without
 * memory. */
struct request *request_new(struct fuse_buf *buf);
/* NULL is accepted. */
void request_free(struct request *r);
/*
 * Charge a request in buf that is to wait to its user, by *charge, which belongs
 * to the request. 0, or as fs_waits. A request without a user: NULL. -EINTR: its
 * caller was killed and closes a file as he ends; the release of the file does
 * the work of this request.
 */
int request_charge(struct fs *fs, struct charge **charge,
		   const struct fuse_buf *buf);

enum request_weight {
	REQUEST_OF_NOBODY,	/* no caller waits for it, or it ends such waits */
	REQUEST_INTERRUPT,	/* the same, of another request */
	REQUEST_LIGHT,
	REQUEST_HEAVY,		/* it may run a statement or make a document */
};
/* Return how much memory the request may need, by its header. Any thread. */
enum request_weight request_weight(const struct fuse_buf *buf);
/* True if it is the last close of a file that has locks. */
bool request_closes_locks(const struct fuse_buf *buf);
/* Return its number; of an interrupt: that of the request to end. */
uint64_t request_number(const struct fuse_buf *buf);

/* Note that a request is refused: if it closes a descriptor, the locks of that
 * go even so. */
void request_refused(struct fs *fs, const struct fuse_buf *buf);
/* Serve it, and count it (fs_served). */
void request_serve(struct fuse_session *session, struct fs *fs,
		   const struct fuse_buf *buf);

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
				  const struct fuse_buf *interrupt);
#endif
