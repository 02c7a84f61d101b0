/*
 * Every system call on the store's files goes through one table of functions,
 * so that tests can record, fail, shorten and reorder them. All return 0 (or a
 * count or descriptor) or -errno; short transfers and EINTR are retried by the
 * file_* wrappers below, not by the callers.
 */
#ifndef STORE_BASE_FILE_H
#define STORE_BASE_FILE_H
#include <errno.h>
#include <sys/stat.h>

#include "store/base/bytes.h"

#define FILE_BOOT_BYTES 24

struct file_ops {
	/* Opens below the directory descriptor dir; never follows a symlink. */
	int (*open)(void *context, int dir, const char *name, int flags,
		    unsigned mode);
	int (*close)(void *context, int fd);
	int64_t (*pread)(void *context, int fd, void *to, size_t len,
			 uint64_t offset);
	int64_t (*pwrite)(void *context, int fd, const void *from, size_t len,
			  uint64_t offset);
	int (*datasync)(void *context, int fd);	/* fdatasync of a file */
	int (*sync)(void *context, int fd);	/* fsync of a directory */
	int (*truncate)(void *context, int fd, uint64_t size);
	int (*allocate)(void *context, int fd, uint64_t size);
	int (*rename)(void *context, int dir, const char *from, const char *to);
	int (*unlink)(void *context, int dir, const char *name);
	int (*mkdir)(void *context, int dir, const char *name, unsigned mode);
	int (*stat)(void *context, int fd, struct stat *st);
	/* Call each name in the directory; "." and ".." are left out. */
	int (*list)(void *context, int dir,
		    int (*each)(void *data, const char *name), void *data);
	/*
	 * Map len bytes shared for appending (the commit log): stores become
	 * visible to the kernel at once. The file was allocated (on ext2 and
	 * ext3, which look like ext4, it cannot be), or a store may end the
	 * process. -EOPNOTSUPP where the filesystem may need room even then,
	 * and in some layers of tests: the caller uses pwrite.
	 */
	int (*map)(void *context, int fd, size_t len, void **address);
	int (*unmap)(void *context, void *address, size_t len);
	/* Bring a part of it to the disk. Its whole pages then no longer count
	 * as memory of this process; the kernel keeps them. */
	int (*map_sync)(void *context, int fd, void *address, size_t len);
	/* Hints; failures are ignored by the caller. */
	int (*advise)(void *context, int fd, uint64_t offset, uint64_t len,
		      int advice);
	/*
	 * Lock the open file, exclusive or shared, until its descriptor is
	 * closed: 0, or -EAGAIN when another process (or another descriptor)
	 * holds it. NULL in a test's layer: no locks there.
	 */
	int (*lock)(void *context, int fd, bool exclusive);
	/*
	 * Return the offset of the next bytes from offset on that were ever
	 * written: up to there the file is zeros. -ENXIO: there are none. NULL
	 * in a test's layer: it has no holes.
	 */
	int64_t (*data)(void *context, int fd, uint64_t offset);
	/*
	 * Identify one life of the system's cache of the files in a directory.
	 * As long as the id is the same and the disk did not fail, every byte
	 * that was written is there, synced or not, whichever process was
	 * killed since. -EOPNOTSUPP: unknown. NULL in a test's layer: unknown.
	 */
	int (*boot)(void *context, int dir, uint8_t id[FILE_BOOT_BYTES]);
	void *context;
};
/* The real system calls. */
extern const struct file_ops file_system;

/* True if the error says that the disk or the user's quota is full. */
static inline bool file_is_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT;
}
#define FILE_FULL \
	"the disk is full: make room there, or delete, TRUNCATE or DROP"
/* Open, create, flags as open(2); O_CLOEXEC and O_NOFOLLOW are added. Only
 * regular files and, with O_DIRECTORY, directories are opened. */
int file_open(const struct file_ops *ops, int dir, const char *name, int flags);
/* Open a file to be read, and find its size. */
int file_open_sized(const struct file_ops *ops, int dir, const char *name,
		    uint64_t *size);
void file_close(const struct file_ops *ops, int fd);
/* Exactly len bytes; -EUCLEAN when the file ends before. */
int file_read(const struct file_ops *ops, int fd, void *to, size_t len,
	      uint64_t offset);
/* Write all of it. */
int file_write(const struct file_ops *ops, int fd, const void *from, size_t len,
	       uint64_t offset);
/* Read the whole file, at most limit bytes (-EFBIG). */
int file_read_all(const struct file_ops *ops, int dir, const char *name,
		  struct buf *out, size_t limit);
/*
 * Replace name by these bytes so that after a crash the old or the new file is
 * there, whole: write NAME.new, sync it, rename, sync the directory.
 */
int file_replace(const struct file_ops *ops, int dir, const char *name,
		 struct bytes contents);
#endif
