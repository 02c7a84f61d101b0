#include "tools/lib/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum { AUTO, ALWAYS, NEVER } mode;

bool color_set(const char *when)
{
	static const char *const names[] = { "auto", "always", "never" };
	unsigned i;

	for (i = 0; i <= NEVER; i++)
		if (!strcmp(names[i], when)) {
			mode = i;
			return true;
		}
	return false;
}

static bool is_on(void)
{
	const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");

	if (mode != AUTO)
		return mode == ALWAYS;
	return !(none && *none) && terminal && *terminal &&
	       strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO);
}

const char *color_begin(enum color color)
{
	static const char *const begins[] = { "\033[32m", "\033[1;31m" };

	return is_on() ? begins[color] : "";
}

const char *color_end(void)
{
	return is_on() ? "\033[0m" : "";
}
