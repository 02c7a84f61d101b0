/*
 * Counts of the requests that were served: how many of each kind and how long
 * they took, and which processes sent them. Any thread, without a lock.
 */
#ifndef FS_NODE_REQUESTS_H
#define FS_NODE_REQUESTS_H
#include <stdbool.h>
#include <sys/types.h>

#include "store/base/bytes.h"
#include "store/base/latency.h"

enum request_kind {
	REQUEST_LOOKUP, REQUEST_GETATTR, REQUEST_SETATTR, REQUEST_READDIR,
	REQUEST_OPEN, REQUEST_READ, REQUEST_WRITE, REQUEST_FLUSH,
	REQUEST_FSYNC, REQUEST_RELEASE, REQUEST_CREATE, REQUEST_MKDIR,
	REQUEST_REMOVE, REQUEST_RENAME, REQUEST_XATTR, REQUEST_OTHER,
	REQUEST_KINDS
};

/* Threads add in different places, so that they do not wait for each other's
 * cache lines. */
#define REQUEST_STRIPES 4
/* How many threads of processes are counted. A further one takes the place of one that
 * sent nothing lately. */
#define REQUEST_CLIENTS 256
#define CLIENT_COMMAND_WORDS 4
struct client {
	_Atomic uint64_t who;		/* uid << 32 | thread; 0: free */
	_Atomic pid_t process;		/* of the thread; 0: not known yet */
	_Atomic uint64_t count, last_s;	/* of the monotonic clock */
	/* Its command, or the begin of it, when its first request came: text
	 * that a 0 ends, unless it is full. */
	_Atomic uint64_t command[CLIENT_COMMAND_WORDS];
};
struct requests {
	struct {
		struct latency kinds[REQUEST_KINDS];
	} stripes[REQUEST_STRIPES];
	struct client clients[REQUEST_CLIENTS];
};

/* Count a request that was served. begun_ns, now_ns: its beginning and end by
 * the monotonic clock. pid: of the thread that sent it; 0: unknown. */
void requests_add(struct requests *r, enum request_kind kind, uid_t uid,
		  pid_t pid, uint64_t begun_ns, uint64_t now_ns);
/* Return the name of a kind. */
const char *request_name(enum request_kind kind);
/* Set *sum to the sum of all requests of a kind. */
void requests_sum(const struct requests *r, enum request_kind kind,
		  struct latency_sum *sum);
/* Print a line for each process that sent any, the most first: requests, pid,
 * uid, command. Of one user, or of all. Those that have ended are left out when
 * they sent nothing for 10 seconds. */
void requests_print_clients(const struct requests *r, struct buf *out,
			    uid_t uid, bool all);
#endif
