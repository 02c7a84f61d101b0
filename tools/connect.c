#include "tools/connect.h"

#include "tools/cql/mount.h"
#include "tools/cql/store.h"
#include "tools/lib/tool.h"

int connect_place(struct cql_backend **out, const struct tool_place *p,
		  bool read_only)
{
	return p->mount ? cql_mount_open(out, p->mount) :
			  cql_store_open(out, p->store, read_only);
}

int connect_run(struct cql_backend *b, struct bytes statement)
{
	if (!b->ops->execute(b, statement))
		return TOOL_DONE;
	tool_complain(b->place, "%s", b->error.message);
	return TOOL_FAILED;
}

int connect_next(struct cql_backend *b, const struct bytes **values)
{
	int more = b->ops->next(b, values);

	if (more >= 0)
		return more;
	tool_complain(b->place, "%s", b->error.message);
	return -1;
}
