#include "mount/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/request.h"
#include "mount/share.h"
#include "store/base/alloc.h"
#include "store/base/clock.h"

struct loop {
	struct fuse_session *session;
	struct fs *fs;
	struct share *share;		/* with several threads; NULL: one */
	unsigned thread_count;
	int ended_fd;
	pthread_t thread;		/* the only one */
	bool started;
	/* Of the only thread: requests read ahead, in their order. */
	struct request_queue ahead;
	unsigned count;
	struct request *spare;		/* for the next */
};

#define AHEAD_MAX 1000	/* requests; after these no interrupt is seen */

/* ------------------------------------------------- between us and the device */

/*
 * The one reply to INIT is the first message written whose length is that of a
 * fuse_init_out. The flags are set before the library has answered it, and the
 * kernel's offer is taken from the request.
 */
static _Atomic uint64_t init_unique;
static uint64_t init_offered;

#ifndef FUSE_DIRECT_IO_ALLOW_MMAP	/* headers older than 6.6 */
#define FUSE_DIRECT_IO_ALLOW_MMAP (1ULL << 36)
#endif
#define WANTED_FLAGS                                                          \
	((uint64_t)FUSE_PARALLEL_DIROPS | FUSE_INIT_EXT |                     \
	 FUSE_DIRECT_IO_ALLOW_MMAP)

static ssize_t device_read(int fd, void *buf, size_t len, void *data)
{
	ssize_t n = read(fd, buf, len);
	const struct fuse_in_header *in = buf;

	(void)data;
	if (n >= (ssize_t)sizeof(*in) && in->opcode == FUSE_INIT) {
		const struct fuse_init_in *init = (const void *)(in + 1);
		size_t body = (size_t)n - sizeof(*in);

		init_offered = body >= 16 ? init->flags : 0;
		if (body >= 20 && init->flags & FUSE_INIT_EXT)
			init_offered |= (uint64_t)init->flags2 << 32;
		atomic_store(&init_unique, in->unique);
	}
	return n;
}

static ssize_t device_writev(int fd, struct iovec *iov, int count, void *data)
{
	uint64_t unique = atomic_load_explicit(&init_unique,
					       memory_order_relaxed);
	const struct fuse_out_header *out = iov[0].iov_base;

	(void)data;
	if (unique && count == 2 && out->unique == unique && !out->error &&
	    iov[1].iov_len >= sizeof(struct fuse_init_out)) {
		struct fuse_init_out *init = iov[1].iov_base;
		uint64_t flags = WANTED_FLAGS & init_offered;

		atomic_store(&init_unique, 0);
		init->flags |= (uint32_t)flags;
		if (flags & FUSE_INIT_EXT)
			init->flags2 |= (uint32_t)(flags >> 32);
	}
	return writev(fd, iov, count);
}

static ssize_t refuse_splice_in(int fd, off_t *fd_offset, int to, off_t *offset,
				size_t len, unsigned flags, void *data)
{
	(void)fd, (void)fd_offset, (void)to, (void)offset, (void)len;
	(void)flags, (void)data;
	errno = EINVAL;
	return -1;
}

static const struct fuse_custom_io device = {
	.writev = device_writev,
	.read = device_read,
	.splice_receive = refuse_splice_in,
	.splice_send = refuse_splice_in,
};

int loop_notify(struct loop *l, int code, const void *body, size_t len)
{
	struct fuse_out_header out = { .len = (uint32_t)(sizeof(out) + len),
				       .error = code };
	struct iovec iov[] = { { &out, sizeof(out) }, { (void *)body, len } };

	return writev(fuse_session_fd(l->session), iov, len ? 2 : 1) < 0 ?
		       -errno : 0;
}

/* ------------------------------------------------------------- the threads */

static bool is_alone(const struct loop *l)
{
	return l->thread_count == 1;
}

static int receive(struct loop *l, struct fuse_buf *buf)
{
	struct pollfd device_fd = { .fd = fuse_session_fd(l->session),
				    .events = POLLIN };

	if (is_alone(l) && poll(&device_fd, 1, -1) < 0)
		return -errno;
	return fuse_session_receive_buf(l->session, buf);
}

/* Serve it, as the only thread. */
static void serve(struct loop *l, struct request *r)
{
	r->begun_ns = clock_monotonic_ns();
	request_serve(l->session, l->fs, r);
}

static bool serve_ahead(struct loop *l)
{
	struct request *r = request_queue_take(&l->ahead, l->fs);

	if (!r)
		return false;
	l->count--;
	serve(l, r);
	request_free(r);
	return true;
}

/* End its call with this error, unserved. */
static void refuse(struct loop *l, const struct request *r, int err)
{
	const struct fuse_in_header *in = r->buf.mem;
	struct fs_call call = { .uid = in->uid, .gid = in->gid,
				.pid = (pid_t)in->pid };
	struct fuse_out_header out = { .len = sizeof(out), .error = err,
				       .unique = r->number };
	ssize_t n;

	if (err == -ENOSPC)
		fs_refuse_waiting(l->fs, &call);
	request_refused(l->fs, r);
	n = write(fuse_session_fd(l->session), &out, sizeof(out));
	(void)n;	/* its caller is gone */
}

/* Queue the request in the spare one. */
static void queue_spare(struct loop *l)
{
	struct request *r = l->spare;
	int err = request_charge(l->fs, r);
	void *smaller;

	if (err == -ENOSPC || err == -EINTR) {
		refuse(l, r, err);
		return;
	}
	smaller = mem_resize(r->buf.mem, r->buf.size, 1);
	if (smaller)
		r->buf.mem = smaller;
	request_queue_add(&l->ahead, r);
	l->count++;
	l->spare = NULL;
}

/* Interrupt a request that waits, or the one that is served. */
static void interrupt(struct loop *l, struct request *ending)
{
	struct request *r = request_queue_end(&l->ahead, l->fs, ending);

	if (!r) {
		serve(l, ending);
		return;
	}
	l->count--;
	refuse(l, ending, -EINTR);
	request_free(r);
}

void loop_look(struct loop *l)
{
	if (!l || !is_alone(l))
		return;
	while (l->count < AHEAD_MAX) {
		if (!l->spare)
			l->spare = mem_zalloc(1, sizeof(*l->spare));
		if (!l->spare ||
		    fuse_session_receive_buf(l->session, &l->spare->buf) <= 0)
			return;
		request_look(l->spare);
		if (l->spare->weight == REQUEST_INTERRUPT)
			interrupt(l, l->spare);
		else
			queue_spare(l);
	}
}

static void end_session(struct loop *l)
{
	uint64_t one = 1;
	ssize_t n;

	fuse_session_exit(l->session);
	n = write(l->ended_fd, &one, sizeof(one));
	(void)n;
}

static void *serve_alone(void *argument)
{
	struct loop *l = argument;
	struct request r = { .buf = { .mem = NULL } };

	while (!fuse_session_exited(l->session)) {
		int n_read = serve_ahead(l) ? -EAGAIN : receive(l, &r.buf);

		if (n_read == -EINTR || n_read == -EAGAIN)
			continue;
		if (n_read <= 0)
			break;
		request_look(&r);
		serve(l, &r);
	}
	mem_free(r.buf.mem);
	end_session(l);
	return NULL;
}

/* Serve, as one of several threads. */
static void *serve_shared(void *argument)
{
	struct share_worker *w = argument;
	struct loop *l = share_worker_context(w);
	struct request read = { .buf = { .mem = NULL } }, *r;
	int n = 0;

	while (!fuse_session_exited(l->session)) {
		enum share_step step = share_next(w, &r);

		if (step == SHARE_LEAVE) {
			mem_free(read.buf.mem);
			return NULL;
		}
		if (step == SHARE_SERVE) {
			request_serve(l->session, l->fs, r);
			request_free(r);
			continue;
		}
		n = fuse_session_receive_buf(l->session, &read.buf);
		if (n <= 0) {
			share_read_failed(w);
		} else {
			int admitted;

			request_look(&read);
			admitted = share_admit(w, &read);
			if (admitted > 0)
				request_serve(l->session, l->fs, &read);
			else if (admitted < 0)
				refuse(l, &read, admitted);
		}
		if (n <= 0 && n != -EINTR && n != -EAGAIN)
			break;
	}
	mem_free(read.buf.mem);
	end_session(l);
	return NULL;
}

int loop_new(struct loop **out, struct fuse_session *session, unsigned threads,
	     struct fs *fs)
{
	struct loop *l = mem_zalloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->session = session;
	l->fs = fs;
	l->thread_count = threads;
	l->ended_fd = eventfd(0, EFD_CLOEXEC);
	err = l->ended_fd < 0 ? -errno : 0;
	request_queue_init(&l->ahead);
	/* Reads inside of a request must not block. */
	if (!err && is_alone(l) && fcntl(fuse_session_fd(session), F_SETFL,
					 O_NONBLOCK))
		err = -errno;
	if (!err && !is_alone(l))
		err = share_new(&l->share, threads, fuse_session_fd(session),
				fs, serve_shared, l);
	if (!err)
		err = fuse_session_custom_io(session, &device,
					     fuse_session_fd(session));
	if (err) {
		loop_free(l);
		return err;
	}
	*out = l;
	return 0;
}

static void wake(int signal_number)
{
	(void)signal_number;
}

void loop_settle(struct loop *l)
{
	if (l->share)
		share_settle(l->share);
}

int loop_start(struct loop *l)
{
	struct sigaction action = { .sa_handler = wake };
	sigset_t signals;
	int err;

	/* Who started the daemon may have blocked it. */
	sigemptyset(&signals);
	sigaddset(&signals, SHARE_WAKE_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
	sigaction(SHARE_WAKE_SIGNAL, &action, NULL);
	if (l->share)
		return share_start(l->share);
	err = pthread_create(&l->thread, NULL, serve_alone, l);
	l->started = !err;
	return -err;
}

struct fuse_session *loop_session(const struct loop *l)
{
	return l->session;
}

int loop_ended_fd(const struct loop *l)
{
	return l->ended_fd;
}

void loop_join(struct loop *l)
{
	fuse_session_exit(l->session);
	if (l->share)
		share_join(l->share);
	if (l->started)
		share_wake_and_join(l->thread);
	l->started = false;
}

void loop_free(struct loop *l)
{
	struct request *r;

	if (!l)
		return;
	if (l->ended_fd >= 0)
		close(l->ended_fd);
	while ((r = request_queue_take(&l->ahead, l->fs)))
		request_free(r);
	request_free(l->spare);
	share_free(l->share);
	mem_free(l);
}
