#include "mount/state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "fs/fs.h"
#include "store/base/alloc.h"
#include "store/base/log.h"

#define LONGEST (1 << 20)
#define PAUSE_MS 1000	/* many signals do not fill the log */

struct state_writer {
	struct fs *fs;
	const char *mountpoint;
	int signal_fd, stop_fd;
	pthread_t thread;
	bool started;
};

static void log_lines(struct buf *text)
{
	char *line, *rest = (char *)text->ptr;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			log_always("%s", line);
}

static int read_now(struct fs *fs, struct fs_call *call, uint64_t node,
		    struct buf *out)
{
	struct fs_open_reply opened = { .handle = 0 };
	int err = fs_open_file(fs, call, node, O_RDONLY, &opened);

	if (err)
		return err;
	err = fs_read(fs, call, node, opened.handle, 0, LONGEST, out);
	fs_release(fs, call, node, opened.handle);
	return err;
}

/* Read the file of that name in .widefs. As the kernel does, look again if the
 * open fits no reader of the text that it found. */
static int read_file(struct fs *fs, struct fs_call *call, uint64_t control,
		     const char *name, struct buf *out)
{
	struct fs_entry entry;
	int tries, err = -ESTALE;

	for (tries = 0; tries < 3 && err == -ESTALE; tries++) {
		err = fs_lookup(fs, call, control, name, &entry);
		if (err)
			continue;
		err = read_now(fs, call, entry.node, out);
		fs_forget(fs, entry.node, 1);
	}
	return err;
}

static int log_file(struct fs *fs, struct fs_call *call, uint64_t control,
		    const char *name)
{
	struct buf text = BUF_INIT;
	int err = read_file(fs, call, control, name, &text);

	buf_add_byte(&text, 0);
	if (!err && text.failed)
		err = -ENOMEM;
	if (!err)
		log_lines(&text);
	buf_release(&text);
	return err;
}

static void log_state(const struct state_writer *s)
{
	static const char *const files[] = { "version", "options", "stats",
					     "clients" };
	struct fs_call call = { .uid = 0, .pid = gettid() };
	struct fs_entry control = { .node = 0 };
	size_t i;
	int err = fs_lookup(s->fs, &call, FS_ROOT, ".widefs", &control);

	log_always("the state of %s, as SIGUSR1 asks:", s->mountpoint);
	for (i = 0; i < ARRAY_SIZE(files) && !err; i++)
		err = log_file(s->fs, &call, control.node, files[i]);
	if (control.node)
		fs_forget(s->fs, control.node, 1);
	if (err)
		log_always("the state cannot be read: %s", strerror(-err));
	else
		log_always("the end of the state of %s", s->mountpoint);
}

static void *wait_for_signals(void *argument)
{
	const struct state_writer *s = argument;
	struct pollfd fds[2] = {
		{ .fd = s->signal_fd, .events = POLLIN },
		{ .fd = s->stop_fd, .events = POLLIN },
	};

	while (!fds[1].revents) {
		struct signalfd_siginfo info;

		if (poll(fds, 2, -1) > 0 && fds[0].revents &&
		    read(s->signal_fd, &info, sizeof(info)) > 0) {
			log_state(s);
			poll(&fds[1], 1, PAUSE_MS);
		}
	}
	return NULL;
}

int state_start(struct state_writer **out, struct fs *fs, const char *mountpoint)
{
	struct state_writer *s = mem_zalloc(1, sizeof(*s));
	sigset_t signals;
	int err;

	if (!s)
		return -ENOMEM;
	s->fs = fs;
	s->mountpoint = mountpoint;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	s->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	err = s->signal_fd < 0 || s->stop_fd < 0 ? -errno : 0;
	if (!err)
		err = -pthread_create(&s->thread, NULL, wait_for_signals, s);
	s->started = !err;
	if (err)
		state_stop(s);
	else
		*out = s;
	return err;
}

void state_stop(struct state_writer *s)
{
	if (!s)
		return;
	if (s->started) {
		eventfd_write(s->stop_fd, 1);
		pthread_join(s->thread, NULL);
	}
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	mem_free(s);
}
