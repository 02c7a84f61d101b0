/* Ctrl-C: a flag, and a wait that cannot miss it. */
#include "tools/cql/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>

#include "tools/cql/backend.h"

/* Set by the signal handler, on whatever thread that runs. */
static atomic_int interrupted;

static void on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

bool cql_interrupted(void)
{
	return interrupted;
}

void cql_interrupt_clear(void)
{
	interrupted = 0;
}

void cql_interrupt_catch(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_interrupt;	/* no SA_RESTART: reads end */
	sigaction(SIGINT, &action, NULL);
}

/* Blocked but for the wait itself: what comes just before it is not lost. */
int cql_interrupt_wait(int fd)
{
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	sigset_t block, before;
	int n = -1;

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigprocmask(SIG_BLOCK, &block, &before);
	while (!interrupted && n < 0) {
		n = ppoll(&poll, 1, NULL, &before);
		if (n < 0 && errno != EINTR)
			break;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return interrupted ? -EINTR : 0;
}
