#include "mount/share.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "fs/fs.h"
#include "mount/request.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"

#define LONG_NS 5000000		/* from then on a request is long */
#define TICK_NS 5000000
#define USER_LONG_MAX 4		/* statements and documents of one user */
#define MORE_THREADS 64		/* than asked for, for long requests */
#define USER_HASH 64		/* a power of 2 */

/* A user with requests here. */
struct user {
	uid_t uid;
	unsigned serving;		/* by threads of the pool */
	unsigned longs;			/* statements and documents */
	/* They wait: heavy requests, and the others, which must not wait for
	 * those (a lookup holds its directory's lock). */
	struct request_queue waiting[2];
	struct user *next;		/* of its hash */
	struct user *next_waiting;
	bool is_waiting;		/* in the list of users that wait */
};

struct share_worker {
	struct share *share;
	struct share_worker *next;
	pthread_t thread;
	struct user *user;		/* it serves; NULL: nobody's */
	bool serving, heavy, is_long, ended;
	bool reading;			/* at the device, or back from it */
	bool closing;			/* a file that has locks */
	uint64_t round;			/* of the share, when it began to read */
	uint64_t begun_ns;
};

struct share {
	unsigned thread_count;
	int device_fd;
	struct fs *fs;
	void *(*serve)(void *worker);
	void *context;
	pthread_t watcher;
	bool watcher_started;
	pthread_mutex_t lock;		/* of all that follows */
	pthread_cond_t wake;		/* the watcher */
	bool watching, stopping;
	struct share_worker *workers;
	unsigned worker_count;
	unsigned pool;			/* of them: serve nothing long */
	unsigned reading;		/* of them: at the device */
	struct user *users[USER_HASH];
	unsigned user_count;
	struct user *first_waiting, **last_waiting;
	unsigned waiting;		/* requests */
	uint64_t round;			/* counts those of share_settle */
	unsigned settling;		/* threads in it */
	pthread_cond_t settled;
};

/* The monotonic clock's, that many nanoseconds (less than a second) from
 * now. */
static struct timespec time_after(long ns)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += ns;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return at;
}

void *share_worker_context(const struct share_worker *w)
{
	return w->share->context;
}

/* ------------------------------------------------------------------- users */
/* NULL: no user's, or no memory. */
static struct user *find_user(struct share *s, uid_t uid)
{
	struct user **at = &s->users[uid % USER_HASH], *u;

	while ((u = *at)) {
		if (u->uid == uid)
			return u;
		if (s->user_count > USER_HASH && !u->serving && !u->longs &&
		    !u->is_waiting) {
			*at = u->next;
			mem_free(u);
			s->user_count--;
			continue;
		}
		at = &u->next;
	}
	u = mem_zalloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->uid = uid;
	request_queue_init(&u->waiting[0]);
	request_queue_init(&u->waiting[1]);
	*at = u;
	s->user_count++;
	return u;
}

/* True if the user may have one more thread: one is left to the others. */
static bool may_serve(const struct share *s, const struct user *u, bool heavy)
{
	return u->serving + 1 < s->thread_count &&
	       (!heavy || u->longs < USER_LONG_MAX);
}

static void list_waiting(struct share *s, struct user *u)
{
	u->next_waiting = NULL;
	*s->last_waiting = u;
	s->last_waiting = &u->next_waiting;
	u->is_waiting = true;
}

static void unlist_waiting(struct share *s, struct user **at)
{
	struct user *u = *at;

	*at = u->next_waiting;
	if (s->last_waiting == &u->next_waiting)
		s->last_waiting = at;
	u->is_waiting = false;
}

static void add_waiting(struct share *s, struct user *u, struct request *r,
			bool heavy)
{
	request_queue_add(&u->waiting[heavy], r);
	s->waiting++;
	if (!u->is_waiting)
		list_waiting(s, u);
}

static bool has_waiting(const struct user *u)
{
	return u->waiting[0].first || u->waiting[1].first;
}

static struct request *take_of(struct share *s, struct user *u, bool *heavy)
{
	struct request *r = NULL;

	*heavy = false;
	if (may_serve(s, u, false))
		r = request_queue_take(&u->waiting[0], s->fs);
	if (!r && may_serve(s, u, true))
		*heavy = (r = request_queue_take(&u->waiting[1], s->fs));
	if (r)
		s->waiting--;
	return r;
}

/* Take the first request whose user has room; the user moves to the end of the
 * list. */
static struct request *take_waiting(struct share *s, struct user **user,
				    bool *heavy)
{
	struct user **at = &s->first_waiting, *u;
	struct request *r = NULL;

	while ((u = *at) && !(r = take_of(s, u, heavy)))
		at = &u->next_waiting;
	if (!r)
		return NULL;
	unlist_waiting(s, at);
	if (has_waiting(u))
		list_waiting(s, u);
	*user = u;
	return r;
}

/* Take out the request that an interrupt ends. True: it waited here. */
static bool end_waiting(struct share *s, const struct request *interrupt)
{
	struct user **at = &s->first_waiting, *u;
	struct request *r = NULL;

	while ((u = *at)) {
		r = request_queue_end(&u->waiting[0], s->fs, interrupt);
		if (!r)
			r = request_queue_end(&u->waiting[1], s->fs, interrupt);
		if (r)
			break;
		at = &u->next_waiting;
	}
	if (!r)
		return false;
	s->waiting--;
	if (!has_waiting(u))
		unlist_waiting(s, at);
	request_free(r);
	return true;
}

/* ----------------------------------------------------------------- workers */
static void begin(struct share_worker *w, struct request *r, struct user *u,
		  bool heavy)
{
	w->user = u;
	w->heavy = heavy;
	w->serving = true;
	r->begun_ns = w->begun_ns = clock_monotonic_ns();
	if (u)
		u->serving++;
}

static void finish(struct share_worker *w)
{
	if (!w->serving)
		return;
	if (w->is_long) {
		w->share->pool++;
		if (w->user && w->heavy)
			w->user->longs--;
	} else if (w->user) {
		w->user->serving--;
	}
	w->user = NULL;
	w->serving = w->is_long = w->closing = false;
}

static bool is_pressed(const struct share *s)
{
	return !s->reading || s->waiting;
}


static bool device_is_ready(const struct share *s)
{
	struct pollfd fd = { .fd = s->device_fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* Wake who settles, and the watcher if there is something to do. With its lock
 * held, as the next. */
static void tell(struct share *s)
{
	if (s->settling)
		pthread_cond_broadcast(&s->settled);
	if (is_pressed(s) && !s->watching)
		pthread_cond_signal(&s->wake);
}

/* True if the worker has such a close, or may have: a signal ends a read that
 * has brought nothing. */
static bool is_unsettled(const struct share_worker *w, uint64_t round)
{
	if (w->round >= round)
		return false;
	if (w->reading)
		pthread_kill(w->thread, SHARE_WAKE_SIGNAL);
	return w->reading || w->closing;
}

void share_settle(struct share *s)
{
	const struct share_worker *w;
	struct timespec until;
	uint64_t round;
	bool waits = true;

	pthread_mutex_lock(&s->lock);
	round = ++s->round;
	s->settling++;
	while (waits) {
		waits = false;
		for (w = s->workers; w; w = w->next)
			waits |= is_unsettled(w, round);
		if (!waits)
			break;
		/* A signal that came before the read has not ended it. */
		until = time_after(TICK_NS);
		pthread_cond_timedwait(&s->settled, &s->lock, &until);
	}
	s->settling--;
	pthread_mutex_unlock(&s->lock);
}

enum share_step share_next(struct share_worker *w, struct request **r)
{
	struct share *s = w->share;
	enum share_step step = SHARE_READ;
	struct user *user = NULL;
	bool heavy = false;

	*r = NULL;
	pthread_mutex_lock(&s->lock);
	finish(w);
	/* Read other users' requests before more is served. */
	if (s->waiting && (s->reading || !device_is_ready(s)))
		*r = take_waiting(s, &user, &heavy);
	if (*r) {
		step = SHARE_SERVE;
		begin(w, *r, user, heavy);
	} else if (s->pool > s->thread_count) {
		step = SHARE_LEAVE;
		s->pool--;
		w->ended = true;
	} else {
		s->reading++;
		w->reading = true;
		w->round = s->round;
	}
	tell(s);
	pthread_mutex_unlock(&s->lock);
	return step;
}

/* Queue a request. Returns as request_charge; 0 with *r NULL: no memory. */
static int put_by(struct share *s, struct request *read, struct request **r)
{
	int err = request_charge(s->fs, read);

	*r = err ? NULL : request_new(read);
	if (!*r) {
		fs_waits_no_more(s->fs, read->charge);
		read->charge = NULL;
	}
	return err == -ENOMEM ? 0 : err;
}

int share_admit(struct share_worker *w, struct request *read)
{
	bool heavy = read->weight == REQUEST_HEAVY;
	struct share *s = w->share;
	struct request *r = NULL;
	struct user *u;
	int err = 0;

	pthread_mutex_lock(&s->lock);
	w->reading = false;
	s->reading--;
	w->closing = read->closes_locks;
	u = read->weight < REQUEST_LIGHT ? NULL : find_user(s, read->uid);
	/* Serve it at once if there is no memory to queue it. */
	if (u && (u->waiting[heavy].first || !may_serve(s, u, heavy)))
		err = put_by(s, read, &r);
	else if (read->weight == REQUEST_INTERRUPT && end_waiting(s, read))
		err = -EINTR;
	if (r)
		add_waiting(s, u, r, heavy);
	else if (!err)
		begin(w, read, u, heavy);
	tell(s);
	pthread_mutex_unlock(&s->lock);
	return err ? err : !r;
}

void share_read_failed(struct share_worker *w)
{
	pthread_mutex_lock(&w->share->lock);
	w->reading = false;
	w->share->reading--;
	tell(w->share);
	pthread_mutex_unlock(&w->share->lock);
}

/* ----------------------------------------------------------------- threads */
static void reap_ended(struct share *s)
{
	struct share_worker **at = &s->workers, *w;

	while ((w = *at)) {
		if (!w->ended) {
			at = &w->next;
			continue;
		}
		pthread_join(w->thread, NULL);
		*at = w->next;
		mem_free(w);
		s->worker_count--;
	}
}

static int add_worker(struct share *s)
{
	struct share_worker *w;
	int err;

	reap_ended(s);
	if (s->worker_count >= s->thread_count + MORE_THREADS)
		return -EAGAIN;
	w = mem_zalloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->share = s;
	err = pthread_create(&w->thread, NULL, s->serve, w);
	if (err) {
		mem_free(w);
		return -err;
	}
	w->next = s->workers;
	s->workers = w;
	s->worker_count++;
	s->pool++;
	return 0;
}

/* Let the request finish outside of the pool, where another thread takes this
 * one's place. */
static void make_long(struct share *s, struct share_worker *w)
{
	if (w->user)
		w->user->serving--;
	if (w->user && w->heavy)
		w->user->longs++;
	w->is_long = true;
	s->pool--;
}

static void tick(struct share *s)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct share_worker *w;

	for (w = s->workers; w; w = w->next)
		if (w->serving && !w->is_long &&
		    now_ns - w->begun_ns >= LONG_NS)
			make_long(s, w);
	while (s->pool < s->thread_count && !add_worker(s))
		;
}

static void *watch(void *argument)
{
	struct share *s = argument;
	struct timespec until;

	pthread_mutex_lock(&s->lock);
	while (!s->stopping) {
		s->watching = is_pressed(s);
		if (!s->watching) {
			pthread_cond_wait(&s->wake, &s->lock);
			continue;
		}
		until = time_after(TICK_NS);
		pthread_cond_timedwait(&s->wake, &s->lock, &until);
		tick(s);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ------------------------------------------------------------ begin and end */
int share_new(struct share **out, unsigned threads, int device_fd,
	      struct fs *fs, void *(*serve)(void *worker),
	      void *context)
{
	struct share *s = mem_zalloc(1, sizeof(*s));
	pthread_condattr_t monotonic;

	if (!s)
		return -ENOMEM;
	s->thread_count = threads;
	s->device_fd = device_fd;
	s->fs = fs;
	s->serve = serve;
	s->context = context;
	s->last_waiting = &s->first_waiting;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &monotonic);
	pthread_cond_init(&s->settled, &monotonic);
	pthread_condattr_destroy(&monotonic);
	*out = s;
	return 0;
}

int share_start(struct share *s)
{
	int err = 0;

	pthread_mutex_lock(&s->lock);
	while (!err && s->pool < s->thread_count)
		err = add_worker(s);
	/* One thread is enough to serve. */
	if (s->pool)
		err = 0;
	pthread_mutex_unlock(&s->lock);
	if (err)
		return err;
	s->watcher_started = !pthread_create(&s->watcher, NULL, watch, s);
	return 0;
}

void share_wake_and_join(pthread_t thread)
{
	struct timespec until;

	do {
		pthread_kill(thread, SHARE_WAKE_SIGNAL);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 20 * 1000 * 1000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
	} while (pthread_timedjoin_np(thread, NULL, &until));
}

void share_join(struct share *s)
{
	pthread_mutex_lock(&s->lock);
	s->stopping = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	if (s->watcher_started)
		pthread_join(s->watcher, NULL);
	s->watcher_started = false;
	/* No other thread uses the list any more. */
	while (s->workers) {
		struct share_worker *w = s->workers;

		share_wake_and_join(w->thread);
		s->workers = w->next;
		mem_free(w);
	}
}

void share_free(struct share *s)
{
	unsigned i;

	if (!s)
		return;
	for (i = 0; i < USER_HASH; i++)
		while (s->users[i]) {
			struct user *u = s->users[i];
			struct request *r;

			while ((r = request_queue_take(&u->waiting[0], s->fs)) ||
			       (r = request_queue_take(&u->waiting[1], s->fs)))
				request_free(r);
			s->users[i] = u->next;
			mem_free(u);
		}
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->wake);
	pthread_cond_destroy(&s->settled);
	mem_free(s);
}
