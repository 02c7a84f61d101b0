/* The backend of a mount, by its .cql.raw. */
#ifndef TOOLS_CQL_MOUNT_H
#define TOOLS_CQL_MOUNT_H
#include "tools/cql/backend.h"

/* Open it; mount: the path of its root. 0, or an exit status after a message
 * on stderr. */
int cql_mount_open(struct cql_backend **out, const char *mount);
#endif
