/*
 * The service manager's watchdog (sd_watchdog_enabled(3)): it ends a daemon that does
 * not say in time that it is well. The daemon says so when a request of its own was
 * answered, which goes the way of everybody's: through the kernel, the session's
 * threads, the tree and the engine. One that is stuck stays silent.
 */
#ifndef MOUNT_WATCHDOG_H
#define MOUNT_WATCHDOG_H
#include <stdbool.h>

struct watchdog;

/*
 * Start the thread that asks, before the session's threads, if a manager wants it
 * (WATCHDOG_USEC and WATCHDOG_PID); *out is NULL if none does. is_alone: one thread
 * serves all requests (watchdog_pat). mountpoint outlives it. 0 or -errno.
 */
int watchdog_start(struct watchdog **out, const char *mountpoint,
		   bool is_alone);
/* Say that a long request goes on. While the only thread serves it none of ours is
 * answered; several threads leave one to us. That thread; NULL is accepted. */
void watchdog_pat(struct watchdog *w);
/* Let it ask no more. It may still wait for an answer, which the end of the session
 * gives. NULL is accepted, as by the next. */
void watchdog_stop(struct watchdog *w);
/* After the device is closed: wait for its thread, and free it. */
void watchdog_free(struct watchdog *w);
#endif
