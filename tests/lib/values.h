/* Random types and values of them; a seed gives the same again. */
#ifndef TESTS_LIB_VALUES_H
#define TESTS_LIB_VALUES_H
#include "store/type/type.h"
#include "tests/lib/random.h"

/*
 * Return the type, frozen, of a name in CQL, or NULL if it is none. The user
 * types are those of the recorded answers: address (street text, city text, zip
 * int, tags set<text>) and Mixed ("A" int, "b c" text, d address).
 */
struct type *type_named(const char *name);
/* Return a random type, frozen, with at most depth levels of parts. */
struct type *random_type(struct random *rng, unsigned depth);
/*
 * Append a valid value, neither null nor empty, from a small range, so that two
 * are often equal or nearly so. canonical: only a value that canonical text can
 * have (minimal varints, full tuples, no other forms of NaN).
 */
void random_value(struct buf *out, struct random *rng, const struct type *t,
		  bool canonical);
#endif
