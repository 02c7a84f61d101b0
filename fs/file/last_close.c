#include "fs/file/last_close.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "fs/file/handle.h"
#include "fs/node/node.h"
#include "fs/op/op.h"
#include "store/base/process.h"

#define LOOKS_MAX 200	/* processes; with more it is in doubt */

static int family_holds(long pid, uint64_t ino, unsigned *looks);

/* Look in the children of a thread of the process, if the kernel lists them. */
static int children_hold(long pid, const char *thread, uint64_t ino,
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
		found = family_holds(child, ino, looks);
	fclose(file);
	return found > 0;
}

/* Look in the process and its descendants: 1, 0, -ENOENT: it has ended; 1 where it
 * cannot be seen. *looks: how many processes were looked at. */
static int family_holds(long pid, uint64_t ino, unsigned *looks)
{
	char path[64];
	struct dirent *entry;
	int found = (*looks)++ < LOOKS_MAX ? process_has_file(pid, ino) : 1;
	DIR *dir;

	if (found)
		return found == -EACCES ? 1 : found;
	snprintf(path, sizeof(path), "/proc/%ld/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : 1;
	while (!found && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			found = children_hold(pid, entry->d_name, ino, looks);
	closedir(dir);
	return found;
}

bool last_close_is_now(struct op *op, struct handle *h)
{
	uint64_t ino = h->node->ino;
	pid_t pid = op->call ? op->call->pid : 0;
	unsigned looks = 0;

	/* The closing process exists: if it is not found, no other can be. */
	if (!pid || !h->pid || family_holds(pid, ino, &looks))
		return false;
	return h->pid == pid || family_holds(h->pid, ino, &looks) <= 0;
}

bool close_is_of_a_copy(struct op *op, struct handle *h, pid_t owner)
{
	pid_t pid = op->call ? op->call->pid : 0;
	int found;

	if (!pid || process_is_one(owner, pid))
		return false;
	found = process_has_file(owner, h->node->ino);
	return found == 1 || found == -EACCES;
}

bool last_close_has_come(const struct handle *h, bool unseen)
{
	uint64_t ino = h->node->ino;
	unsigned looks = 0;
	int found = h->pid > 0 ? process_has_file(h->pid, ino) : -EACCES;

	if (found == -ENOENT)	/* or hidden */
		return unseen || process_has_ended(h->pid);
	return found == -EACCES ? unseen :
				  family_holds(h->pid, ino, &looks) <= 0;
}
