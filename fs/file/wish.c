/* The list of wishes: see wish.h. */
#include "fs/file/wish.h"

#include <errno.h>
#include <signal.h>

#include "fs/node/account.h"
#include "fs/node/call.h"
#include "fs/node/node.h"
#include "store/base/alloc.h"

/* Seconds until a wish is dropped: of a thread that has ended; and of one that
 * goes on, or is unknown. By then its call has ended without a second try, as a
 * call that opens nothing does, or its number is another thread's. */
#define ENDED_S 10
#define WAITS_S 60

static pid_t thread_of(const struct op *op)
{
	return op->call ? op->call->pid : 0;
}

bool wish_is_unknown(const struct op *op)
{
	return !thread_of(op);
}

static bool is_recent(const struct op *op, int64_t at_s)
{
	return at_s && op->now_s - at_s < WAITS_S;
}

void wish_tell_unknown(struct op *op)
{
	atomic_store(&op->fs->unknown_told_s, op->now_s);
}

bool wish_unknown_are_told(const struct op *op)
{
	return is_recent(op, atomic_load(&op->fs->unknown_told_s));
}

void wish_mark(struct op *op, struct node *n)
{
	atomic_store(&n->looked_s, op->now_s);
}

bool wish_is_marked(const struct op *op, const struct node *n)
{
	return is_recent(op, atomic_load(&n->looked_s));
}

struct wish *wish_take(struct op *op)
{
	struct fs *fs = op->fs;
	pid_t thread = thread_of(op);
	struct wish **at, *w;

	if (!thread || !atomic_load(&fs->wish_count))
		return NULL;
	mutex_lock(&fs->wish_lock);
	for (at = &fs->wishes; (w = *at); at = &w->next)
		if (w->thread == thread)
			break;
	if (w) {
		*at = w->next;
		atomic_fetch_sub(&fs->wish_count, 1);
	}
	mutex_unlock(&fs->wish_lock);
	return w;
}

void wish_list(struct fs *fs, struct wish *w)
{
	mutex_lock(&fs->wish_lock);
	w->next = fs->wishes;
	fs->wishes = w;
	atomic_fetch_add(&fs->wish_count, 1);
	mutex_unlock(&fs->wish_lock);
}

int wish_add(struct op *op, struct node *n, enum wishes call)
{
	struct fs *fs = op->fs;
	struct wish *w;

	if (wish_is_unknown(op)) {
		wish_tell_unknown(op);
		return -ESTALE;
	}
	w = mem_zalloc(1, sizeof(*w));
	if (!w || charge_set(&fs->accounts, &w->charge, RESOURCE_LOOKS,
			     op->who.uid, 1)) {
		mem_free(w);
		return -EBUSY;
	}
	w->thread = thread_of(op);
	w->call = call;
	w->asked = node_get(node_now(n));
	w->since_s = op->now_s;
	wish_list(fs, w);
	return -ESTALE;
}

bool wish_found(const struct wish *w, const struct node *n)
{
	return w->found && (w->found == n || node_now(w->found) == n);
}

void wish_lose(struct fs *fs, struct wish *w)
{
	node_put(&fs->nodes, w->found);
	w->found = NULL;
}

void wish_free(struct fs *fs, struct wish *w)
{
	wish_lose(fs, w);
	node_put(&fs->nodes, w->asked);
	charge_end(&fs->accounts, &w->charge);
	mem_free(w);
}

/* True if its thread may still make its second try: on a busy machine that may
 * take long. */
static bool is_awaited(const struct wish *w, int64_t now_s)
{
	int64_t age_s = now_s - w->since_s;

	return age_s < ENDED_S ||
	       (age_s < WAITS_S && (!kill(w->thread, 0) || errno == EPERM));
}

struct wish *wish_take_old(struct fs *fs, int64_t now_s, bool all)
{
	struct wish **at, *w, *old = NULL;

	mutex_lock(&fs->wish_lock);
	for (at = &fs->wishes; (w = *at);) {
		if (!all && is_awaited(w, now_s)) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		w->next = old;
		old = w;
		atomic_fetch_sub(&fs->wish_count, 1);
	}
	mutex_unlock(&fs->wish_lock);
	return old;
}
