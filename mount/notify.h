/*
 * Tell the service manager how the daemon is (sd_notify(3), without its
 * library: one datagram to the socket that NOTIFY_SOCKET names).
 */
#ifndef MOUNT_NOTIFY_H
#define MOUNT_NOTIFY_H

/* Send lines such as "READY=1". Without a manager, or where it cannot be told,
 * nothing happens. Any thread. */
void notify_manager(const char *lines);
#endif
