#include "store/base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * Return pieces of this size to the system once they are freed. glibc's own
 * limit grows with each large piece that is freed, to 32 MiB: then the
 * memtables' come from the heaps of all threads that write, each of which keeps
 * what it had.
 */
#define MAPPED_BYTES (2 << 20)

void process_prepare(void)
{
	struct rlimit files;
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			abort();
	signal(SIGXFSZ, SIG_IGN);
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
}

bool process_has_ended(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

int process_is_one(pid_t a, pid_t b)
{
	char path[64];
	int len;

	if (a <= 0)
		return -ESRCH;
	if (a == b)
		return 1;
	len = snprintf(path, sizeof(path), "/proc/%d/task", (int)a);
	if (access(path, F_OK))
		return -ESRCH;
	snprintf(path + len, sizeof(path) - (size_t)len, "/%d", (int)b);
	return !access(path, F_OK);
}

pid_t process_of_thread(pid_t thread)
{
	int process = thread;
	char line[128];
	FILE *file;

	if (thread <= 0)
		return thread;
	snprintf(line, sizeof(line), "/proc/%d/status", (int)thread);
	file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file) &&
	       sscanf(line, "Tgid: %d", &process) != 1)
		;
	if (file)
		fclose(file);
	return process > 0 ? process : thread;
}

/* Compare the inode number of an open file: 1, 0; 0 if it is closed by now; -EACCES:
 * it cannot be seen. */
static int is_inode(pid_t pid, const char *descriptor, uint64_t ino)
{
	unsigned long long number;
	char path[64], line[256];
	int is = -EACCES;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.20s", (int)pid,
		 descriptor);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? 0 : -EACCES;
	while (is < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "ino: %llu", &number) == 1)
			is = number == ino;
	if (is < 0 && ferror(file) && errno == ENOENT)
		is = 0;
	fclose(file);
	return is;
}

int process_has_file(pid_t pid, uint64_t ino)
{
	struct dirent *entry;
	char path[64];
	int found = 0, one;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", (int)pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ENOENT : -EACCES;
	errno = 0;
	while (found <= 0 && (entry = readdir(dir))) {
		one = entry->d_name[0] == '.' ?
			      0 : is_inode(pid, entry->d_name, ino);
		found = one ? one : found;
		errno = 0;
	}
	if (found <= 0 && errno && errno != ENOENT && errno != ESRCH)
		found = -EACCES;
	closedir(dir);
	return found;
}

/*
 * A process is Z until its last thread has gone. It sleeps while a core is
 * written. SIGKILL stays pending while it waits in the kernel for a lock.
 */
bool process_is_dying(pid_t pid)
{
	char line[128], state = 0;
	unsigned long long pending, all = 0;
	int core = 0;
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/status", (int)pid);
	file = fopen(line, "re");
	if (!file)
		return process_has_ended(pid);
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "CoreDumping: %d", &core);
		if (sscanf(line, "SigPnd: %llx", &pending) == 1 ||
		    sscanf(line, "ShdPnd: %llx", &pending) == 1)
			all |= pending;
	}
	fclose(file);
	return state == 'Z' || state == 'X' || core ||
	       all & 1ULL << (SIGKILL - 1);
}

pid_t process_find_lock(const struct stat *st)
{
	FILE *locks = fopen("/proc/locks", "re");
	unsigned major_number, minor_number;
	unsigned long long inode;
	char line[256];
	long pid, found = 0;

	if (!locks)
		return 0;
	while (!found && fgets(line, sizeof(line), locks))
		if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%llu", &pid,
			   &major_number, &minor_number, &inode) == 4 &&
		    inode == st->st_ino &&
		    major_number == major(st->st_dev) &&
		    minor_number == minor(st->st_dev))
			found = pid;
	fclose(locks);
	return found > 0 && found <= INT32_MAX ? (pid_t)found : 0;
}
