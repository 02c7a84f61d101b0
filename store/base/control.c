#include "store/base/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACE "/sys/fs/fuse/connections/"

int control_connection(const char *mountpoint, uint32_t *number)
{
	struct statx st;

	if (statx(AT_FDCWD, mountpoint, AT_STATX_DONT_SYNC, 0, &st))
		return -errno;
	*number = st.stx_dev_minor;
	return 0;
}

/* Mount it without a place in the tree, where it is not mounted. Only root
 * can. */
static int mount_nowhere(void)
{
	int at, fs = fsopen("fusectl", FSOPEN_CLOEXEC);

	if (fs < 0)
		return -1;
	at = fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) ? -1 :
		     fsmount(fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return at;
}

int control_abort_open(uint32_t connection)
{
	char path[sizeof(PLACE) + 32];
	int dir, fd;

	snprintf(path, sizeof(path), PLACE "%u/abort", connection);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	dir = mount_nowhere();
	if (dir < 0)
		return -1;
	fd = openat(dir, path + sizeof(PLACE) - 1, O_WRONLY | O_CLOEXEC);
	close(dir);
	return fd;
}
