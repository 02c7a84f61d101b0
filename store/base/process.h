/* Prepare this process before anything else runs in it; ask the kernel about
 * other processes. */
#ifndef STORE_BASE_PROCESS_H
#define STORE_BASE_PROCESS_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Open those of descriptors 0 to 2 that are closed, as something that can
 * neither be read nor written: else a file of a store would get their number,
 * and what is printed. Let a write fail that passes the limit of a file's size,
 * rather than end the process. Raise the limit of open files as far as allowed;
 * child processes inherit it. Return large pieces of memory to the system as
 * soon as they are freed.
 */
void process_prepare(void);
/*
 * True if the process was killed, writes a core or exits: the kernel may still hold
 * what it had open. True if there is no such process, too.
 */
bool process_is_dying(pid_t pid);
/*
 * True if it ends by a signal, or has so: it closes what it had open, as one that
 * exits. False where its exit code cannot be seen: another user's.
 */
bool process_was_killed(pid_t pid);
/* True if there is no such process or thread (pid > 0) any more. */
bool process_has_ended(pid_t pid);
/* Return the process that a thread is one of; the number of the thread where it is
 * unknown (0 or below), has ended, or is hidden from this process. Any thread. */
pid_t process_of_thread(pid_t thread);
/* True (1) if a and b are threads of one process, 0 if not; -ESRCH if a is unknown
 * (0 or below), has ended, or is hidden from this process. */
int process_is_one(pid_t a, pid_t b);
/*
 * Look for an open file of that inode number, on any filesystem, in the process: 1;
 * 0 without; -ENOENT: it has ended; -EACCES where it cannot be seen: another's
 * process, a kernel before 5.14. The links of /proc/PID/fd would wait for a process
 * that is in execve(2), and that may wait for the caller to answer a close.
 */
int process_has_file(pid_t pid, uint64_t ino);
/* True if the process has a device open that is of this connection of FUSE. */
bool process_has_connection(pid_t pid, uint32_t connection);
/* Return a process that holds a lock (flock) of the file or directory, or 0. */
pid_t process_find_lock(const struct stat *st);
#endif
