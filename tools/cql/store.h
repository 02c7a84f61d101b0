/* The backend of a store in this process. */
#ifndef TOOLS_CQL_STORE_H
#define TOOLS_CQL_STORE_H
#include "tools/cql/backend.h"

/* Open it. 0, or an exit status after a message on stderr. */
int cql_store_open(struct cql_backend **out, const char *path, bool read_only);
#endif
