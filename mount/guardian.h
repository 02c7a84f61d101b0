/*
 * A daemon can die and stay in the kernel: a thread that sends a notice waits
 * there, deaf to all signals, for a lock that a client holds, and the client
 * waits for the answer of the dead. While that thread exists the device is
 * open, the callers hang and the store is locked. The guardian is a small
 * process that outlives the daemon: it sees the death and aborts the connection
 * by the kernel's control filesystem, which ends every request with an error.
 * Where that is not mounted (an ordinary user cannot do it) the guardian has
 * the device too and refuses the requests itself, which needs kernel 6.9 for
 * those that the daemon had taken.
 */
#ifndef MOUNT_GUARDIAN_H
#define MOUNT_GUARDIAN_H
#include <stdint.h>
#include <sys/types.h>

struct guardian {
	pid_t pid;
	int fd;			/* tells it the connection and our end */
};
#define GUARDIAN_INIT { .pid = 0, .fd = -1 }

/*
 * Fork it, while this process has neither threads nor files that it must not
 * keep. argv: its copy becomes the guardian's own name, so that a search for
 * the daemon's command line finds only the daemon. 0 or -errno.
 */
int guardian_start(struct guardian *g, int argc, char **argv);
/* After the mount: set the connection to abort; device, where no control
 * filesystem is available. 0 or -errno. */
int guardian_watch(struct guardian *g, uint32_t connection, int device);
/* After the device is closed: let it end, and wait for it. */
void guardian_stop(struct guardian *g);
#endif
