/*
 * The last refusals, for .widefs/errors and user.error: a ring of lines. A
 * reader sees the lines of its own uid; root and the mounter see all. Any
 * thread.
 */
#ifndef FS_NODE_ERRORS_H
#define FS_NODE_ERRORS_H
#include <sys/types.h>

#include "store/base/bytes.h"
#include "store/base/lock.h"

#define ERRORS_MAX 10000

struct error_line {
	int64_t time_us;
	uint64_t ino;
	pid_t pid;
	uid_t uid;
	int number;		/* errno, positive; 0: it was done */
	char *text;		/* command, path, sentence, each ended by 0 */
};
struct errors {
	struct mutex lock;
	struct error_line *lines;	/* under lock; made with the first */
	uint64_t count;			/* of all that were ever added */
};
void errors_init(struct errors *e);
void errors_release(struct errors *e);
/* Add a line. Control bytes are escaped. Without memory the line is lost. */
void errors_add(struct errors *e, uint64_t ino, pid_t pid, uid_t uid,
		int number, struct bytes path, const char *sentence);
/* Append the command of a process, or ?: it has ended. */
void errors_print_command(struct buf *out, pid_t pid);
/*
 * Append the lines that uid may see (everything: all), oldest first, from number
 * *next on; those that went meanwhile are left out. *next is then that of the
 * next to come. From 0: all that are there.
 */
void errors_print(struct errors *e, struct buf *out, uid_t uid,
		  bool everything, uint64_t *next);
/* Return how many were added. */
uint64_t errors_count(struct errors *e);
/* Return the sentence of the last one about ino; false if there is none. */
bool errors_last(struct errors *e, struct buf *out, uint64_t ino, uid_t uid,
		 bool everything);
#endif
