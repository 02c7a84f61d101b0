/* Loaded before libc (LD_PRELOAD) into a daemon: the kernel refuses the notice
 * number 9 (FUSE_NOTIFY_PRUNE), as one before 6.18 does. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/fuse.h>
#include <sys/uio.h>

#define NOTIFY_PRUNE 9

ssize_t writev(int fd, const struct iovec *iov, int count)
{
	static ssize_t (*next)(int fd, const struct iovec *iov, int count);
	const struct fuse_out_header *out = count ? iov[0].iov_base : 0;

	if (!next)
		next = (ssize_t (*)(int, const struct iovec *, int))dlsym(
			RTLD_NEXT, "writev");
	if (out && iov[0].iov_len == sizeof(*out) && !out->unique &&
	    out->error == NOTIFY_PRUNE) {
		errno = EINVAL;
		return -1;
	}
	return next(fd, iov, count);
}
