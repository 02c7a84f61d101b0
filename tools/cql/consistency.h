/* Levels of consistency: one node has all of them, and refuses what Cassandra does. */
#ifndef TOOLS_CQL_CONSISTENCY_H
#define TOOLS_CQL_CONSISTENCY_H
#include "tools/cql/shell.h"

/* False if the level is refused, with *error set; its message in arena. */
bool shell_consistency_allows(struct shell *shell, struct bytes statement,
			      struct arena *arena, struct cql_error *error);
/* As Cassandra writes them, ended by NULL; and the one of that name, or NULL. */
extern const char *const shell_consistency_levels[];
const char *shell_consistency_level(struct bytes name);
#endif
