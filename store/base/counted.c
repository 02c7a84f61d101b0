#include "store/base/counted.h"

#include <inttypes.h>
#include <stdio.h>

struct counted counted(uint64_t n, const char *noun)
{
	struct counted c;

	snprintf(c.text, sizeof(c.text), "%" PRIu64 " %s%s", n, noun,
		 n == 1 ? "" : "s");
	return c;
}
