/*
 * The linker puts this in place of line_format (--wrap) in builds of tests, for
 * tests/messages: the file that WIDEFS_TEST_MESSAGES names gets the calls that lead
 * to a message with the program and the message behind them, and "exit", when the
 * program ends, with its status and each message that it has said. In these programs
 * the allocation of the number that WIDEFS_TEST_NO_MEMORY gives fails, and then the
 * file that WIDEFS_TEST_NO_MEMORY_SAID names is there.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/alloc.h"
#include "store/base/bytes.h"
#include "store/base/line.h"
#include "store/base/lock.h"
#include "tests/lib/sites.h"

#define VARIABLE "WIDEFS_TEST_MESSAGES"
#define SAID_MAX 16	/* of a process; the others are not told at the end */

static struct mutex lock = MUTEX_INIT;
static char *said[SAID_MAX];
static size_t said_count;

static void say_failure(void)
{
	char *file = getenv("WIDEFS_TEST_NO_MEMORY_SAID");

	if (file)
		sites_put(file, "failed\n");
}

static void __attribute__((constructor)) fail_memory(void)
{
	const char *nth = getenv("WIDEFS_TEST_NO_MEMORY");

	if (!nth)
		return;
	mem_on_failure(say_failure);
	mem_fail_at(strtol(nth, NULL, 10), 0);
}

static void at_exit(int status, void *file)
{
	char line[LINE_MAX_TEXT + 128];
	size_t i;

	for (i = 0; i < said_count; i++) {
		snprintf(line, sizeof(line), "exit\t%s\t%d\t%s\n",
			 program_invocation_short_name, status, said[i]);
		sites_put(file, line);
		free(said[i]);
	}
	said_count = 0;
}

static void keep(char *file, const char *text)
{
	mutex_lock(&lock);
	if (!said_count && !said[0])
		on_exit(at_exit, file);
	if (said_count < SAID_MAX)
		said[said_count++] = strdup(text);
	mutex_unlock(&lock);
}

/* Weak: the fuzzers are linked without it. */
void __real_line_format(char *to, size_t size, const char *object, const char *format,
			va_list args) __attribute__((weak, format(printf, 4, 0)));
void __wrap_line_format(char *to, size_t size, const char *object, const char *format,
			va_list args) __attribute__((format(printf, 4, 0)));
void __wrap_line_format(char *to, size_t size, const char *object, const char *format,
			va_list args)
{
	char text[LINE_MAX_TEXT], *file = getenv(VARIABLE);
	int err = errno;

	__real_line_format(to, size, object, format, args);
	if (!file)
		return;
	snprintf(text, sizeof(text), "\t%.60s\t%.4000s", program_invocation_short_name,
		 to);
	sites_note_in(VARIABLE, text);
	keep(file, to);
	errno = err;
}
