/* The backend of CQL for the place that a command works on. */
#ifndef TOOLS_CONNECT_H
#define TOOLS_CONNECT_H
#include "tools/cql/backend.h"
#include "tools/lib/place.h"

/* Open it. read_only: of a store that is not mounted. Of a mount that is
 * read-only it is the store, which can be read beside it. 0, or an exit status
 * after a message. */
int connect_place(struct cql_backend **out, const struct tool_place *p,
		  bool read_only);
/* Close it: the status, or, if that is 0 and it fails, TOOL_FAILED after a message. */
int connect_close(struct cql_backend *b, int status);
/* Run a statement: 0, or an exit status after a message. */
int connect_run(struct cql_backend *b, struct bytes statement);
/* Read the next row: 1, 0; -1 after a message. */
int connect_next(struct cql_backend *b, const struct bytes **values);
#endif
