#include "tools/force.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/control.h"
#include "store/base/process.h"
#include "store/marker.h"
#include "tools/lib/tool.h"

int force_store_owner(const char *store, pid_t *owner)
{
	struct marker_file marker = MARKER_FILE_INIT;
	bool created;
	int err;

	err = marker_open(&marker, &file_system, store, true, false, &created);
	*owner = err == -EBUSY ? marker.holder : 0;
	marker_close(&marker, &file_system);
	return err;
}

static int abort_connection(uint32_t connection)
{
	int fd = control_abort_open(connection);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, "1", 1);
	close(fd);
	return n == 1 ? 0 : -errno;
}

/*
 * Another mount of the same store may have a daemon that is sound: only the one
 * that serves this mount is killed. Its guardian then ends what waits; when that
 * is gone too, the abort does.
 */
int force_end(const char *mount, const char *store)
{
	uint32_t connection;
	int err = control_connection(mount, &connection);
	bool killed, is_free;
	pid_t owner;

	if (err) {
		tool_failed(mount, err);
		return err;
	}
	is_free = !force_store_owner(store, &owner);
	killed = owner && process_has_connection(owner, connection) &&
		 !kill(owner, SIGKILL);
	err = abort_connection(connection);
	if (!err || killed || is_free)
		return 0;
	if (owner)
		tool_complain(mount, "its connection cannot be aborted: %s "
			      "(run: kill -9 %d)", strerror(-err), (int)owner);
	else
		tool_complain(mount, "its connection cannot be aborted: %s "
			      "(end its daemon with kill -9)", strerror(-err));
	return err;
}

char *force_path(const char *dir)
{
	size_t len = strlen(dir);
	char *path, *slash, *above, *found = NULL;

	while (len > 1 && dir[len - 1] == '/')
		len--;
	path = strndup(dir, len);
	slash = path ? strrchr(path, '/') : NULL;
	if (!path || !strcmp(slash ? slash + 1 : path, ".") ||
	    !strcmp(slash ? slash + 1 : path, "..") || slash == path) {
		found = path ? realpath(path, NULL) : NULL;
		free(path);
		return found;
	}
	if (slash)
		*slash = 0;
	above = realpath(slash ? path : ".", NULL);
	if (above && asprintf(&found, "%s/%s", strcmp(above, "/") ? above : "",
			      slash ? slash + 1 : path) < 0)
		found = NULL;
	free(above);
	free(path);
	return found;
}
