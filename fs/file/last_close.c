/*
 * Is this close the last one of the file? The kernel tells that afterwards, and
 * nobody waits for it; each descriptor that is closed it tells at once (FLUSH),
 * also one that a shell made for a redirection, or a child's. So we look
 * whether who closes, who opened, or a child of theirs has another. In doubt
 * one has.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "fs/file/handle.h"
#include "fs/op/inner.h"

#define LOOKS_MAX 200	/* processes; with more there is doubt */

static bool ends_with_name(const char *path, size_t len, struct bytes name)
{
	return len > name.len && path[len - name.len - 1] == '/' &&
	       !memcmp(path + len - name.len, name.ptr, name.len);
}

/* Has the process a file of that name open? 1, 0, -ENOENT: it has ended. */
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
		/* Not stat: that would ask ourselves. */
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

/* What a thread of the process has forked; where the kernel tells. */
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

/* Has it, or what descends from it? As holds. */
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

bool handle_closes(struct op *op, struct handle *h)
{
	struct bytes name = node_name(h->node);
	pid_t pid = op->call ? op->call->pid : 0;
	unsigned looks = 0;

	/* Who closes is there: what cannot find him finds nobody. */
	if (!pid || !h->pid || family_holds(pid, name, &looks))
		return false;
	return h->pid == pid || family_holds(h->pid, name, &looks) <= 0;
}
