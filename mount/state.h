/*
 * The state of the daemon, written to its log at each SIGUSR1: how it is mounted,
 * what it does and holds, and for whom.
 */
#ifndef MOUNT_STATE_H
#define MOUNT_STATE_H

struct fs;
struct state_writer;

/*
 * Start a thread that waits for SIGUSR1, which every thread of the process must
 * have blocked, and writes the state as root sees it in .widefs, a line of the log
 * each, whatever the level of the log. Signals that come while it writes, or in the
 * second after that, are one more. mountpoint and fs must outlive it. 0 or -errno.
 */
int state_start(struct state_writer **out, struct fs *fs, const char *mountpoint);
/* End the thread, after what it is writing; requests must still be served. NULL is
 * accepted. */
void state_stop(struct state_writer *s);
#endif
