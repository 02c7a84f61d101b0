/* The list of retries: see retry.h. */
#include "fs/file/retry.h"

#include <errno.h>
#include <signal.h>

#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/node.h"
#include "store/base/alloc.h"

/* Seconds until a retry is dropped: of a thread that has ended; and of one that
 * goes on, or is unknown. By then its call has ended without a second try, as a
 * call that opens nothing does, or its number is another thread's. */
#define ENDED_S 10
#define WAITS_S 60

static pid_t thread_of(const struct op *op)
{
	return op->call ? op->call->pid : 0;
}

bool retry_is_unknown(const struct op *op)
{
	return !op->call || !op->call->pid;
}

static bool is_recent(const struct op *op, int64_t at_s)
{
	return at_s && op->now_s - at_s < WAITS_S;
}

void retry_note_unknown(struct op *op)
{
	atomic_store(&op->fs->unknown_told_s, op->now_s);
}

bool retry_unknown_are_recent(const struct op *op)
{
	return is_recent(op, atomic_load(&op->fs->unknown_told_s));
}

void retry_mark(struct op *op, struct node *n)
{
	atomic_store(&n->looked_s, op->now_s);
}

bool retry_is_marked(const struct op *op, const struct node *n)
{
	return is_recent(op, atomic_load(&n->looked_s));
}

struct retry *retry_take(struct op *op)
{
	struct fs *fs = op->fs;
	struct retry **at, *r;
	pid_t thread;

	if (!atomic_load(&fs->retry_count) || !(thread = thread_of(op)))
		return NULL;
	mutex_lock(&fs->retry_lock);
	for (at = &fs->retries; (r = *at); at = &r->next)
		if (r->thread == thread)
			break;
	if (r) {
		*at = r->next;
		atomic_fetch_sub(&fs->retry_count, 1);
	}
	mutex_unlock(&fs->retry_lock);
	return r;
}

void retry_insert(struct fs *fs, struct retry *r)
{
	mutex_lock(&fs->retry_lock);
	r->next = fs->retries;
	fs->retries = r;
	atomic_fetch_add(&fs->retry_count, 1);
	mutex_unlock(&fs->retry_lock);
}

int retry_add(struct op *op, struct node *n, enum retry_call call)
{
	struct fs *fs = op->fs;
	struct retry *r;

	if (retry_is_unknown(op)) {
		retry_note_unknown(op);
		return -ESTALE;
	}
	r = mem_zalloc(1, sizeof(*r));
	if (!r || charge_set(&fs->accounts, &r->charge, RESOURCE_LOOKS,
			     op->who.uid, 1)) {
		mem_free(r);
		return -EBUSY;
	}
	r->thread = thread_of(op);
	r->call = call;
	r->asked = node_get(node_now(n));
	r->since_s = op->now_s;
	retry_insert(fs, r);
	return -ESTALE;
}

bool retry_found(const struct retry *r, const struct node *n)
{
	return r->found && (r->found == n || node_now(r->found) == n);
}

void retry_drop_found(struct fs *fs, struct retry *r)
{
	node_put(&fs->nodes, r->found);
	r->found = NULL;
}

void retry_free(struct fs *fs, struct retry *r)
{
	retry_drop_found(fs, r);
	node_put(&fs->nodes, r->asked);
	charge_end(&fs->accounts, &r->charge);
	mem_free(r);
}

/* True if its thread may still make its second try: on a busy machine that may
 * take long. */
static bool is_awaited(const struct retry *r, int64_t now_s)
{
	int64_t age_s = now_s - r->since_s;

	return age_s < ENDED_S ||
	       (age_s < WAITS_S && (!kill(r->thread, 0) || errno == EPERM));
}

struct retry *retry_take_old(struct fs *fs, int64_t now_s, bool all)
{
	struct retry **at, *r, *old = NULL;

	mutex_lock(&fs->retry_lock);
	for (at = &fs->retries; (r = *at);) {
		if (!all && is_awaited(r, now_s)) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		r->next = old;
		old = r;
		atomic_fetch_sub(&fs->retry_count, 1);
	}
	mutex_unlock(&fs->retry_lock);
	return old;
}
