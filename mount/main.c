/*
 * widefs: open a store, mount it, serve it until it is unmounted or told to
 * end, and close it. It forks before anything is opened, since threads do not
 * survive a fork; the parent waits until the child says that the mount answers,
 * so that all errors reach the terminal and the exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/guardian.h"
#include "mount/invalidate.h"
#include "mount/locks.h"
#include "mount/loop.h"
#include "mount/message.h"
#include "mount/notify.h"
#include "mount/open.h"
#include "mount/ops.h"
#include "mount/options.h"
#include "mount/point.h"
#include "mount/setting.h"
#include "mount/state.h"
#include "mount/watchdog.h"
#include "store/base/bytes.h"
#include "store/base/control.h"
#include "store/base/log.h"
#include "store/base/process.h"
#include "store/marker.h"
#include "store/store.h"

#define VERSION "0.1"

/* Exit statuses: widefs(1). */
enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2, BUSY = 3, DAMAGED = 4,
       TOO_NEW = 5, NO_STORE = 6 };

struct daemon {
	struct mount_options options;
	struct store *store;
	struct fs *fs;
	struct mount mount;	/* the context of ops.c */
	struct fuse_session *session;
	struct loop *loop;
	uint32_t connection;	/* of the mount: control.h */
	struct guardian guardian;
	struct state_writer *state;	/* writes it at SIGUSR1, or NULL */
	int argc;		/* for the guardian's name */
	char **argv;
	int ready_fd;		/* to the parent, or -1 */
	int signal_fd;
	FILE *log;		/* --log-file, or NULL */
	bool mounted, no_store;
};

/* ------------------------------------------------------------ begin and end */

static int status_of(int err)
{
	switch (err) {
	case 0:
		return DONE;
	case -EBUSY:
		return BUSY;
	case -EUCLEAN:
		return DAMAGED;
	case -EPROTONOSUPPORT:
		return TOO_NEW;
	default:
		return FAILED;
	}
}

/* Owners and modes as the options uid, gid and umask have them. */
static struct fs_shown shown_by(const struct mount_options *o)
{
	struct fs_shown shown = { .uid = (uid_t)o->uid, .gid = (gid_t)o->gid,
				  .mode = 0777 & ~(mode_t)o->umask };

	if (o->uid != SETTING_UNSET)
		shown.set |= FS_SET_UID;
	if (o->gid != SETTING_UNSET)
		shown.set |= FS_SET_GID;
	if (o->umask != SETTING_UNSET)
		shown.set |= FS_SET_MODE;
	return shown;
}

/* Say what the system has refused. Returns err. */
static int failed(const struct daemon *d, int err)
{
	message_complain(d->options.mountpoint, "%s", message_error_text(err));
	return err;
}

static int open_fs(struct daemon *d)
{
	const struct mount_options *o = &d->options;
	struct buf options = BUF_INIT;
	struct fs_options fo;
	int err;

	/* An unmount waits for the store, which fsname may hide. */
	buf_add_format(&options, "store=%s\n", o->store);
	setting_print(o, &options);
	fs_options_init(&fo);
	fo.uid = getuid();
	fo.gid = getgid();
	fo.shown = shown_by(o);
	fo.read_only = o->read_only;
	fo.keyspace = o->keyspace;
	fo.max_value = o->max_value;
	fo.scratch_max = o->scratch_max;
	fo.memtable_bytes = o->memtable_bytes;
	fo.max_nodes = o->max_nodes;
	fo.store_path = o->store;
	fo.version = VERSION;
	fo.options_text = options.failed ? NULL : buf_cstr(&options);
	fo.lock_done = locks_answer;
	err = fs_open(&d->fs, d->store, &fo);
	buf_release(&options);
	return err ? failed(d, err) : 0;
}

/* Add the options that libfuse passes to the kernel, beside those of the
 * user. */
static int add_mount_options(struct mount_options *o)
{
	char *name = NULL, *options = NULL, *text = NULL, max_read[48] = "";
	int err = -1;

	/* The store's path may have commas. */
	if (asprintf(&name, "fsname=%s", o->store) < 0 ||
	    fuse_opt_add_opt_escaped(&options, name) ||
	    asprintf(&text, "-o%s,subtype=widefs,default_permissions%s",
		     options, o->read_only ? ",ro" : "") < 0)
		goto out;
	/* Insert it before the user's options, so that his fsname wins. */
	if (o->max_read != SETTING_UNSET)
		snprintf(max_read, sizeof(max_read), "-omax_read=%zu",
			 o->max_read);
	err = fuse_opt_insert_arg(&o->args, 1, text) ||
	      (*max_read && fuse_opt_add_arg(&o->args, max_read)) ||
	      (geteuid() == 0 &&
	       fuse_opt_insert_arg(&o->args, 2, "-onosuid,nodev")) ||
	      (o->debug && fuse_opt_add_arg(&o->args, "-d"));
out:
	free(name);
	free(options);
	free(text);
	return err ? -ENOMEM : 0;
}

static int mount_tree(struct daemon *d)
{
	struct mount_options *o = &d->options;
	int err = add_mount_options(o);

	if (err)
		return failed(d, err);
	if (o->max_read != SETTING_UNSET)
		d->mount.max_read = (unsigned)o->max_read;
	d->session = fuse_session_new(&o->args, &mount_ops, sizeof(mount_ops),
				      &d->mount);
	if (!d->session)
		return -EINVAL;		/* libfuse has said why */
	if (fuse_session_mount(d->session, o->mountpoint))
		return -EIO;		/* the same */
	d->mounted = true;
	err = control_connection(o->mountpoint, &d->connection);
	if (!err)
		err = guardian_watch(&d->guardian, d->connection,
				     fuse_session_fd(d->session));
	if (!err)
		err = loop_new(&d->loop, d->session, (unsigned)o->threads, d->fs);
	d->mount.loop = d->loop;
	return err ? failed(d, err) : 0;
}

static void detach(struct daemon *d)
{
	if (d->mounted)
		mount_point_leave(d->options.mountpoint,
				  fuse_session_fd(d->session), d->connection);
	d->mounted = false;
}

/*
 * Tell the parent the status, and leave the terminal and the process group, which an
 * automounter knows those by that mount for it.
 */
static void tell_parent(struct daemon *d, int status)
{
	unsigned char byte = (unsigned char)status;
	ssize_t n;
	int null;

	if (d->ready_fd < 0)
		return;
	setsid();
	n = write(d->ready_fd, &byte, 1);
	(void)n;
	close(d->ready_fd);
	d->ready_fd = -1;
	if (status)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		close(null);
	}
}

/*
 * SIGHUP opens the log file anew, as programs that rotate logs expect. It ends a
 * daemon in the foreground that has none: its terminal has gone.
 */
static bool is_end(const struct daemon *d, uint32_t signal)
{
	if (signal != SIGHUP || (d->options.foreground && !d->log))
		return true;
	if (d->log)
		message_log_reopen(d->log, &d->options);
	return false;
}

/*
 * Wait for the session's end or a signal that ends it. Such a signal detaches the
 * mount; files still open then are served for a while, or until a second one.
 */
#define GRACE_MS 5000

static void wait_for_end(struct daemon *d)
{
	struct pollfd fds[2] = {
		{ .fd = loop_ended_fd(d->loop), .events = POLLIN },
		{ .fd = d->signal_fd, .events = POLLIN },
	};
	int signals = 0;

	for (;;) {
		struct signalfd_siginfo info;

		int n = poll(fds, 2, signals ? GRACE_MS : -1);

		if (!n || (n < 0 && errno != EINTR) || fds[0].revents)
			break;
		if (!fds[1].revents ||
		    read(d->signal_fd, &info, sizeof(info)) <= 0 ||
		    !is_end(d, info.ssi_signo))
			continue;
		if (signals++)
			break;
		detach(d);
	}
}

static int serve(struct daemon *d)
{
	int err = invalidate_start(&d->mount, d->loop);

	if (!err)
		err = watchdog_start(&d->mount.watchdog, d->options.mountpoint,
				     d->options.threads == 1);
	if (!err)
		err = state_start(&d->state, d->fs, d->options.mountpoint);
	if (!err)
		err = loop_start(d->loop);
	if (err)
		return failed(d, err);
	message_log_use(d->log, &d->options);
	tell_parent(d, DONE);
	notify_manager("READY=1\n");
	wait_for_end(d);
	notify_manager("STOPPING=1\n");
	return 0;
}

/*
 * End in this order: nobody asks for the state, pending values are committed, then
 * nobody waits for a lock any more, no more notices (a notice may wait for locks of
 * the unmount), no more requests, and the store is closed.
 */
static int end(struct daemon *d)
{
	int err = 0;

	watchdog_stop(d->mount.watchdog);
	state_stop(d->state);
	if (d->fs && d->mounted)
		fs_flush_all(d->fs);
	if (d->fs)
		fs_locks_stop(d->fs);
	invalidate_stop(&d->mount);
	if (d->session) {
		fuse_session_exit(d->session);
		detach(d);
	}
	if (d->loop)
		loop_join(d->loop);
	invalidate_free(&d->mount);
	if (d->session)
		mount_point_close(d->session);
	watchdog_free(d->mount.watchdog);
	loop_free(d->loop);
	if (d->session)
		fuse_session_destroy(d->session);
	if (d->fs)
		fs_close(d->fs);
	if (d->store)
		err = store_close(d->store);
	guardian_stop(&d->guardian);
	return err;
}

static int run(struct daemon *d)
{
	sigset_t signals;
	int err, closed;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	sigdelset(&signals, SIGUSR1);	/* state.c waits for it */
	signal(SIGPIPE, SIG_IGN);
	d->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	err = d->signal_fd < 0 ? -errno :
	      guardian_start(&d->guardian, d->argc, d->argv);
	if (err)
		failed(d, err);
	if (!err)
		err = message_log_open(&d->log, &d->options);
	if (!err) {
		err = open_store(&d->store, &d->options);
		d->no_store = err == -ENOENT;
	}
	if (!err)
		err = mount_point_check(&d->options);
	if (!err)
		err = open_fs(d);
	if (!err) {
		d->mount.fs = d->fs;
		d->mount.no_xattr = d->options.no_xattr;
		err = mount_tree(d);
	}
	if (!err)
		err = serve(d);
	closed = end(d);
	if (closed && !err)
		log_message(LOG_ERROR_LEVEL, "%s: the store was not closed "
			    "cleanly: %s", d->options.store, strerror(-closed));
	close(d->signal_fd);
	return d->no_store ? NO_STORE : status_of(err ? err : closed);
}

/* Run in the background: the parent stays until the child has told its
 * status. */
static int run_in_background(struct daemon *d)
{
	unsigned char status = FAILED;
	int pipe_fds[2];
	pid_t child;

	fflush(NULL);
	child = pipe2(pipe_fds, O_CLOEXEC) ? -1 : fork();
	if (child < 0) {
		failed(d, -errno);
		return FAILED;
	}
	if (child) {
		ssize_t n;

		close(pipe_fds[1]);
		do
			n = read(pipe_fds[0], &status, 1);
		while (n < 0 && errno == EINTR);
		if (n != 1)
			status = FAILED;
		return status;
	}
	close(pipe_fds[0]);
	d->ready_fd = pipe_fds[1];
	status = chdir("/") ? FAILED : (unsigned char)run(d);
	tell_parent(d, status);
	return status;
}

static void print_version(void)
{
	printf("widefs %s\nstore format %u\nlibfuse %s\n", VERSION,
	       (unsigned)marker_format_version(), fuse_pkgversion());
	/* It lets fusermount3 print, too. */
	fflush(stdout);
	fuse_lowlevel_version();
}

int main(int argc, char **argv)
{
	struct daemon d = { .guardian = GUARDIAN_INIT, .ready_fd = -1,
			    .signal_fd = -1, .argc = argc, .argv = argv };
	int err, status;

	process_prepare();
	err = mount_options_parse(&d.options, argc, argv);
	status = err ? WRONG_USAGE : DONE;

	if (!err && d.options.help) {
		mount_options_usage();
	} else if (!err && d.options.version) {
		print_version();
	} else if (!err && !d.options.fake) {
		err = mount_point_check(&d.options);
		if (!err && !d.options.nonempty)
			err = mount_point_check_empty(d.options.mountpoint);
		status = err ? FAILED
			     : d.options.foreground ? run(&d)
						    : run_in_background(&d);
	}
	if (fflush(stdout) && !status) {
		message_complain("standard output", "%s", strerror(errno));
		status = FAILED;
	}
	if (d.options.as_mount_helper && status)
		status = status == WRONG_USAGE ? 1 : 32;
	mount_options_release(&d.options);
	return status;
}
