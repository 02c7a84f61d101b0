#include "mount/invalidate.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "fs/fs.h"
#include "mount/loop.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"

/* Of kernels 6.16 and 6.18; younger than our headers. */
#define NOTIFY_INC_EPOCH 8
#define NOTIFY_PRUNE 9
#define BATCH 64
/* After this time a reply no longer waits for names whose directories a caller
 * may hold until it is sent (fs.h). */
#define NAMES_NS 100000000ull
#define TRIM_EVERY_S 5
#define TRIM_LEAST ((uint64_t)32 << 20)	/* bytes that were freed since */

struct helper;

/* A reply that waits for notices, and for the names of its call. */
struct waiting {
	struct waiting *next;
	uint64_t notice;
	bool names;
	struct helper *helper;		/* sends its names; or NULL */
	uint64_t until_ns;		/* for it; 0: until it is done */
	struct answer answer;
};

/* A thread that sends the names of one call. */
struct helper {
	struct notifier *notifier;
	struct fs_notice *names;
	size_t count;
	struct waiting *waiting;	/* NULL: it is answered */
};

struct sender {
	struct notifier *notifier;
	enum fs_notice_lock lock;
	pthread_t thread;
	bool started;
};

struct notifier {
	struct mount *mount;
	struct loop *loop;
	struct fuse_session *session;
	struct sender senders[FS_NOTICE_LOCKS];
	pthread_t timer;
	bool timer_started;
	_Atomic bool no_epoch, no_prune;	/* the kernel is too old */
	pthread_mutex_t lock;
	pthread_cond_t wake_timer;
	bool stopping;			/* under lock, as all that follows */
	unsigned helpers;		/* threads that send a call's names */
	pthread_cond_t no_helpers;
	struct waiting *first, **last;	/* in the order they came */
};

static bool is_sent(const struct waiting *w,
		    const uint64_t pending[FS_NOTICE_LOCKS])
{
	if (w->helper &&
	    (!w->until_ns || clock_monotonic_ns() < w->until_ns))
		return false;
	return w->notice < pending[FS_NOTICES_INODES] &&
	       (!w->names || w->notice < pending[FS_NOTICES_NAMES]);
}

/* Let the helper of a reply that was sent, if it has one, go on alone. */
static void leave_helper(struct waiting *w)
{
	if (w->helper)
		w->helper->waiting = NULL;
}

/* Remove those whose notices have been sent (all: every one) from the list. */
static struct waiting *take_ready(struct notifier *n, bool all)
{
	struct waiting **at = &n->first, *ready = NULL, **end = &ready;
	uint64_t pending[FS_NOTICE_LOCKS];

	if (!*at)
		return NULL;
	fs_notices_pending(n->mount->fs, pending);
	while (*at) {
		struct waiting *w = *at;

		if (!all && !is_sent(w, pending)) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		w->next = NULL;
		leave_helper(w);
		*end = w;
		end = &w->next;
	}
	n->last = at;
	return ready;
}

static void answer_ready(struct notifier *n, bool all)
{
	struct waiting *ready;

	pthread_mutex_lock(&n->lock);
	if (all)
		n->stopping = true;
	ready = take_ready(n, all);
	pthread_mutex_unlock(&n->lock);
	while (ready) {
		struct waiting *next = ready->next;

		answer_send(&ready->answer);
		mem_free(ready);
		ready = next;
	}
}

/* Add it to the list: false if there is nothing to wait for. Under the lock. */
static bool wait_for_notices(struct notifier *n, struct waiting *w)
{
	uint64_t pending[FS_NOTICE_LOCKS];

	fs_notices_pending(n->mount->fs, pending);
	if (n->stopping || is_sent(w, pending)) {
		leave_helper(w);	/* on a busy machine its time is over */
		return false;
	}
	*n->last = w;
	n->last = &w->next;
	return true;
}

/*
 * Make the kernel drop nodes that nobody uses. Like other notices of inodes it
 * takes no lock that a caller may hold. Older kernels drop a node with its name,
 * for which they lock the directory: the other thread does that.
 */
static void send_prune(struct notifier *n)
{
	struct {
		uint32_t count, padding;
		uint64_t spare, nodes[FS_IDLE_NODES];
	} body = { .padding = 0 };
	size_t len = offsetof(typeof(body), nodes);

	body.count = (uint32_t)fs_idle_nodes(n->mount->fs, n->no_prune,
					     body.nodes, FS_IDLE_NODES);
	len += body.count * sizeof(body.nodes[0]);
	if (body.count && !n->no_prune &&
	    loop_notify(n->loop, NOTIFY_PRUNE, &body, len) == -EINVAL)
		n->no_prune = true;
	if (n->no_prune)
		fs_drop_idle_names(n->mount->fs, body.nodes, body.count);
}

/* Errors do not matter: ENOENT says that the kernel has no copy. */
static void send_notice(struct notifier *n, const struct fs_notice *notice)
{
	size_t len = notice->name ? strlen(notice->name) : 0;

	switch (notice->kind) {
	case FS_NOTICE_ATTRIBUTES:
		fuse_lowlevel_notify_inval_inode(n->session, notice->node, -1,
						 0);
		break;
	case FS_NOTICE_PAGES:
		fuse_lowlevel_notify_inval_inode(n->session, notice->node, 0,
						 0);
		break;
	case FS_NOTICE_ENTRY:
		if (!notice->directory ||
		    fuse_lowlevel_notify_expire_entry(
			    n->session, notice->node, notice->name, len,
			    FUSE_LL_EXPIRE_ONLY) == -ENOSYS)
			fuse_lowlevel_notify_inval_entry(
				n->session, notice->node, notice->name, len);
		break;
	case FS_NOTICE_EPOCH:
		if (!n->no_epoch &&
		    loop_notify(n->loop, NOTIFY_INC_EPOCH, NULL, 0) == -EINVAL)
			n->no_epoch = true;
		break;
	case FS_NOTICE_PRUNE:
		send_prune(n);
		break;
	}
}

static void *send_names(void *argument)
{
	struct helper *h = argument;
	struct notifier *n = h->notifier;
	size_t i;

	for (i = 0; i < h->count; i++) {
		send_notice(n, &h->names[i]);
		mem_free(h->names[i].name);
	}
	mem_free(h->names);
	pthread_mutex_lock(&n->lock);
	if (h->waiting)
		h->waiting->helper = NULL;
	pthread_mutex_unlock(&n->lock);
	mem_free(h);
	answer_ready(n, false);
	pthread_mutex_lock(&n->lock);
	if (!--n->helpers)
		pthread_cond_broadcast(&n->no_helpers);
	pthread_mutex_unlock(&n->lock);
	return NULL;
}

/* Start a thread for the names of the call, for which w waits; false: there are
 * no names. Under the lock. */
static bool start_helper(struct notifier *n, struct fs_call *call,
			 struct waiting *w)
{
	struct helper *h = mem_alloc(sizeof(*h));
	pthread_t thread;

	if (!h || n->stopping)
		goto fail;
	*h = (struct helper){ n, call->names, call->name_count, w };
	if (pthread_create(&thread, NULL, send_names, h))
		goto fail;
	pthread_detach(thread);
	n->helpers++;
	call->name_count = 0;
	w->helper = h;
	if (!call->names_below) {
		w->until_ns = clock_monotonic_ns() + NAMES_NS;
		pthread_cond_signal(&n->wake_timer);
	}
	return true;
fail:
	mem_free(h);
	return false;
}

/* Queue the names for which no thread could be started: the reply does not wait
 * for them. */
static void queue_names(struct fs *fs, struct fs_call *call)
{
	size_t i;

	for (i = 0; i < call->name_count; i++) {
		fs_notices_add(fs, &call->names[i]);
		mem_free(call->names[i].name);
	}
	mem_free(call->names);
	call->name_count = 0;
}

void invalidate_answer(struct mount *m, struct fs_call *call, struct answer *a)
{
	struct notifier *n = m->notifier;
	struct waiting *w = n ? mem_zalloc(1, sizeof(*w)) : NULL;
	bool waits = false;

	if (w) {
		w->notice = call->wait_for;
		w->names = call->wait_for && !call->locked;
		w->answer = *a;
		pthread_mutex_lock(&n->lock);
		if (call->name_count)
			start_helper(n, call, w);
		waits = wait_for_notices(n, w);
		pthread_mutex_unlock(&n->lock);
	}
	if (call->name_count)
		queue_names(m->fs, call);
	if (waits)
		return;
	/* Send the reply early rather than never, if there is no memory. */
	mem_free(w);
	answer_send(a);
}

void invalidate_attributes(struct mount *m, uint64_t node)
{
	if (m->notifier)
		fuse_lowlevel_notify_inval_inode(m->notifier->session, node, -1,
						 0);
}

static void *send_notices(void *argument)
{
	struct sender *s = argument;
	struct notifier *n = s->notifier;
	struct fs *fs = n->mount->fs;
	struct fs_notice batch[BATCH];
	size_t count, i;

	while ((count = fs_notices_take(fs, s->lock, batch, BATCH, -1)) > 0) {
		for (i = 0; i < count; i++) {
			send_notice(n, &batch[i]);
			mem_free(batch[i].name);
		}
		fs_notices_sent(fs, s->lock);
		answer_ready(n, false);
	}
	return NULL;
}

/*
 * Return freed memory to the system. Of large values and of blocks glibc keeps it
 * in the heaps of all its threads, and the next one may find room in none of them.
 * Trimming takes long where there are many small allocations: only after large
 * ones were freed.
 */
static void give_memory_back(struct fs *fs, uint64_t *before)
{
	uint64_t freed = fs_large_freed(fs);

	if (freed - *before < TRIM_LEAST)
		return;
	*before = freed;
	malloc_trim(0);
}

/* Return the time until the first waiter gives up its names; 0: there is
 * none. */
static uint64_t first_limit(const struct notifier *n)
{
	uint64_t now = clock_monotonic_ns(), first = 0;
	const struct waiting *w;

	for (w = n->first; w; w = w->next)
		if (w->helper && w->until_ns > now &&
		    (!first || w->until_ns - now < first))
			first = w->until_ns - now;
	return first;
}

/*
 * Wait for another second than *last: true at once if it has begun; else false
 * after a while: at its beginning (data that ends in a second is gone in it),
 * or at a waiter's limit.
 */
static bool wait_for_second(struct notifier *n, time_t *last)
{
	uint64_t limit = first_limit(n);
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	if (at.tv_sec != *last) {
		*last = at.tv_sec;
		return true;
	}
	at.tv_nsec += (long)limit;
	if (!limit || at.tv_nsec >= 1000000000)
		at = (struct timespec){ .tv_sec = at.tv_sec + 1 };
	pthread_cond_timedwait(&n->wake_timer, &n->lock, &at);
	return false;
}

static void *run_timer(void *argument)
{
	struct notifier *n = argument;
	uint64_t freed = 0;
	time_t second = 0;

	pthread_mutex_lock(&n->lock);
	while (!n->stopping) {
		bool next = wait_for_second(n, &second);

		pthread_mutex_unlock(&n->lock);
		answer_ready(n, false);
		if (next)
			fs_timer(n->mount->fs, second);
		if (next && second % TRIM_EVERY_S == 0)
			give_memory_back(n->mount->fs, &freed);
		pthread_mutex_lock(&n->lock);
	}
	pthread_mutex_unlock(&n->lock);
	return NULL;
}

static int start_threads(struct notifier *n)
{
	int i, err = 0;

	for (i = 0; i < FS_NOTICE_LOCKS && !err; i++) {
		struct sender *s = &n->senders[i];

		s->notifier = n;
		s->lock = (enum fs_notice_lock)i;
		err = pthread_create(&s->thread, NULL, send_notices, s);
		s->started = !err;
	}
	if (!err) {
		err = pthread_create(&n->timer, NULL, run_timer, n);
		n->timer_started = !err;
	}
	return -err;
}

int invalidate_start(struct mount *m, struct loop *l)
{
	struct notifier *n = mem_zalloc(1, sizeof(*n));
	int err;

	if (!n)
		return -ENOMEM;
	n->mount = m;
	n->loop = l;
	n->session = loop_session(l);
	n->last = &n->first;
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->wake_timer, NULL);
	pthread_cond_init(&n->no_helpers, NULL);
	m->notifier = n;
	err = start_threads(n);
	if (err)
		invalidate_stop(m);
	return err;
}

/* Answer waiting calls first: a notice of a name may wait for its caller. */
void invalidate_stop(struct mount *m)
{
	struct notifier *n = m->notifier;
	int i;

	if (!n || n->stopping)
		return;
	fs_notices_stop(m->fs);
	answer_ready(n, true);
	pthread_mutex_lock(&n->lock);
	while (n->helpers)	/* nobody waits for them any more */
		pthread_cond_wait(&n->no_helpers, &n->lock);
	pthread_mutex_unlock(&n->lock);
	pthread_cond_signal(&n->wake_timer);
	for (i = 0; i < FS_NOTICE_LOCKS; i++)
		if (n->senders[i].started)
			pthread_join(n->senders[i].thread, NULL);
	if (n->timer_started)
		pthread_join(n->timer, NULL);
}

void invalidate_free(struct mount *m)
{
	struct notifier *n = m->notifier;

	if (!n)
		return;
	m->notifier = NULL;
	pthread_mutex_destroy(&n->lock);
	pthread_cond_destroy(&n->wake_timer);
	pthread_cond_destroy(&n->no_helpers);
	mem_free(n);
}
