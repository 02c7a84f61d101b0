#include "fs/file/last_close.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fs/file/handle.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "store/base/process.h"

#define LOOKS_MAX 200	/* processes; with more it is in doubt */

static bool ends_with_name(const char *path, size_t len, struct bytes name)
{
	static const char gone[] = " (deleted)";	/* from the kernel's cache */

	if (len > strlen(gone) &&
	    !memcmp(path + len - strlen(gone), gone, strlen(gone)) &&
	    ends_with_name(path, len - strlen(gone), name))
		return true;
	return len > name.len && path[len - name.len - 1] == '/' &&
	       !memcmp(path + len - name.len, name.ptr, name.len);
}

/* Look for an open file of that name in the process: 1, 0, -ENOENT: it has
 * ended. */
static int holds(long pid, struct bytes name)
{
	char path[4096];
	struct dirent *entry;
	int found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ENOENT : 1;
	errno = 0;
	while (!found && (entry = readdir(dir))) {
		/* No stat, which would be a request to ourselves. */
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, path,
					 sizeof(path));

		found = len > 0 && ends_with_name(path, (size_t)len, name);
		errno = 0;
	}
	if (errno && errno != ENOENT && errno != ESRCH)
		found = 1;
	closedir(dir);
	return found;
}

static int family_holds(long pid, struct bytes name, unsigned *looks);

/* Look in the children of a thread of the process, if the kernel lists them. */
static int children_hold(long pid, const char *thread, struct bytes name,
			 unsigned *looks)
{
	char path[300];
	FILE *file;
	long child;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%ld/task/%s/children", pid, thread);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (found <= 0 && fscanf(file, "%ld", &child) == 1)
		found = family_holds(child, name, looks);
	fclose(file);
	return found > 0;
}

/* Look in the process and its descendants. Returns as holds. *looks: how many
 * processes were looked at. */
static int family_holds(long pid, struct bytes name, unsigned *looks)
{
	char path[64];
	struct dirent *entry;
	int found = (*looks)++ < LOOKS_MAX ? holds(pid, name) : 1;
	DIR *dir;

	if (found)
		return found;
	snprintf(path, sizeof(path), "/proc/%ld/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : 1;
	while (!found && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			found = children_hold(pid, entry->d_name, name, looks);
	closedir(dir);
	return found;
}

bool last_close_is_now(struct op *op, struct handle *h)
{
	struct bytes name = node_name(h->node);
	pid_t pid = op->call ? op->call->pid : 0;
	unsigned looks = 0;

	/* The closing process exists: if it is not found, no other can be. */
	if (!pid || !h->pid || family_holds(pid, name, &looks))
		return false;
	return h->pid == pid || family_holds(h->pid, name, &looks) <= 0;
}

bool close_is_of_a_copy(struct op *op, struct handle *h)
{
	pid_t pid = op->call ? op->call->pid : 0;
	pid_t writer = atomic_load(&h->writer_pid);

	return pid && process_is_one(writer, pid) == 0 &&
	       holds(writer, node_name(h->node)) == 1;
}
