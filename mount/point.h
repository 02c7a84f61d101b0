/* The place where a store is mounted: checks before, and the end. Another file
 * system may be mounted there by then, which is left alone. */
#ifndef MOUNT_POINT_H
#define MOUNT_POINT_H
#include <stdint.h>

#include "mount/options.h"

struct fuse_session;

/*
 * Refuse a file, a mount point, the store or a place in it, and a directory
 * above the store. The mount of a daemon that died is removed first.
 * 0, or -errno after a message.
 */
int mount_point_check(const struct mount_options *o);
/* Refuse a directory that is not empty: 0, or -errno after a message. */
int mount_point_check_empty(const char *path);
/*
 * Unmount the file system of that device and connection (control.h), if it is
 * mounted there. Its number is free for others when it has ended: a mount that
 * does not answer is unmounted then.
 */
void mount_point_leave(const char *path, int device, uint32_t connection);
/*
 * End the session, which nobody serves any more, and close its device. libfuse
 * unmounts by the path where the device does not say that the connection has
 * ended: a pipe without a reader in its place says so.
 */
void mount_point_close(struct fuse_session *session);
#endif
