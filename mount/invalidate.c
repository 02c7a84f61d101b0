#include "mount/invalidate.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "fs/fs.h"
#include "mount/loop.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"

#define NOTIFY_INC_EPOCH 8	/* of kernel 6.16; younger than our headers */
#define BATCH 64
#define TRIM_EVERY_S 5
#define TRIM_LEAST ((uint64_t)32 << 20)	/* bytes that were freed since */

/* A reply that waits for notices. */
struct waiting {
	struct waiting *next;
	uint64_t notice;
	bool names;
	struct answer answer;
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
	_Atomic bool no_epoch;		/* the kernel is too old for it */
	pthread_mutex_t lock;
	pthread_cond_t wake_timer;
	bool stopping;			/* under lock, as all that follows */
	struct waiting *first, **last;	/* in the order they came */
};

static bool is_sent(const struct waiting *w,
		    const uint64_t pending[FS_NOTICE_LOCKS])
{
	return w->notice < pending[FS_NOTICES_INODES] &&
	       (!w->names || w->notice < pending[FS_NOTICES_NAMES]);
}

/* Take those whose notices have been sent (all: every one) off the list. */
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

/* Put it on the list: false if there is nothing to wait for. */
static bool wait_for_notices(struct notifier *n, struct waiting *w)
{
	uint64_t pending[FS_NOTICE_LOCKS];
	bool waits;

	pthread_mutex_lock(&n->lock);
	fs_notices_pending(n->mount->fs, pending);
	waits = !n->stopping && !is_sent(w, pending);
	if (waits) {
		*n->last = w;
		n->last = &w->next;
	}
	pthread_mutex_unlock(&n->lock);
	return waits;
}

void invalidate_answer(struct mount *m, const struct fs_call *call,
		       struct answer *a)
{
	struct notifier *n = m->notifier;
	struct waiting *w = call->wait_for && n ? mem_alloc(sizeof(*w)) : NULL;

	/* Without memory the caller is answered early rather than never. */
	if (w) {
		*w = (struct waiting){ NULL, call->wait_for, !call->locked,
				       *a };
		if (wait_for_notices(n, w))
			return;
	}
	mem_free(w);
	answer_send(a);
}

/* Errors are no matter: ENOENT says that the kernel holds nothing. */
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
		    loop_notify_code(n->loop, NOTIFY_INC_EPOCH) == -EINVAL)
			n->no_epoch = true;
		break;
	}
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
 * Of large values glibc keeps what was freed in the heaps of all its threads,
 * and what comes next may find room in none of them. To look for it takes long
 * where many small things are: only after large ones went.
 */
static void give_memory_back(struct fs *fs, uint64_t *before)
{
	uint64_t freed = fs_large_freed(fs);

	if (freed - *before < TRIM_LEAST)
		return;
	*before = freed;
	malloc_trim(0);
}

static void *run_timer(void *argument)
{
	struct notifier *n = argument;
	struct timespec until;
	uint64_t freed = 0;

	pthread_mutex_lock(&n->lock);
	while (!n->stopping) {
		int64_t now;

		/* To the begin of the next second: what ends in a second is
		 * gone in it. */
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		until.tv_nsec = 0;
		if (pthread_cond_timedwait(&n->wake_timer, &n->lock, &until) !=
		    ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&n->lock);
		now = clock_now_s();
		fs_timer(n->mount->fs, now);
		if (now % TRIM_EVERY_S == 0)
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
	m->notifier = n;
	err = start_threads(n);
	if (err)
		invalidate_stop(m);
	return err;
}

/* What waits is answered first: a notice of a name may wait for its caller. */
void invalidate_stop(struct mount *m)
{
	struct notifier *n = m->notifier;
	int i;

	if (!n || n->stopping)
		return;
	fs_notices_stop(m->fs);
	answer_ready(n, true);
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
	mem_free(n);
}
