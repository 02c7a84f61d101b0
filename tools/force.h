/*
 * The end of a mount whose daemon does not answer.
 */
#ifndef TOOLS_FORCE_H
#define TOOLS_FORCE_H
#include <sys/types.h>

/*
 * End the daemon that has the store and serves the mount at this path, as
 * kill -9 would, and with an error all that waits for it. 0, or -errno after a
 * message.
 */
int force_end(const char *mount, const char *store);
/* Check that nobody writes the store: 0; -EBUSY: this process does (0:
 * unknown); or another error of its opening. */
int force_store_owner(const char *store, pid_t *owner);
/* Return the path of a directory without links before its last component, which
 * is not looked at: it may be a mount that does not answer. To be freed, or
 * NULL. */
char *force_path(const char *dir);
#endif
