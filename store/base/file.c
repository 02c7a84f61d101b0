/*
 * The table's functions for the system's own calls, and the wrappers that every
 * caller wants: retries, exact lengths, and files that are what they seem.
 *
 * The store's directory is untrusted input (P17): a name is opened
 * relative to a directory, never through a symbolic link, and only as a regular
 * file of the same owner that nobody else may write. A file that we are going
 * to write must have no second name.
 */
#include "store/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

/* One call moves no more than this: Linux stops at 2 GiB less a page anyway. */
#define LARGEST_TRANSFER ((size_t)1 << 30)

static int result(int rc)
{
	return rc < 0 ? -errno : rc;
}

static int system_open(void *context, int dir, const char *name, int flags,
		       unsigned mode)
{
	(void)context;
	return result(openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC |
			     O_NOCTTY | O_NONBLOCK, (mode_t)mode));
}

static int system_close(void *context, int fd)
{
	(void)context;
	/* Linux has closed it even when it says EINTR: never again. */
	return close(fd) < 0 && errno != EINTR ? -errno : 0;
}

static int64_t system_pread(void *context, int fd, void *to, size_t len,
			    uint64_t offset)
{
	ssize_t n = pread(fd, to, len, (off_t)offset);

	(void)context;
	return n < 0 ? -errno : n;
}

static int64_t system_pwrite(void *context, int fd, const void *from,
			     size_t len, uint64_t offset)
{
	ssize_t n = pwrite(fd, from, len, (off_t)offset);

	(void)context;
	return n < 0 ? -errno : n;
}

static int system_datasync(void *context, int fd)
{
	(void)context;
	return result(fdatasync(fd));
}

static int system_sync(void *context, int fd)
{
	(void)context;
	return result(fsync(fd));
}

static int system_truncate(void *context, int fd, uint64_t size)
{
	(void)context;
	return result(ftruncate(fd, (off_t)size));
}

static int system_allocate(void *context, int fd, uint64_t size)
{
	(void)context;
	return result(fallocate(fd, 0, 0, (off_t)size));
}

static int system_rename(void *context, int dir, const char *from,
			 const char *to)
{
	(void)context;
	return result(renameat(dir, from, dir, to));
}

static int system_unlink(void *context, int dir, const char *name)
{
	(void)context;
	return result(unlinkat(dir, name, 0));
}

static int system_mkdir(void *context, int dir, const char *name,
			unsigned mode)
{
	(void)context;
	return result(mkdirat(dir, name, (mode_t)mode));
}

static int system_stat(void *context, int fd, struct stat *st)
{
	(void)context;
	return result(fstat(fd, st));
}

static int system_list(void *context, int dir,
		       int (*each)(void *data, const char *name), void *data)
{
	/* A descriptor of its own: the position of dir stays where it is. */
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *found;
	DIR *stream;
	int err = 0;

	(void)context;
	if (fd < 0)
		return -errno;
	stream = fdopendir(fd);
	if (!stream) {
		err = -errno;
		close(fd);
		return err;
	}
	while (!err && (errno = 0, found = readdir(stream))) {
		if (!strcmp(found->d_name, ".") || !strcmp(found->d_name, ".."))
			continue;
		err = each(data, found->d_name);
	}
	if (!err && errno)
		err = -errno;
	closedir(stream);
	return err;
}

/*
 * Only where a store into a page that was allocated and written before cannot
 * meet a full disk, which would be a SIGBUS and not an error: not on filesystems
 * that copy on write or pass on to somebody else.
 */
static int system_map(void *context, int fd, size_t len, void **address)
{
	struct statfs fs;
	void *map;

	(void)context;
	if (fstatfs(fd, &fs))
		return -errno;
	switch ((uint32_t)fs.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
		break;
	default:
		return -EOPNOTSUPP;
	}
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	*address = map;
	return 0;
}

static int system_unmap(void *context, void *address, size_t len)
{
	(void)context;
	return result(munmap(address, len));
}

static int system_map_sync(void *context, int fd, void *address, size_t len)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)address & ~(page - 1);
	int err;

	(void)context;
	(void)fd;
	len += (uintptr_t)address - begin;
	err = result(msync((void *)begin, len, MS_SYNC));
	/* Of a log whole pages are hardly written again. */
	if (!err && len >= page)
		(void)madvise((void *)begin, len & ~(page - 1), MADV_DONTNEED);
	return err;
}

static int system_advise(void *context, int fd, uint64_t offset, uint64_t len,
			 int advice)
{
	(void)context;
	return -posix_fadvise(fd, (off_t)offset, (off_t)len, advice);
}

static int system_lock(void *context, int fd, bool exclusive)
{
	(void)context;
	return result(flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB));
}

static int64_t system_data(void *context, int fd, uint64_t offset)
{
	off_t found = lseek(fd, (off_t)offset, SEEK_DATA);

	(void)context;
	return found < 0 ? -errno : found;
}

#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000U
#endif

/* Read the id of the boot, which is text with hyphens, as bytes. */
static int read_boot_id(uint8_t id[16])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	unsigned byte, i;
	char text[40] = "", *at = text;
	bool read = f && fgets(text, sizeof(text), f);

	if (f)
		fclose(f);
	for (i = 0; read && i < 16; i++, at += 2) {
		at += *at == '-';
		if (sscanf(at, "%2x", &byte) != 1)
			return -EOPNOTSUPP;
		id[i] = (uint8_t)byte;
	}
	return read ? 0 : -EOPNOTSUPP;
}

/*
 * The machine's boot and the mount: a disk can be pulled out, or forced to
 * stop, while the machine continues. The mount's number must never be used
 * again. -EOPNOTSUPP where the cache is not this machine's own.
 */
static int system_boot(void *context, int dir, uint8_t id[FILE_BOOT_BYTES])
{
	struct statx st;
	struct statfs fs;

	(void)context;
	if (fstatfs(dir, &fs))
		return -errno;
	switch ((uint32_t)fs.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (statx(dir, "", AT_EMPTY_PATH, STATX_MNT_ID_UNIQUE, &st))
		return -errno;
	if (!(st.stx_mask & STATX_MNT_ID_UNIQUE))
		return -EOPNOTSUPP;
	put_le64(id + 16, st.stx_mnt_id);
	return read_boot_id(id);
}

const struct file_ops file_system = {
	.open = system_open,
	.close = system_close,
	.pread = system_pread,
	.pwrite = system_pwrite,
	.datasync = system_datasync,
	.sync = system_sync,
	.truncate = system_truncate,
	.allocate = system_allocate,
	.rename = system_rename,
	.unlink = system_unlink,
	.mkdir = system_mkdir,
	.stat = system_stat,
	.list = system_list,
	.map = system_map,
	.unmap = system_unmap,
	.map_sync = system_map_sync,
	.advise = system_advise,
	.lock = system_lock,
	.data = system_data,
	.boot = system_boot,
};

/* Refuse a file of another owner than ours or the directory's. */
static int check_owner(const struct file_ops *ops, int dir,
		       const struct stat *st)
{
	struct stat parent;
	int err;

	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	if (st->st_uid == geteuid())
		return 0;
	if (dir == AT_FDCWD)
		return -EPERM;
	err = ops->stat(ops->context, dir, &parent);
	if (err)
		return err;
	return parent.st_uid == st->st_uid ? 0 : -EPERM;
}

static int check_opened(const struct file_ops *ops, int dir, int fd, int flags)
{
	struct stat st;
	int err = ops->stat(ops->context, fd, &st);

	if (err)
		return err;
	if (flags & O_DIRECTORY)
		return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EPERM;
	if ((flags & O_ACCMODE) != O_RDONLY && st.st_nlink > 1)
		return -EPERM;
	return check_owner(ops, dir, &st);
}

int file_open(const struct file_ops *ops, int dir, const char *name, int flags)
{
	int fd, err;

	/* Below a directory a name is one name; a path only from outside. */
	if (dir != AT_FDCWD && strchr(name, '/'))
		return -EINVAL;
	do {
		fd = ops->open(ops->context, dir, name,
			       flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	} while (fd == -EINTR);
	if (fd < 0)
		return fd;
	err = check_opened(ops, dir, fd, flags);
	if (err) {
		file_close(ops, fd);
		return err;
	}
	return fd;
}

void file_close(const struct file_ops *ops, int fd)
{
	if (fd >= 0)
		ops->close(ops->context, fd);
}

int file_read(const struct file_ops *ops, int fd, void *to, size_t len,
	      uint64_t offset)
{
	uint8_t *at = to;

	while (len) {
		size_t part = len < LARGEST_TRANSFER ? len : LARGEST_TRANSFER;
		int64_t n = ops->pread(ops->context, fd, at, part, offset);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		if (n == 0)
			return -EUCLEAN;
		at += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int file_write(const struct file_ops *ops, int fd, const void *from, size_t len,
	       uint64_t offset)
{
	const uint8_t *at = from;

	while (len) {
		size_t part = len < LARGEST_TRANSFER ? len : LARGEST_TRANSFER;
		int64_t n = ops->pwrite(ops->context, fd, at, part, offset);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		if (n == 0)
			return -EIO;
		at += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int file_open_sized(const struct file_ops *ops, int dir, const char *name,
		    uint64_t *size)
{
	int fd = file_open(ops, dir, name, O_RDONLY);
	struct stat st;
	int err;

	if (fd < 0)
		return fd;
	err = ops->stat(ops->context, fd, &st);
	if (err) {
		file_close(ops, fd);
		return err;
	}
	*size = (uint64_t)st.st_size;
	return fd;
}

int file_read_all(const struct file_ops *ops, int dir, const char *name,
		  struct buf *out, size_t limit)
{
	uint64_t size;
	int fd = file_open_sized(ops, dir, name, &size);
	int err = 0;

	if (fd < 0)
		return fd;
	if (size > limit)
		err = -EFBIG;
	if (!err && !buf_reserve(out, (size_t)size))
		err = -ENOMEM;
	if (!err && size) {
		err = file_read(ops, fd, out->ptr + out->len, (size_t)size, 0);
		if (!err)
			out->len += (size_t)size;
	}
	file_close(ops, fd);
	return err;
}

int file_replace(const struct file_ops *ops, int dir, const char *name,
		 struct bytes contents)
{
	char fresh[280];
	int fd, err;

	if (snprintf(fresh, sizeof(fresh), "%s.new", name) >=
	    (int)sizeof(fresh))
		return -ENAMETOOLONG;
	/* Remove what a crash may have left: it was never the file. */
	err = ops->unlink(ops->context, dir, fresh);
	if (err && err != -ENOENT)
		return err;
	fd = file_open(ops, dir, fresh, O_WRONLY | O_CREAT | O_EXCL);
	if (fd < 0)
		return fd;
	err = file_write(ops, fd, contents.ptr, contents.len, 0);
	if (!err)
		err = ops->datasync(ops->context, fd);
	file_close(ops, fd);
	if (!err)
		err = ops->rename(ops->context, dir, fresh, name);
	if (err) {
		ops->unlink(ops->context, dir, fresh);
		return err;
	}
	return ops->sync(ops->context, dir);
}
