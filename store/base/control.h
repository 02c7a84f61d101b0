/*
 * The kernel's control of FUSE connections (fusectl).
 */
#ifndef STORE_BASE_CONTROL_H
#define STORE_BASE_CONTROL_H
#include <stdint.h>

/* Find the number of a mount's connection, without a request to its daemon: 0
 * or -errno. */
int control_connection(const char *mountpoint, uint32_t *number);
/*
 * The file that aborts a connection when something is written to it, or -1. It
 * is writable for who mounted. A file that is opened while the mount is sound
 * belongs to this connection for ever, and to none that gets the same number
 * later.
 */
int control_abort_open(uint32_t connection);
#endif
