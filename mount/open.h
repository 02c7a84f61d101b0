/* Opening the store, and what is said where that fails. */
#ifndef MOUNT_OPEN_H
#define MOUNT_OPEN_H
#include "mount/options.h"

struct store;

/*
 * As the options say; made where there is none, but not inside another. One
 * that a process leaves just now is waited for, some seconds. 0, or -errno
 * after a message; *out is the caller's.
 */
int open_store(struct store **out, const struct mount_options *o);
#endif
