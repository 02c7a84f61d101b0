/* Check where a store may be mounted. 0, or -errno after a message. */
#ifndef MOUNT_POINT_H
#define MOUNT_POINT_H
#include "mount/options.h"

/*
 * Refuse a file, a mount point, the store or a place in it, and a directory
 * above the store. The mount of a daemon that died is removed first.
 */
int mount_point_check(const struct mount_options *o);
/* Refuse a directory that is not empty. */
int mount_point_check_empty(const char *path);
#endif
