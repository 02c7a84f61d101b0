/* Where a store may be mounted. 0, or -errno after a message. */
#ifndef MOUNT_POINT_H
#define MOUNT_POINT_H
#include "mount/options.h"

/*
 * Not what is no directory, a mount already, the store or a place in it, or what
 * has the store below it. The mount of a daemon that died is taken away first.
 */
int mountpoint_check(const struct mount_options *o);
/* Nor a directory with something in it. */
int mountpoint_check_empty(const char *path);
#endif
