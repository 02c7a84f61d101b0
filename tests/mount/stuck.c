/* Loaded before libc (LD_PRELOAD) into a daemon, statfs(2) of whose mount asks for
 * the room of its store: while the file of the environment's STUCK is there that call
 * does not return. While that of SLOW is there, a read of a file of the store takes 50
 * ms. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

int statvfs(const char *path, struct statvfs *out)
{
	static int (*next)(const char *path, struct statvfs *out);
	const char *stuck = getenv("STUCK");

	if (!next)
		next = (int (*)(const char *, struct statvfs *))dlsym(
			RTLD_NEXT, "statvfs");
	while (stuck && !access(stuck, F_OK))
		usleep(10000);
	return next(path, out);
}

ssize_t pread(int fd, void *buf, size_t len, off_t offset)
{
	static ssize_t (*next)(int fd, void *buf, size_t len, off_t offset);
	const char *slow = getenv("SLOW");

	if (!next)
		next = (ssize_t (*)(int, void *, size_t, off_t))dlsym(
			RTLD_NEXT, "pread");
	if (slow && !access(slow, F_OK))
		usleep(50000);
	return next(fd, buf, len, offset);
}
