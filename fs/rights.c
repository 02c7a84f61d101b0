/*
 * What a caller may do to what has an owner and a mode. The kernel asks for
 * paths; statements and files of control are asked for here. What the kernel
 * does not send of a caller, its groups and its umask, is read in /proc.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fs/tree.h"

static bool in_group(pid_t pid, gid_t gid)
{
	char path[48], line[4096];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = pid > 0 ? fopen(path, "re") : NULL;
	while (file && !found && fgets(line, sizeof(line), file)) {
		char *at = line + 7, *end;

		if (strncmp(line, "Groups:", 7))
			continue;
		for (;; at = end) {
			unsigned long number = strtoul(at, &end, 10);

			if (end == at || found)
				break;
			found = (gid_t)number == gid;
		}
	}
	if (file)
		fclose(file);
	return found;
}

bool caller_may(struct op *op, uid_t uid, gid_t gid, mode_t mode, int right)
{
	const struct fs_call *call = op->call;

	if (!call || !call->uid)
		return true;
	if (call->uid == uid)
		return (mode >> 6 & (mode_t)right) == (mode_t)right;
	if (call->gid == gid || in_group(call->pid, gid))
		return (mode >> 3 & (mode_t)right) == (mode_t)right;
	return (mode & (mode_t)right) == (mode_t)right;
}

mode_t caller_umask(const struct fs_call *call)
{
	char path[48], line[256];
	unsigned mask = 022;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)call->pid);
	file = call->pid > 0 ? fopen(path, "re") : NULL;
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Umask: %o", &mask) == 1)
			break;
	if (file)
		fclose(file);
	return mask & 0777;
}

int owner_differs(struct op *op, unsigned set, const struct stat *attr,
		  uid_t uid, gid_t gid, mode_t mode)
{
	uid_t new_uid = uid;
	gid_t new_gid = gid;
	mode_t new_mode = mode & 0777;

	if ((set & FS_SET_MODE) && (attr->st_mode & 07000))
		return op_refuse(op, -EPERM, "there are no sticky, set-user-id "
				 "and set-group-id bits");
	owner_change(set, attr, &new_uid, &new_gid, &new_mode);
	return new_uid != uid || new_gid != gid || new_mode != (mode & 0777);
}

void owner_change(unsigned set, const struct stat *attr, uid_t *uid, gid_t *gid,
		  mode_t *mode)
{
	if (set & FS_SET_UID)
		*uid = attr->st_uid;
	if (set & FS_SET_GID)
		*gid = attr->st_gid;
	if (set & FS_SET_MODE)
		*mode = attr->st_mode & 0777;
}
