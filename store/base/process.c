#include "store/base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#define PF_EXITING 4ul		/* of the kernel */

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

/* Return the process of a thread; -ESRCH: it is unknown, has ended, or is hidden. */
static int find_process(pid_t thread)
{
	int process = -ESRCH;
	char line[128];
	FILE *file;

	if (thread <= 0)
		return -ESRCH;
	snprintf(line, sizeof(line), "/proc/%d/status", (int)thread);
	file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file) &&
	       sscanf(line, "Tgid: %d", &process) != 1)
		;
	if (file)
		fclose(file);
	return process > 0 ? process : -ESRCH;
}

pid_t process_of_thread(pid_t thread)
{
	int process = find_process(thread);

	return process > 0 ? process : thread;
}

int process_is_one(pid_t a, pid_t b)
{
	int process;

	if (a > 0 && a == b)
		return 1;
	process = find_process(a);
	return process < 0 ? process : process == find_process(b);
}

/*
 * Look into fdinfo for the number after a field of an open file: 1 if it is this one,
 * 0 if it is another or the file is closed by now, -EACCES: there is no such field,
 * or it cannot be seen.
 */
static int descriptor_has(pid_t pid, const char *descriptor, const char *field,
			  uint64_t value)
{
	size_t len = strlen(field);
	char path[64], line[256];
	int has = -EACCES;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.20s", (int)pid,
		 descriptor);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? 0 : -EACCES;
	while (has == -EACCES && fgets(line, sizeof(line), file))
		if (!strncmp(line, field, len))
			has = strtoull(line + len, NULL, 10) == value;
	if (ferror(file) && errno == ENOENT)
		has = 0;
	fclose(file);
	return has;
}

/* Look at all open files: 1, 0; -ENOENT: the process has ended; -EACCES: not found,
 * and not all of them have the field and can be seen. */
static int process_has(pid_t pid, const char *field, uint64_t value)
{
	struct dirent *entry;
	int found = 0, all = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", (int)pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ENOENT : -EACCES;
	errno = 0;
	while (found <= 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			found = descriptor_has(pid, entry->d_name, field,
					       value);
		if (found < 0)
			all = found;
		errno = 0;
	}
	if (errno && errno != ENOENT && errno != ESRCH)
		all = -EACCES;
	closedir(dir);
	return found > 0 ? found : all;
}

int process_has_file(pid_t pid, uint64_t ino)
{
	return process_has(pid, "ino:", ino);
}

bool process_has_connection(pid_t pid, uint32_t connection)
{
	return process_has(pid, "fuse_connection:", connection) == 1;
}

/*
 * Read the flags of a process (PF_*) and its exit code; both are 0 where that is
 * not shown. The name in proc_pid_stat(5) may have any bytes; flags are six fields
 * after the state that follows it, the exit code is the last.
 */
static void read_stat(pid_t pid, unsigned long *flags, unsigned long *exit_code)
{
	char line[2048], *at;
	size_t len = 0;
	FILE *file;

	*flags = *exit_code = 0;
	snprintf(line, sizeof(line), "/proc/%d/stat", (int)pid);
	file = fopen(line, "re");
	if (file) {
		len = fread(line, 1, sizeof(line) - 1, file);
		fclose(file);
	}
	line[len] = 0;
	at = strrchr(line, ')');
	if (!at || sscanf(at, ") %*c %*d %*d %*d %*d %*d %lu", flags) != 1)
		return;
	at = strrchr(at, ' ');
	*exit_code = strtoul(at, NULL, 10);
}

/*
 * SIGKILL stays pending while a process waits in the kernel for a lock; it sleeps
 * while a core is written; then it exits, and is Z until its last thread has gone.
 */
bool process_is_dying(pid_t pid)
{
	unsigned long flags, exit_code;
	unsigned long long pending, all = 0;
	char line[128], state = 0;
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
	read_stat(pid, &flags, &exit_code);
	return state == 'Z' || state == 'X' || core || flags & PF_EXITING ||
	       all & 1ULL << (SIGKILL - 1);
}

bool process_was_killed(pid_t pid)
{
	unsigned long flags, exit_code;

	read_stat(pid, &flags, &exit_code);
	return flags & PF_EXITING && exit_code & 0x7f;
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
