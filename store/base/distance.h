/* How far a mistyped word is from another. */
#ifndef STORE_BASE_DISTANCE_H
#define STORE_BASE_DISTANCE_H
#include "store/base/bytes.h"

#define DISTANCE_LONGEST 64	/* of a word; longer ones are like none */

/* Count the letters to change, add, drop or swap with the next to get from a to b:
 * at most limit + 1. This is the optimal string alignment distance. */
unsigned distance_of(struct bytes a, struct bytes b, unsigned limit);
#endif
