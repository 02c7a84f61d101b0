/*
 * Pass the requests of the kernel, as libfuse delivers them, to fs.h and back.
 */
#ifndef MOUNT_OPS_H
#define MOUNT_OPS_H
#include <fuse_lowlevel.h>
#include <stdbool.h>

#include "store/base/bytes.h"

struct fs;
struct loop;
struct notifier;
struct watchdog;

/* The session's user data. */
struct mount {
	struct fs *fs;
	struct loop *loop;
	struct notifier *notifier;	/* NULL until invalidate_start */
	struct watchdog *watchdog;	/* NULL: no manager asks */
	unsigned max_read;		/* bytes of a request; 0: no bound */
	bool no_xattr;
};

/*
 * The answer to a request: an error if result < 0; else nothing more, the
 * result as a count, the data, attributes, or an entry that the kernel counts
 * (of a file that was also opened, with created).
 */
struct answer {
	fuse_req_t req;
	int64_t result;
	enum { ANSWER_DONE, ANSWER_COUNT, ANSWER_DATA, ANSWER_ATTR,
	       ANSWER_ENTRY, ANSWER_CREATED } kind;
	struct buf data;
	struct stat attr;
	double timeout_s;
	struct fuse_entry_param entry;
	struct fuse_file_info opened;
};
/* Send it at once. Its data is released. */
void answer_send(struct answer *a);

extern const struct fuse_lowlevel_ops mount_ops;
#endif
