#include "tools/connect.h"

#include <sys/statvfs.h>

#include "tools/cql/mount.h"
#include "tools/cql/store.h"
#include "tools/lib/tool.h"

/* True if the kernel lets nobody write there, and so no statement either. */
static bool is_read_only(const char *mount)
{
	struct statvfs about;

	return !statvfs(mount, &about) && about.f_flag & ST_RDONLY;
}

int connect_place(struct cql_backend **out, const struct tool_place *p,
		  bool read_only)
{
	bool unwritable = p->mount && is_read_only(p->mount);

	if (unwritable && *p->store != '/') {	/* it has -o fsname */
		tool_complain(p->mount, "it is mounted read-only and does not "
			      "tell its store (name the store instead)");
		return TOOL_FAILED;
	}
	return p->mount && !unwritable ?
		       cql_mount_open(out, p->mount) :
		       cql_store_open(out, p->store, read_only || unwritable);
}

int connect_close(struct cql_backend *b, int status)
{
	int err = b->ops->close(b);

	return status ? status : err ? TOOL_FAILED : TOOL_DONE;
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
