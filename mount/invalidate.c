#include "mount/invalidate.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
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

/* A reply that waits for a notice. */
struct waiting {
	struct waiting *next;
	uint64_t notice;
	fuse_req_t req;
	struct answer answer;
};

struct notifier {
	struct mount *mount;
	struct loop *loop;
	struct fuse_session *session;
	pthread_t sender, timer;
	bool timer_started;
	bool no_epoch;		/* the kernel is too old for it */
	pthread_mutex_t lock;
	pthread_cond_t wake_timer;
	bool stopping;			/* under lock, as all that follows */
	uint64_t sent;			/* number of the last notice sent */
	struct waiting *first, **last;	/* in the order they came */
};

static void answer(fuse_req_t req, struct answer *a)
{
	if (a->result < 0)
		fuse_reply_err(req, (int)-a->result);
	else if (a->kind == ANSWER_COUNT)
		fuse_reply_write(req, (size_t)a->result);
	else if (a->kind == ANSWER_DATA)
		fuse_reply_buf(req, (const char *)a->data.ptr, a->data.len);
	else
		fuse_reply_err(req, 0);
	buf_release(&a->data);
}

/* Take those whose notice has been sent (all: every one) off the list. */
static struct waiting *take_ready(struct notifier *n, bool all)
{
	struct waiting **at = &n->first, *ready = NULL, **end = &ready;

	while (*at) {
		struct waiting *w = *at;

		if (!all && w->notice > n->sent) {
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

static void answer_all(struct waiting *ready)
{
	while (ready) {
		struct waiting *next = ready->next;

		answer(ready->req, &ready->answer);
		mem_free(ready);
		ready = next;
	}
}

void invalidate_reply_after(struct mount *m, uint64_t notice, fuse_req_t req,
			    struct answer *a)
{
	struct notifier *n = m->notifier;
	struct waiting *w = notice ? mem_alloc(sizeof(*w)) : NULL;
	bool now;

	/* Without memory the caller is answered early rather than never. */
	if (!w || !n) {
		mem_free(w);
		answer(req, a);
		return;
	}
	*w = (struct waiting){ NULL, notice, req, *a };
	pthread_mutex_lock(&n->lock);
	now = n->stopping || notice <= n->sent;
	if (!now) {
		*n->last = w;
		n->last = &w->next;
	}
	pthread_mutex_unlock(&n->lock);
	if (now) {
		answer(req, a);
		mem_free(w);
	}
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
	struct notifier *n = argument;
	struct fs_notice batch[BATCH];
	size_t count, i;

	while ((count = fs_notices_take(n->mount->fs, batch, BATCH, -1)) > 0) {
		struct waiting *ready;

		for (i = 0; i < count; i++) {
			send_notice(n, &batch[i]);
			mem_free(batch[i].name);
		}
		pthread_mutex_lock(&n->lock);
		n->sent = batch[count - 1].number;
		ready = take_ready(n, false);
		pthread_mutex_unlock(&n->lock);
		answer_all(ready);
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
	err = pthread_create(&n->sender, NULL, send_notices, n);
	if (err) {
		pthread_mutex_destroy(&n->lock);
		pthread_cond_destroy(&n->wake_timer);
		mem_free(n);
		return -err;
	}
	err = pthread_create(&n->timer, NULL, run_timer, n);
	n->timer_started = !err;
	m->notifier = n;
	if (err)
		invalidate_stop(m);
	return -err;
}

void invalidate_stop(struct mount *m)
{
	struct notifier *n = m->notifier;
	struct waiting *ready;

	if (!n || n->stopping)
		return;
	pthread_mutex_lock(&n->lock);
	n->stopping = true;
	pthread_cond_signal(&n->wake_timer);
	pthread_mutex_unlock(&n->lock);
	fs_notices_stop(m->fs);
	pthread_join(n->sender, NULL);
	if (n->timer_started)
		pthread_join(n->timer, NULL);
	pthread_mutex_lock(&n->lock);
	ready = take_ready(n, true);
	pthread_mutex_unlock(&n->lock);
	answer_all(ready);
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
