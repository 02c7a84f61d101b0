#include "fs/node/account.h"

#include <errno.h>

#include "store/base/alloc.h"

struct account {
	uid_t uid;
	struct account *next;		/* of its hash */
	uint64_t used[RESOURCE_COUNT];
};

struct user_share {
	struct user_share *next;
	struct account *of;
	unsigned count;
};

#define LARGE_LEAST (256ull << 20)	/* bytes: no bound of values is less */

static const struct {
	const char *name, *help, *what;
	int error;
} resources[RESOURCE_COUNT] = {
	[RESOURCE_FILES] = { "open_files", "open files", "open files", -EMFILE },
	[RESOURCE_STREAMS] = { "open_streams", "open directories and results",
			       "open directories and unread results", -EMFILE },
	[RESOURCE_NAMES] = { "memory_names", "directories in memory alone",
			     "directories that have no rows", -ENOSPC },
	[RESOURCE_SCRATCH] = { "scratch_bytes", "bytes of temporary files",
			       "bytes of temporary files, their names included",
			       -ENOSPC },
	[RESOURCE_PENDING] = { "pending_bytes", "bytes open for writing",
			       "bytes that are open for writing and not closed",
			       -ENOSPC },
	[RESOURCE_READ] = { "read_bytes", "bytes held for readers",
			    "bytes of values that are open for reading",
			    -EMFILE },
	[RESOURCE_STATEMENTS] = { "statement_bytes", "bytes of statements",
				  "bytes of statements that have not ended",
				  -ENOSPC },
	[RESOURCE_RESULTS] = { "result_bytes", "bytes of unread results",
			       "bytes of results that were not read", -ENOSPC },
	[RESOURCE_PLANS] = { "plan_bytes", "bytes of results in progress",
			     "bytes that results in progress need (a list of "
			     "very many keys?)", -ENOSPC },
	[RESOURCE_PAST] = { "past_bytes", "bytes of past moments",
			    "bytes of past moments, kept for results that are "
			    "read backwards, by an index or merged", -EIO },
	[RESOURCE_REQUESTS] = { "request_bytes", "bytes of requests that wait",
				"bytes of requests that wait for one another",
				-ENOSPC },
	[RESOURCE_LOOKS] = { "open_looks", "opens that look again",
			     "opens that look for their file again", -EBUSY },
	[RESOURCE_LOCKS] = { "file_locks", "locks of files",
			     "locks of files that are held or waited for",
			     -ENOLCK },
};

void accounts_init(struct accounts *a, uid_t mounter, uint64_t max_value,
		   uint64_t scratch_max, uint64_t memtables)
{
	uint64_t values = 4 * max_value;

	memset(a, 0, sizeof(*a));
	mutex_init(&a->lock);
	a->mounter = mounter;
	if (values < LARGE_LEAST)
		values = LARGE_LEAST;
	a->bounds[RESOURCE_FILES] = 1 << 16;
	a->bounds[RESOURCE_STREAMS] = 1 << 12;
	a->bounds[RESOURCE_NAMES] = 1 << 19;
	a->bounds[RESOURCE_SCRATCH] = scratch_max;
	a->bounds[RESOURCE_PENDING] = values;
	a->bounds[RESOURCE_READ] = values;
	a->bounds[RESOURCE_STATEMENTS] = 256 << 20;
	a->bounds[RESOURCE_RESULTS] = 256 << 20;
	a->bounds[RESOURCE_PLANS] = 1 << 30;
	/* A moment has five quarters of the memtables' budget at most. */
	a->bounds[RESOURCE_PAST] = 4 * memtables;
	a->bounds[RESOURCE_REQUESTS] = 256 << 20;
	a->bounds[RESOURCE_LOOKS] = 1000;
	a->bounds[RESOURCE_LOCKS] = 1 << 14;
}

void accounts_release(struct accounts *a)
{
	struct account *account;
	size_t i;

	for (i = 0; i < ACCOUNT_HASH; i++)
		while ((account = a->hash[i])) {
			a->hash[i] = account->next;
			mem_free(account);
		}
	mutex_release(&a->lock);
}

/* ---------------------------------------------------------------- accounts */
static bool is_trusted(const struct accounts *a, uid_t uid)
{
	return !uid || uid == a->mounter;
}

static struct account *find_account(struct accounts *a, uid_t uid)
	REQUIRES(&a->lock)
{
	struct account *account = a->hash[uid % ACCOUNT_HASH];

	while (account && account->uid != uid)
		account = account->next;
	return account;
}

/* Find the user's account, or make it. NULL: no memory. */
static struct account *need_account(struct accounts *a, uid_t uid)
	REQUIRES(&a->lock)
{
	struct account *account = find_account(a, uid);
	struct account **at = &a->hash[uid % ACCOUNT_HASH];

	if (account)
		return account;
	account = mem_zalloc(1, sizeof(*account));
	if (!account)
		return NULL;
	account->uid = uid;
	account->next = *at;
	*at = account;
	a->count++;
	return account;
}

/* Free the account when nothing is charged to it: there are no more of them
 * than users that hold something. */
static void drop_unused(struct accounts *a, struct account *account)
	REQUIRES(&a->lock)
{
	struct account **at = &a->hash[account->uid % ACCOUNT_HASH];
	size_t i;

	for (i = 0; i < RESOURCE_COUNT; i++)
		if (account->used[i])
			return;
	while (*at != account)
		at = &(*at)->next;
	*at = account->next;
	mem_free(account);
	a->count--;
}

/* True if the user may hold `alone` of it while all users hold in_all. */
static bool fits(const struct accounts *a, enum resource r, uid_t uid,
		 uint64_t alone, uint64_t in_all)
{
	uint64_t bound = a->bounds[r];

	if (alone > bound || in_all > bound)
		return false;
	return (alone <= bound / 2 && in_all <= bound - bound / 4) ||
	       is_trusted(a, uid);
}

/* Charge `alone` more to the account, of which in_all is held by nobody
 * else. */
static int pay(struct accounts *a, struct account *account, enum resource r,
	       uint64_t alone, uint64_t in_all) REQUIRES(&a->lock)
{
	uint64_t after, all;

	if (__builtin_add_overflow(account->used[r], alone, &after) ||
	    __builtin_add_overflow(a->used[r], in_all, &all) ||
	    !fits(a, r, account->uid, after, all)) {
		drop_unused(a, account);
		return resources[r].error;
	}
	account->used[r] = after;
	a->used[r] = all;
	return 0;
}

static void pay_back(struct accounts *a, struct account *account,
		     enum resource r, uint64_t alone, uint64_t in_all)
	REQUIRES(&a->lock)
{
	account->used[r] -= alone;
	a->used[r] -= in_all;
	drop_unused(a, account);
}

/* ----------------------------------------------------------------- charges */
static int raise(struct accounts *a, struct charge *c, enum resource r,
		 uid_t uid, uint64_t amount) REQUIRES(&a->lock)
{
	struct account *account = need_account(a, uid);
	uint64_t before = c->of == account ? c->amount : 0;
	int err;

	if (!account)
		return -ENOMEM;
	err = pay(a, account, r, amount - before, amount - c->amount);
	if (err)
		return err;
	if (c->of && c->of != account)
		pay_back(a, c->of, r, c->amount, 0);
	*c = (struct charge){ account, r, amount };
	return 0;
}

static void lower(struct accounts *a, struct charge *c, uint64_t amount)
	REQUIRES(&a->lock)
{
	uint64_t less = c->amount - amount;

	pay_back(a, c->of, c->what, less, less);
	c->amount = amount;
	if (!amount)
		c->of = NULL;
}

int charge_set(struct accounts *a, struct charge *c, enum resource r, uid_t uid,
	       uint64_t amount)
{
	int err = 0;

	if (amount == c->amount)
		return 0;
	mutex_lock(&a->lock);
	if (amount > c->amount)
		err = raise(a, c, r, uid, amount);
	else
		lower(a, c, amount);
	mutex_unlock(&a->lock);
	return err;
}

void charge_end(struct accounts *a, struct charge *c)
{
	charge_set(a, c, c->what, 0, 0);
}

/* ------------------------------------------------------------------ shares */
static struct user_share **find_share(struct shares *s, uid_t uid)
{
	struct user_share **at = &s->first;

	while (*at && (*at)->of->uid != uid)
		at = &(*at)->next;
	return at;
}

static int add_share(struct accounts *a, struct shares *s, uid_t uid)
	REQUIRES(&a->lock)
{
	struct user_share *share = mem_zalloc(1, sizeof(*share));
	struct account *account = share ? need_account(a, uid) : NULL;
	int err = account ? pay(a, account, s->what, s->amount,
				s->first ? 0 : s->amount) : -ENOMEM;

	if (err) {
		mem_free(share);
		return err;
	}
	share->of = account;
	share->count = 1;
	share->next = s->first;
	s->first = share;
	return 0;
}

int share_add(struct accounts *a, struct shares *s, uid_t uid)
{
	struct user_share *share;
	int err = 0;

	if (!s->amount)
		return 0;
	mutex_lock(&a->lock);
	share = *find_share(s, uid);
	if (share)
		share->count++;
	else
		err = add_share(a, s, uid);
	mutex_unlock(&a->lock);
	return err;
}

void share_end(struct accounts *a, struct shares *s, uid_t uid)
{
	struct user_share **at, *share;

	if (!s->amount)
		return;
	mutex_lock(&a->lock);
	at = find_share(s, uid);
	share = *at;
	if (!--share->count) {
		*at = share->next;
		pay_back(a, share->of, s->what, s->amount,
			 s->first ? 0 : s->amount);
		mem_free(share);
	}
	mutex_unlock(&a->lock);
}

/* Pay `more` back to each of the shares before `until`. */
static void lower_shares(struct accounts *a, struct shares *s,
			 const struct user_share *until, uint64_t more)
	REQUIRES(&a->lock)
{
	struct user_share *share;

	for (share = s->first; share != until; share = share->next)
		pay_back(a, share->of, s->what, more,
			 share == s->first ? more : 0);
}

int shares_raise(struct accounts *a, struct shares *s, uint64_t amount)
{
	uint64_t more = amount - s->amount;
	struct user_share *share;
	int err = 0;

	mutex_lock(&a->lock);
	for (share = s->first; share && !err; share = err ? share : share->next)
		err = pay(a, share->of, s->what, more,
			  share == s->first ? more : 0);
	if (err)
		lower_shares(a, s, share, more);
	else
		s->amount = amount;
	mutex_unlock(&a->lock);
	return err;
}

/* -------------------------------------------------------------- for people */
bool resource_print_error(const struct accounts *a, enum resource r, int err,
			  struct buf *out)
{
	uint64_t bound = a->bounds[r];

	if (err != resources[r].error)
		return false;
	buf_add_format(out, "too many %s: one user may have %llu, all %llu, "
			    "with root and who mounted %llu",
		       resources[r].what, (unsigned long long)bound / 2,
		       (unsigned long long)(bound - bound / 4),
		       (unsigned long long)bound);
	return true;
}

const char *resource_name(enum resource r)
{
	return resources[r].name;
}

const char *resource_help(enum resource r)
{
	return resources[r].help;
}

uint64_t accounts_used(struct accounts *a, enum resource r)
{
	uint64_t used;

	mutex_lock(&a->lock);
	used = a->used[r];
	mutex_unlock(&a->lock);
	return used;
}

static void print_account(const struct account *account, struct buf *out)
{
	const char *between = " ";
	size_t i;

	buf_add_format(out, "user %u:", (unsigned)account->uid);
	for (i = 0; i < RESOURCE_COUNT; i++) {
		if (!account->used[i])
			continue;
		buf_add_format(out, "%s%s %llu", between, resources[i].name,
			       (unsigned long long)account->used[i]);
		between = ", ";
	}
	buf_add_byte(out, '\n');
}

void accounts_print(struct accounts *a, struct buf *out, uid_t uid, bool all)
{
	const struct account *account;
	size_t i;

	mutex_lock(&a->lock);
	for (i = 0; i < ACCOUNT_HASH; i++)
		for (account = a->hash[i]; account; account = account->next)
			if (all || account->uid == uid)
				print_account(account, out);
	mutex_unlock(&a->lock);
}

void accounts_print_bounds(const struct accounts *a, struct buf *out)
{
	size_t i;

	for (i = 0; i < RESOURCE_COUNT; i++)
		buf_add_format(out, "  %-40s %12llu %12llu\n", resources[i].help,
			       (unsigned long long)a->bounds[i] / 2,
			       (unsigned long long)(a->bounds[i] -
						    a->bounds[i] / 4));
}
