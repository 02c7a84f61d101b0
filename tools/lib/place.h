/*
 * The place that an argument STORE or TABLE of a command names: a mount (any
 * path in it) or a store that is not mounted, and a table in it.
 */
#ifndef TOOLS_LIB_PLACE_H
#define TOOLS_LIB_PLACE_H
#include "store/base/bytes.h"

struct tool_place {
	char *mount, *store;	/* mount NULL: the store, not mounted */
	char *snapshot;		/* the name in .snapshots that it is in, or NULL */
	char *keyspace, *table;	/* as the schema has them; NULL: all of them */
};
#define PLACE_INIT ((struct tool_place){ NULL, NULL, NULL, NULL, NULL })

/* The places that a command accepts besides the whole store and a table. */
enum place_wants { PLACE_TABLES = 0, PLACE_KEYSPACES = 1, PLACE_SNAPSHOTS = 2 };

/*
 * Find it. path NULL: the mount that the working directory is in. wants: of enum
 * place_wants. A path in .json stands for that in the tree. 0, or an exit status
 * after a message; then there is nothing to release.
 */
int place_find(struct tool_place *p, const char *path, unsigned wants);
void place_release(struct tool_place *p);
/* True if the directory of that name, which need not exist, is or would be in a
 * mount or in a store. */
bool place_is_inside(const char *path);
/* Return the mount of the store at that path, to be freed, or NULL. */
char *place_mount_of_store(const char *store);
/* Append a file of the mount's .widefs. 0, -errno; -ETIMEDOUT: its daemon does
 * not answer within timeout_s (0: wait for ever). */
int place_read_control(const struct tool_place *p, const char *name,
		       struct buf *out, unsigned timeout_s);
#endif
