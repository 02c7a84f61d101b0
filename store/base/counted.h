/* Counts for people: a number with its noun, one or several. Any thread. */
#ifndef STORE_BASE_COUNTED_H
#define STORE_BASE_COUNTED_H
#include <stdint.h>

struct counted {
	char text[48];
};
/* Return "1 row" for (1, "row"), "2 rows" for (2, "row"). */
struct counted counted(uint64_t n, const char *noun);
#endif
