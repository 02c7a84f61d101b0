/*
 * Loaded before libc (LD_PRELOAD) into the daemon that a test kills: it dies at
 * a call on files, not at a moment. KILL_AT="pwrite 17 before": at the 17th
 * pwrite, before it does anything; "after": when it is done; "cut": before it,
 * and the power goes too: "cut" is appended to the file KILL_AT_LOG, and the
 * filesystem that KILL_AT_DISK is on is shut down, its journal not flushed. "any" is every call that changes or syncs something: those
 * of store/base/file.c, of all threads together. KILL_AT_COUNT names a file that
 * the number of these calls is written to when the daemon ends by itself.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The same number on ext4 and xfs. */
#define SHUTDOWN _IOR('X', 125, uint32_t)
#define NO_LOG_FLUSH 2

static char name[32], when[16];
static unsigned nth;
static atomic_uint all;

__attribute__((constructor)) static void read_point(void)
{
	const char *point = getenv("KILL_AT");

	if (!point || sscanf(point, "%31s %u %15s", name, &nth, when) != 3) {
		fprintf(stderr, "KILL_AT is not NAME COUNT before|after|cut\n");
		_exit(1);
	}
}

__attribute__((destructor)) static void write_count(void)
{
	const char *path = getenv("KILL_AT_COUNT");
	FILE *f = path && *path ? fopen(path, "w") : NULL;

	if (f) {
		fprintf(f, "%u\n", all);
		fclose(f);
	}
}

static void die(void)
{
	kill(getpid(), SIGKILL);
}

static void cut_power(void)
{
	const char *disk = getenv("KILL_AT_DISK"), *log = getenv("KILL_AT_LOG");
	int note = log ? open(log, O_WRONLY | O_APPEND) : -1;
	uint32_t flag = NO_LOG_FLUSH;
	int fd = disk ? open(disk, O_RDONLY | O_DIRECTORY) : -1;

	if (note < 0 || write(note, "cut\n", 4) != 4)
		perror("KILL_AT_LOG");
	if (fd < 0 || ioctl(fd, SHUTDOWN, &flag))
		perror("KILL_AT_DISK");
}

/* Is this the call that is meant? Dies at once if before it. */
static bool is_last(const char *call)
{
	static atomic_uint count;
	bool any = !strcmp(name, "any");

	atomic_fetch_add(&all, 1);
	if ((!any && strcmp(name, call)) ||
	    atomic_fetch_add(&count, 1) + 1 != nth)
		return false;
	if (!strcmp(when, "cut"))
		cut_power();
	if (strcmp(when, "after"))
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

/* It changes something only when it makes a file. */
int openat(int dir, const char *path, int flags, ...);
int openat(int dir, const char *path, int flags, ...)
{
	int (*f)(int, const char *, int, ...);
	bool makes = flags & O_CREAT, last = makes && is_last("openat");
	mode_t mode = 0;
	va_list list;
	int fd;

	va_start(list, flags);
	if (makes)
		mode = va_arg(list, mode_t);
	va_end(list);
	*(void **)&f = next("openat");
	fd = f(dir, path, flags, mode);
	if (last)
		die();
	return fd;
}
