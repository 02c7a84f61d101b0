/* The name that a mistyped word is most like: of commands, options, keyspaces,
 * tables and columns. */
#ifndef TOOLS_LIB_NEAREST_H
#define TOOLS_LIB_NEAREST_H
#include "store/base/distance.h"

#define NEAREST_MAX DISTANCE_LONGEST
#define NEAREST_HINT (NEAREST_MAX + 24)

struct nearest {
	struct bytes word;
	unsigned most;			/* letters that may be wrong, and one */
	char found[NEAREST_MAX + 1];	/* "": no name is like it */
};

/* The word stays the caller's. */
void nearest_begin(struct nearest *n, struct bytes word);
/* Note the name if it is more like the word than those before. */
void nearest_offer(struct nearest *n, struct bytes name);
/* Return " (did you mean NAME?)", or "" if no name is like the word. */
const char *nearest_hint(const struct nearest *n, char hint[NEAREST_HINT]);
#endif
