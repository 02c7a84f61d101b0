/*
 * Telling the kernel what changed. One thread takes the tree's notices and
 * sends them in order; replies that must not be seen before their notices are
 * sent by it too; handlers never wait (the deadlock rules of fuse.md 4). A
 * second thread is the clock of what expires.
 */
#ifndef MOUNT_INVALIDATE_H
#define MOUNT_INVALIDATE_H
#include "mount/ops.h"
#include "store/base/bytes.h"

struct loop;

/* Start both threads for m, before the session's threads. */
int invalidate_start(struct mount *m, struct loop *l);
/* End them, before unmounting; what waits is answered. */
void invalidate_stop(struct mount *m);
/* After the session's threads have ended. */
void invalidate_free(struct mount *m);
/* An error if result < 0; else success, the result as a count, or the data. */
struct answer {
	int64_t result;
	enum { ANSWER_DONE, ANSWER_COUNT, ANSWER_DATA } kind;
	struct buf data;
};
/* Answer req after the notice of that number, at once if it is 0; the data is
 * taken over. Any thread. */
void invalidate_reply_after(struct mount *m, uint64_t notice, fuse_req_t req,
			    struct answer *a);
/* The kernel drops the attributes of a node now; it takes no lock for it, so
 * handlers may call this. */
void invalidate_attributes(struct mount *m, uint64_t node);
#endif
