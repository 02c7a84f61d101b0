/*
 * Is this close the last one of the file? The kernel tells that afterwards, and
 * nobody waits for it; each descriptor that is closed it tells at once (FLUSH),
 * also one that a shell made for a redirection, or a child's. So we look
 * whether who closes, or who opened, has another.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "fs/handle.h"
#include "fs/inner.h"

static bool ends_with_name(const char *path, size_t len, struct bytes name)
{
	return len > name.len && path[len - name.len - 1] == '/' &&
	       !memcmp(path + len - name.len, name.ptr, name.len);
}

/* Has the process a file of that name open? Where we may not see, it has. */
static bool holds(pid_t pid, struct bytes name)
{
	char path[4096];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
	dir = opendir(path);
	if (!dir)
		return errno != ENOENT;
	errno = 0;
	while (!found && (entry = readdir(dir))) {
		/* Not stat: that would ask ourselves. */
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, path,
					 sizeof(path));

		found = len > 0 && ends_with_name(path, (size_t)len, name);
		errno = 0;
	}
	found |= errno && errno != ENOENT && errno != ESRCH;
	closedir(dir);
	return found;
}

bool handle_closes(struct op *op, struct handle *h)
{
	struct bytes name = node_name(h->node);
	pid_t pid = op->call ? op->call->pid : 0;

	return pid && h->pid && !holds(pid, name) &&
	       (h->pid == pid || !holds(h->pid, name));
}
