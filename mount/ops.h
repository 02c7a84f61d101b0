/*
 * The requests of the kernel, as libfuse hands them over, to fs.h and back.
 */
#ifndef MOUNT_OPS_H
#define MOUNT_OPS_H
#include <fuse_lowlevel.h>
#include <stdbool.h>

struct fs;
struct loop;
struct notifier;

/* The session's user data. */
struct mount {
	struct fs *fs;
	struct loop *loop;
	struct notifier *notifier;	/* NULL until invalidate_start */
	bool no_xattr;
};

extern const struct fuse_lowlevel_ops mount_ops;
#endif
