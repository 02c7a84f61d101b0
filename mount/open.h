/* Open the store, and report errors. */
#ifndef MOUNT_OPEN_H
#define MOUNT_OPEN_H
#include "mount/options.h"

struct store;

/*
 * Open the store as the options say; made where there is none, but not inside
 * another. If another process is closing it, wait some seconds. 0, or -errno
 * after a message; *out is the caller's.
 */
int open_store(struct store **out, const struct mount_options *o);
#endif
