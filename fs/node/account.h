/*
 * What users hold in memory, and how much of it they may. Each resource has a
 * bound: root and who mounted may use all of it, one other user half, all others
 * together three quarters, so that there is always room to look and to repair.
 *
 * What holds something embeds a charge, which names the account that pays: made
 * zero, it holds nothing, and ends by being set to 0. What several users hold at
 * the same time (the text that readers share) has shares: each of them pays for
 * it, and all together once.
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
	RESOURCE_STREAMS,	/* open directories, results that are under way */
	RESOURCE_NAMES,		/* directories that exist in memory alone */
	RESOURCE_SCRATCH,	/* bytes: temporary files, what waits for a key */
	RESOURCE_PENDING,	/* bytes: values that are open for writing */
	RESOURCE_READ,		/* bytes: values that readers began with */
	RESOURCE_STATEMENTS,	/* bytes: statements that have not run */
	RESOURCE_RESULTS,	/* bytes: results that were not read */
	RESOURCE_REQUESTS,	/* bytes: requests that wait for others of a user */
	RESOURCE_LOOKS,		/* opens that were told to look again: view.h */
	RESOURCE_COUNT
};

struct account;		/* of one user; it is there while he holds something */
struct charge {
	struct account *of;	/* NULL: nothing is held */
	enum resource what;	/* of which there is that amount, */
	uint64_t amount;
};
struct shares {
	struct share *first;	/* one for each user */
	enum resource what;	/* set before the first, */
	uint64_t amount;	/* as this */
};

#define ACCOUNT_HASH 64
struct accounts {
	struct mutex lock;
	/* all below under lock, but the bounds, which stay */
	struct account *hash[ACCOUNT_HASH];
	size_t count;		/* of accounts */
	uint64_t used[RESOURCE_COUNT];
	uint64_t bounds[RESOURCE_COUNT];
	uid_t mounter;
};

/* max_value, scratch_max: the mount's options. */
void accounts_init(struct accounts *a, uid_t mounter, uint64_t max_value,
		   uint64_t scratch_max);
/* What is still held then must not be given back any more. */
void accounts_release(struct accounts *a);

/*
 * Let the charge be that amount of r. More is paid by uid, who takes over what
 * another paid so far. Less never fails. 0, -ENOMEM, or the error that the
 * resource has for too much (resource_says), and then nothing has changed.
 */
int charge_set(struct accounts *a, struct charge *c, enum resource r, uid_t uid,
	       uint64_t amount);
void charge_end(struct accounts *a, struct charge *c);

/* One more (less) holds it, for uid. As charge_set. */
int share_add(struct accounts *a, struct shares *s, uid_t uid);
void share_end(struct accounts *a, struct shares *s, uid_t uid);

/* Is err that there is too much of r? Then how much there may be. */
bool resource_says(const struct accounts *a, enum resource r, int err,
		   struct buf *out);
const char *resource_name(enum resource r);	/* as in .widefs/metrics */
const char *resource_help(enum resource r);
uint64_t accounts_used(struct accounts *a, enum resource r);
/* A line for each user that holds something; of one alone, or of all. */
void accounts_print(struct accounts *a, struct buf *out, uid_t uid, bool all);
/* The bounds, a line each: of one user, of all. */
void accounts_print_bounds(const struct accounts *a, struct buf *out);
#endif
