/*
 * Loaded before libc (LD_PRELOAD) into the daemon that a test kills: it dies at
 * a call on files, not at a moment. KILL_AT="pwrite 17 before": at the 17th
 * pwrite, before it does anything; "after": when it is done. Calls of all
 * threads count together. What is not named stays as it is.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[32], when[16];
static unsigned nth;

__attribute__((constructor)) static void read_point(void)
{
	const char *point = getenv("KILL_AT");

	if (!point || sscanf(point, "%31s %u %15s", name, &nth, when) != 3) {
		fprintf(stderr, "KILL_AT is not NAME COUNT before|after\n");
		_exit(1);
	}
}

static void die(void)
{
	kill(getpid(), SIGKILL);
}

/* Is this the call that is meant? Dies at once if before it. */
static bool is_last(const char *call)
{
	static atomic_uint count;

	if (strcmp(name, call) || atomic_fetch_add(&count, 1) + 1 != nth)
		return false;
	if (!strcmp(when, "before"))
		die();
	return true;
}

static void *next(const char *call)
{
	void *f = dlsym(RTLD_NEXT, call);

	if (!f)
		_exit(1);
	return f;
}

#define WRAP(type, call, parameters, arguments)                               \
	type call parameters;                                                 \
	type call parameters                                                  \
	{                                                                     \
		bool last = is_last(#call);                                   \
		type(*f) parameters;                                          \
		type result;                                                  \
									      \
		*(void **)&f = next(#call);                                   \
		result = f arguments;                                         \
		if (last)                                                     \
			die();                                                \
		return result;                                                \
	}

WRAP(ssize_t, pwrite, (int fd, const void *from, size_t len, off_t offset),
     (fd, from, len, offset))
WRAP(int, fdatasync, (int fd), (fd))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, ftruncate, (int fd, off_t size), (fd, size))
WRAP(int, fallocate, (int fd, int mode, off_t offset, off_t len),
     (fd, mode, offset, len))
WRAP(int, renameat, (int from_dir, const char *from, int to_dir, const char *to),
     (from_dir, from, to_dir, to))
WRAP(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags))
WRAP(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode))
WRAP(int, msync, (void *address, size_t len, int flags), (address, len, flags))
