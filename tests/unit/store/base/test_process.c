/* Processes, as /proc tells of them. */
#include "store/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/suite.h"

static void *look_at_thread(void *unused)
{
	pid_t thread = gettid();

	(void)unused;
	ck_assert_int_ne(thread, getpid());
	ck_assert_int_eq(process_of_thread(thread), getpid());
	ck_assert_int_eq(process_is_one(thread, getpid()), 1);
	ck_assert_int_eq(process_is_one(getpid(), thread), 1);
	ck_assert_int_eq(process_is_one(thread, getppid()), 0);
	return NULL;
}

START_TEST(a_thread_is_of_its_process)
{
	pthread_t thread;

	ck_assert(!pthread_create(&thread, NULL, look_at_thread, NULL));
	pthread_join(thread, NULL);
	ck_assert_int_eq(process_is_one(getpid(), getpid()), 1);
	ck_assert_int_eq(process_is_one(0, 0), -ESRCH);
	ck_assert_int_eq(process_is_one(-1, getpid()), -ESRCH);
	ck_assert_int_eq(process_of_thread(0), 0);
}
END_TEST

START_TEST(a_process_has_the_files_that_it_opened)
{
	char name[] = "/tmp/process-XXXXXX";
	int fd = mkstemp(name), status;
	struct stat st;
	pid_t child;

	ck_assert_int_ge(fd, 0);
	ck_assert(!unlink(name));
	ck_assert(!fstat(fd, &st));
	ck_assert_int_eq(process_has_file(getpid(), st.st_ino), 1);
	/* Files of other kinds have no connection of FUSE, and hide none. */
	ck_assert(!process_has_connection(getpid(), (uint32_t)st.st_ino));
	ck_assert(!close(fd));
	ck_assert_int_eq(process_has_file(getpid(), st.st_ino), 0);
	child = fork();
	if (!child)
		_exit(0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(process_has_file(child, st.st_ino), -ENOENT);
	ck_assert_int_eq(process_is_one(child, getpid()), -ESRCH);
	ck_assert_int_eq(process_of_thread(child), child);
}
END_TEST

/* End a child, which its parent has not asked for yet, and look at it. */
static bool is_killed(int sig)
{
	siginfo_t info;
	pid_t child = fork();
	bool killed;

	if (!child && !sig)
		_exit(SIGKILL);
	if (!child)
		signal(sig, SIG_DFL);
	while (!child)
		raise(sig);
	ck_assert(!waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
	killed = process_was_killed(child);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert(!process_was_killed(child));	/* unknown */
	return killed;
}

START_TEST(a_process_that_was_killed)
{
	ck_assert(is_killed(SIGKILL));
	ck_assert(is_killed(SIGINT));
	ck_assert(!is_killed(0));
	ck_assert(!process_was_killed(getpid()));
	/* Its name is the program's, and may have anything. */
	ck_assert(!prctl(PR_SET_NAME, ") R 1 (4 9"));
	ck_assert(!process_was_killed(getpid()));
	ck_assert(is_killed(SIGKILL));
}
END_TEST

/* Its memory takes a while to be freed. Of SIGTERM nothing is pending then. */
START_TEST(a_process_is_dying_until_it_has_ended)
{
	size_t len = 256 << 20;
	siginfo_t info = { .si_pid = 0 };
	int ready[2];
	pid_t child;
	char c;

	ck_assert(!pipe(ready));
	child = fork();
	if (!child) {
		signal(SIGTERM, SIG_DFL);
		if (mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) ==
			    MAP_FAILED ||
		    write(ready[1], "1", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	ck_assert(!process_is_dying(child));
	ck_assert(!kill(child, SIGTERM));
	while (!info.si_pid) {
		ck_assert(process_is_dying(child));
		ck_assert(!waitid(P_PID, (id_t)child, &info,
				  WEXITED | WNOWAIT | WNOHANG));
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert(process_is_dying(child));	/* there is none */
	close(ready[0]);
	close(ready[1]);
}
END_TEST

SUITE(process)
{
	TCase *tc = tcase_create("process");

	tcase_add_test(tc, a_thread_is_of_its_process);
	tcase_add_test(tc, a_process_has_the_files_that_it_opened);
	tcase_add_test(tc, a_process_that_was_killed);
	tcase_add_test(tc, a_process_is_dying_until_it_has_ended);
	suite_add_tcase(suite, tc);
}
