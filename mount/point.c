#include "mount/point.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mount/message.h"
#include "store/base/control.h"

/*
 * True if a daemon died there: its mount point answers ENOTCONN (ECONNABORTED
 * while it dies) to all that the kernel has not cached. It is cleaned up.
 */
static bool is_dead_mount(const char *path)
{
	struct statfs st;

	return statfs(path, &st) &&
	       (errno == ENOTCONN || errno == ECONNABORTED);
}

/* Unmount it lazily: 0 or -errno. */
static int unmount(const char *path)
{
	pid_t child;
	int status;

	if (geteuid() == 0)
		return umount2(path, MNT_DETACH) ? -errno : 0;
	child = fork();
	if (child < 0)
		return -errno;
	if (!child) {
		execlp("fusermount3", "fusermount3", "-u", "-z", "-q", "--",
		       path, NULL);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int clean_mountpoint(const char *path)
{
	int err;

	if (!is_dead_mount(path))
		return 0;
	err = unmount(path);
	if (err)
		return err;
	return is_dead_mount(path) ? -ENOTCONN : 0;
}

/* True if the kernel has ended the connection of a device. */
static bool has_ended(int device)
{
	struct pollfd poll_fd = { .fd = device };

	return poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & POLLERR);
}

void mount_point_leave(const char *path, int device, uint32_t connection)
{
	uint32_t number;

	if (has_ended(device))
		clean_mountpoint(path);
	else if (!control_connection(path, &number) && number == connection)
		unmount(path);
}

void mount_point_close(struct fuse_session *session)
{
	int fds[2];

	if (!pipe(fds)) {
		close(fds[0]);
		dup2(fds[1], fuse_session_fd(session));
		close(fds[1]);
	}
	fuse_session_unmount(session);
}

/*
 * True for a place where an automounter waits. It asked for our mount, which comes on
 * top of its own, and lets those of its process group alone look at what is there.
 */
static bool is_automount(const char *path)
{
	struct statfs st;

	return !statfs(path, &st) && st.f_type == AUTOFS_SUPER_MAGIC;
}

int mount_point_check(const struct mount_options *o)
{
	struct stat st, above;
	char store[PATH_MAX], place[PATH_MAX], parent[PATH_MAX + 4];
	size_t len;
	int err = clean_mountpoint(o->mountpoint);

	if (!err && stat(o->mountpoint, &st))
		err = -errno;
	if (!err && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	if (err) {
		message_complain(o->mountpoint, "%s (the mount point must be a "
				 "directory; make it first)", strerror(-err));
		return err;
	}
	snprintf(parent, sizeof(parent), "%s/..", o->mountpoint);
	err = stat(parent, &above) ? -errno : 0;
	if (!err && (st.st_dev != above.st_dev || st.st_ino == above.st_ino) &&
	    !is_automount(o->mountpoint)) {
		message_complain(o->mountpoint,
				 "something is mounted here already "
				 "(unmount it first)");
		return -EBUSY;
	}
	if (!realpath(o->mountpoint, place) || !realpath(o->store, store))
		return 0;	/* the store will be made */
	len = strlen(store);
	if (!strncmp(place, store, len) && (!place[len] || place[len] == '/')) {
		message_complain(o->mountpoint,
				 "the store cannot be mounted on itself "
				 "or inside itself (name a directory outside "
				 "of it)");
		return -EINVAL;
	}
	len = strlen(place);
	if (!strncmp(store, place, len) && store[len] == '/') {
		message_complain(o->mountpoint,
				 "the mount would hide the store (name another "
				 "directory)");
		return -EINVAL;
	}
	return 0;
}

int mount_point_check_empty(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char buf[1024];
	ssize_t n, at;
	int entries = 0;

	if (fd < 0) {
		n = -errno;
		message_complain(path, "%s (the mount point must be empty, and "
				 "cannot be read)", strerror(errno));
		return (int)n;
	}
	while ((n = getdents64(fd, buf, sizeof(buf))) > 0)
		for (at = 0; at < n; entries++)
			at += ((struct dirent64 *)(void *)(buf + at))->d_reclen;
	close(fd);
	if (entries > 2) {
		message_complain(path, "the mount point is not empty (name "
				 "an empty directory, or use -o nonempty)");
		return -ENOTEMPTY;
	}
	return 0;
}
