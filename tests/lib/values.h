/* Random types and values of them, for tests; a seed gives the same again. */
#ifndef TESTS_LIB_VALUES_H
#define TESTS_LIB_VALUES_H
#include "store/type/type.h"
#include "tests/lib/random.h"

/*
 * A type from its name as CQL has it, frozen. The user types are those of the
 * recorded answers: address (street text, city text, zip int, tags set<text>)
 * and Mixed ("A" int, "b c" text, d address). NULL: not such a name.
 */
struct type *type_named(const char *name);
/* A type, frozen, with at most depth levels of parts. */
struct type *random_type(struct random *rng, unsigned depth);
/*
 * A valid value, not null; not empty either. From a small range, so that two
 * are often equal or nearly so. Only what canonical text can say (no NaN with
 * other bits, minimal varints, full tuples) with canonical.
 */
void random_value(struct buf *out, struct random *rng, const struct type *t,
		  bool canonical);
#endif
