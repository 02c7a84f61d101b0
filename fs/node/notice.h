/*
 * The queues of notices for the kernel, which the mount's notifiers drain.
 * Adding never waits and takes no other lock. Any thread.
 */
#ifndef FS_NODE_NOTICE_H
#define FS_NODE_NOTICE_H
#include <pthread.h>

#include "fs/node/kernel_notice.h"
#include "fs/node/node.h"

/* Notices of one kind of lock, in their order. */
struct notice_ring {
	pthread_cond_t more;
	struct fs_notice *ring;
	size_t cap, first, count;
	uint64_t sending;		/* the first that is sent, or 0 */
};

struct notices {
	struct mutex lock;
	struct notice_ring rings[FS_NOTICE_LOCKS];	/* under lock, as all */
	uint64_t number;		/* of the last one added */
	_Atomic bool has_taker;
	bool stopped;
};
/* Make an empty queue: 0 or -ENOMEM. Its release drops what it still has.
 * Nobody else uses it then. */
int notices_init(struct notices *q);
void notices_release(struct notices *q);
/*
 * Add notices for those copies in bits (enum armed) that the kernel may have of
 * n, and disarm them. Returns the number of the last notice, or 0 without one.
 */
uint64_t notice_node(struct notices *q, struct node *n, uint32_t bits);
/* True if the notices of inodes up to that number were sent, or if nobody takes
 * any. */
bool notices_are_sent(struct notices *q, uint64_t number);
/* Add a notice that every cached name is stale. */
uint64_t notice_epoch(struct notices *q);
/* Add a notice that there are more nodes than the bound. */
void notice_prune(struct notices *q);
/* Add a notice for a name that no node has any longer, in the directory with that
 * number. */
uint64_t notice_name(struct notices *q, uint64_t parent, struct bytes name,
		     bool directory);
/* Return how many wait to be taken. */
size_t notices_waiting(struct notices *q, enum fs_notice_lock lock);
/* The calls of fs.h on notices, which has what they do. */
void notices_add(struct notices *q, const struct fs_notice *notice);
size_t notices_take(struct notices *q, enum fs_notice_lock lock,
		    struct fs_notice *out, size_t max, int timeout_ms);
void notices_sent(struct notices *q, enum fs_notice_lock lock);
void notices_pending(struct notices *q, uint64_t first[FS_NOTICE_LOCKS]);
void notices_stop(struct notices *q);
#endif
