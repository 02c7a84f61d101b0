#include "mount/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "store/base/control.h"
#include "store/base/process.h"

#define NAME "wide-guardian"	/* not found by `pkill widefs` */
#define LOOK_EVERY_MS 1000

/* ------------------------------------------------------ without a control */
#define NOTIFY_RESEND 7		/* of kernel 6.9; younger than our headers */
#define LARGEST_REQUEST ((1 << 20) + 8192)

static bool has_answer(uint32_t opcode)
{
	return opcode != FUSE_FORGET && opcode != FUSE_BATCH_FORGET &&
	       opcode != FUSE_INTERRUPT;
}

static void put_answer(int device, uint64_t unique, int error)
{
	struct fuse_out_header out = { .len = sizeof(out), .error = error,
				       .unique = unique };
	ssize_t n = write(device, &out, sizeof(out));

	(void)n;
}

/* Read again the requests that the dead daemon had taken, and refuse all: this
 * releases the locks that its threads wait for. */
static void refuse_requests(int device)
{
	static char request[LARGEST_REQUEST];
	struct pollfd poll_fd = { .fd = device, .events = POLLIN };
	const struct fuse_in_header *in = (const void *)request;
	ssize_t n;

	put_answer(device, 0, NOTIFY_RESEND);
	while (poll(&poll_fd, 1, 10) > 0) {
		n = read(device, request, sizeof(request));
		if (n < (ssize_t)sizeof(*in))
			break;
		if (has_answer(in->opcode))
			put_answer(device, in->unique, -ENOTCONN);
	}
}

/* --------------------------------------------------------------- the watch */
struct word {
	uint32_t connection;
	int device;		/* or -1 */
};

/* Read a word. False: the daemon has ended, or is wholly dead. */
static bool receive_word(int from_daemon, struct word *word)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { &word->connection, sizeof(word->connection) };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(from_daemon, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(word->connection))
		return false;
	word->device = -1;
	c = CMSG_FIRSTHDR(&message);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&word->device, CMSG_DATA(c), sizeof(int));
	return true;
}

/* Guard. The device is kept only if there is no control of it: while we have
 * it, the end of the daemon alone does not end the connection. */
static void guard(int from_daemon, pid_t daemon)
{
	struct pollfd poll_fd = { .fd = from_daemon, .events = POLLIN };
	struct word word = { 0, -1 };
	int abort_fd = -1;

	for (;;) {
		bool knows = abort_fd >= 0 || word.device >= 0;
		ssize_t n = 0;

		if (poll(&poll_fd, 1, knows ? LOOK_EVERY_MS : -1) > 0) {
			if (!receive_word(from_daemon, &word))
				return;
			abort_fd = control_abort_open(word.connection);
			if (abort_fd >= 0 && word.device >= 0) {
				close(word.device);
				word.device = -1;
			}
		} else if (knows && process_is_dying(daemon)) {
			if (abort_fd >= 0)
				n = write(abort_fd, "1", 1);
			else
				refuse_requests(word.device);
		}
		(void)n;
	}
}

static void take_name(int argc, char **argv)
{
	char *end = argv[argc - 1] + strlen(argv[argc - 1]);
	size_t room = (size_t)(end - argv[0]);

	memset(argv[0], 0, room);
	memcpy(argv[0], NAME, room < sizeof(NAME) ? room : sizeof(NAME) - 1);
	prctl(PR_SET_NAME, NAME);
}

/* Close the daemon's descriptors: its terminal, and pipes of processes that
 * wait for its end. */
static int close_others(int fd)
{
	int i, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (i = 0; i <= 2; i++)
		if (null < 0 || dup2(null, i) < 0)
			close(i);
	if (dup2(fd, 3) < 0)
		return -1;
	close_range(4, ~0U, 0);
	return 3;
}

/* ------------------------------------------------------------- the daemon */
int guardian_start(struct guardian *g, int argc, char **argv)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM,
				       SIGPIPE };
	pid_t daemon = getpid();
	int fds[2];
	size_t i;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	g->pid = fork();
	if (g->pid < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (g->pid) {
		close(fds[1]);
		g->fd = fds[0];
		return 0;
	}
	/* The guardian ends after the daemon, whichever of them is signalled. */
	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	setsid();
	take_name(argc, argv);
	fds[1] = close_others(fds[1]);
	if (fds[1] >= 0 && !chdir("/"))
		guard(fds[1], daemon);
	_exit(0);
}

int guardian_watch(struct guardian *g, uint32_t connection, int device)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct iovec iov = { &connection, sizeof(connection) };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.header), &device, sizeof(int));
	return sendmsg(g->fd, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void guardian_stop(struct guardian *g)
{
	if (g->fd < 0)
		return;
	close(g->fd);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*g = (struct guardian)GUARDIAN_INIT;
}
