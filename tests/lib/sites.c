#include "tests/lib/sites.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/bytes.h"
#include "store/base/lock.h"

#define FRAMES 9	/* sites_note is one of them */
#define TEXT_MAX 4096	/* of a text that is noted with them */
#define SEEN 65536	/* further ones are noted more than once */

static struct mutex lock = MUTEX_INIT;
static uint64_t seen[SEEN];

/* Add a number to the set. False: it was there. */
static bool add(uint64_t sum)
{
	size_t i = sum % SEEN, tries;
	bool added = true;

	mutex_lock(&lock);
	for (tries = 0; tries < SEEN && seen[i]; tries++) {
		if (seen[i] == sum) {
			added = false;
			break;
		}
		i = (i + 1) % SEEN;
	}
	if (added && tries < SEEN)
		seen[i] = sum;
	mutex_unlock(&lock);
	return added;
}

void sites_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	ssize_t written;

	/* In one write: other processes write theirs. It is lost where a test limits
	 * the process so. */
	if (fd < 0)
		return;
	written = write(fd, text, strlen(text));
	(void)written;
	close(fd);
}

void sites_note_in(const char *variable, const char *text)
{
	const char *path = getenv(variable);
	void *frames[FRAMES + 2];
	char line[FRAMES * 20 + TEXT_MAX + 2];
	uint64_t sum = 1469598103934665603u;
	int count, i, len = 0;
	Dl_info info;

	if (!path || !dladdr((void *)(uintptr_t)sites_note_in, &info))
		return;
	count = backtrace(frames, ARRAY_SIZE(frames));
	for (i = 1; i < count; i++) {
		/* The call before the return address. */
		uint64_t at = (uint64_t)((uintptr_t)frames[i] -
					 (uintptr_t)info.dli_fbase) - 1;

		sum = (sum ^ at) * 1099511628211u;
		len += snprintf(line + len, sizeof(line) - (size_t)len,
				"%llx ", (unsigned long long)at);
	}
	if (!add(sum | 1))
		return;
	snprintf(line + len - 1, sizeof(line) - (size_t)len, "%.*s\n", TEXT_MAX,
		 text);
	sites_put(path, line);
}

void sites_note(void)
{
	sites_note_in("WIDEFS_TEST_SITES", "");
}
