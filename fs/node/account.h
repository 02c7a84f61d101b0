/*
 * Limit what users hold in memory. Each resource has a bound: root and the user
 * who mounted may use all of it, one other user half, all others together three
 * quarters, so that there is always room to look and to repair.
 *
 * An object that holds something embeds a charge, which names the account that
 * pays. A charge begins as zeroes, for it holds nothing; charge_end gives back
 * what it holds. An object that several users hold at the same time (the text
 * that readers share) has shares: each of them pays for all of it, but it
 * counts once towards what all together hold.
 *
 * Any thread; the lock is a leaf.
 */
#ifndef FS_NODE_ACCOUNT_H
#define FS_NODE_ACCOUNT_H
#include <sys/types.h>

#include "store/base/bytes.h"
#include "store/base/lock.h"

enum resource {
	RESOURCE_FILES,		/* open files */
	RESOURCE_STREAMS,	/* open directories, results in progress */
	RESOURCE_NAMES,		/* directories that exist only in memory */
	RESOURCE_SCRATCH,	/* bytes: temporary files, data without key */
	RESOURCE_PENDING,	/* bytes: values that are open for writing */
	RESOURCE_READ,		/* bytes: values as readers opened them */
	RESOURCE_STATEMENTS,	/* bytes: statements that have not run */
	RESOURCE_RESULTS,	/* bytes: results that were not read */
	RESOURCE_PLANS,		/* bytes: for the rest of results in progress */
	RESOURCE_PAST,		/* bytes: of past moments, for results */
	RESOURCE_REQUESTS,	/* bytes: requests that wait for others */
	RESOURCE_LOOKS,		/* opens that look again: file/view_look.h */
	RESOURCE_LOCKS,		/* locks of files, and waits for them */
	RESOURCE_COUNT
};

struct account;		/* of one user; exists while he holds something */
struct charge {
	struct account *of;	/* that pays; NULL: nothing is held */
	enum resource what;
	uint64_t amount;	/* of that resource */
};
struct shares {
	struct user_share *first;	/* one for each user */
	enum resource what;	/* both are set before the first share */
	uint64_t amount;
};

#define ACCOUNT_HASH 64
struct accounts {
	struct mutex lock;
	/* under lock, as all below except the bounds, which are constant */
	struct account *hash[ACCOUNT_HASH];
	size_t count;		/* of accounts */
	uint64_t used[RESOURCE_COUNT];
	uint64_t bounds[RESOURCE_COUNT];
	uid_t mounter;
};

/* max_value, scratch_max, memtables (bytes): the mount's options. */
void accounts_init(struct accounts *a, uid_t mounter, uint64_t max_value,
		   uint64_t scratch_max, uint64_t memtables);
/* Release all accounts. Charges that remain must not be given back any more. */
void accounts_release(struct accounts *a);

/*
 * Set the charge to `amount` of r. uid pays for a raise, and takes over what
 * another user paid so far; lowering never fails. Returns 0, -ENOMEM, or the
 * error that r has for too much (resource_print_error). After an error nothing
 * has changed.
 */
int charge_set(struct accounts *a, struct charge *c, enum resource r, uid_t uid,
	       uint64_t amount);
void charge_end(struct accounts *a, struct charge *c);

/* Add a share for uid (errors as charge_set), or drop one. */
int share_add(struct accounts *a, struct shares *s, uid_t uid);
void share_end(struct accounts *a, struct shares *s, uid_t uid);
/* Let all that have a share pay for `amount`, which is more than s->amount, not
 * 0. 0, or as charge_set: then nothing has changed. */
int shares_raise(struct accounts *a, struct shares *s, uint64_t amount);

/* True if err is r's error for too much. Then a sentence with the bounds is
 * appended to out. */
bool resource_print_error(const struct accounts *a, enum resource r, int err,
			  struct buf *out);
const char *resource_name(enum resource r);	/* as in .widefs/metrics */
const char *resource_help(enum resource r);
uint64_t accounts_used(struct accounts *a, enum resource r);
/* Print a line for each user that holds something: one user, or all. */
void accounts_print(struct accounts *a, struct buf *out, uid_t uid, bool all);
/* Print a line for each resource: its bound for one user, and for all. */
void accounts_print_bounds(const struct accounts *a, struct buf *out);
#endif
