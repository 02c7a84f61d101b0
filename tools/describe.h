/* The definitions of a place, as DESCRIBE gives them. */
#ifndef TOOLS_DESCRIBE_H
#define TOOLS_DESCRIBE_H
#include "store/base/arena.h"
#include "tools/cql/backend.h"
#include "tools/lib/place.h"

struct definition {
	/* Names as CQL writes them; the kind: keyspace, type, table, index. */
	struct bytes keyspace, kind, name, statement;
	struct definition *next;
};
struct definitions {
	struct arena arena;
	struct definition *first, **last;
};
/*
 * Read them in the order in which they can be run: of all keyspaces but the
 * system's, of one, or of one table with its indexes. Names as the schema has
 * them, or NULL. 0, or an exit status after a message.
 */
int describe_read(struct definitions *d, struct cql_backend *b,
		  const char *keyspace, const char *table);
void describe_release(struct definitions *d);
/* Say that the table of the place is not there, and which one is like it.
 * Returns TOOL_NONE, or another status after its message. */
int describe_no_table(const struct tool_place *p);
#endif
