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
	int number;		/* errno, positive; 0: a success */
	char *text;		/* command, path, sentence, each ended by 0 */
	size_t len;		/* of text */
};
struct errors {
	struct mutex lock;
	struct error_line *lines;	/* under lock; made with the first */
	uint64_t count;			/* of all that were ever added */
	struct error_line more;		/* the last of those not in lines yet */
	uint64_t more_count;
};
/* Make an empty list; release frees its lines. Nobody else uses it then. */
void errors_init(struct errors *e);
void errors_release(struct errors *e);
/*
 * Add a line. pid: of a process, or of a thread of it. Control bytes are escaped.
 * Without memory the line is lost. The ENOENT of the line before is not added once
 * more. Further EXDEV of the process with the sentence of the line before (mv,
 * which copies then, has one for each file) become one line, of the last of them
 * and with their number, when another line comes or somebody reads.
 */
void errors_add(struct errors *e, uint64_t ino, pid_t pid, uid_t uid,
		int number, struct bytes path, const char *sentence);
/* Append the command of a process. False, and "?": it has ended. */
bool errors_print_command(struct buf *out, pid_t pid);
/*
 * Append the lines that uid may see (everything: all lines), oldest first, from
 * number *next on (0: from the oldest that is kept); lines that were
 * overwritten meanwhile are left out. *next becomes the number of the next line
 * to come.
 */
void errors_print(struct errors *e, struct buf *out, uid_t uid,
		  bool everything, uint64_t *next);
/* Return how many lines were ever added. */
uint64_t errors_count(struct errors *e);
/* Append the sentence of the last line about ino that uid may see. False: there
 * is none. */
bool errors_last(struct errors *e, struct buf *out, uint64_t ino, uid_t uid,
		 bool everything);
#endif
