/* Constants of CQL, and their values by the answers of a real Cassandra. */
#ifndef TESTS_LIB_NATIVE_H
#define TESTS_LIB_NATIVE_H
#include "store/type/convert.h"
#include "tests/lib/random.h"

struct native_case {
	enum type_kind kind;
	enum literal_kind form;
	const char *text;	/* without quotes */
	const char *hex;	/* the value's bytes; NULL: it is refused */
	const char *printed;	/* its canonical text; or why it is refused */
};
/*
 * Check that the constant has these bytes; that they print so, have the length
 * that is told, and are read back; and that every prefix of either text may
 * begin one.
 */
void native_check(const struct native_case *c);
struct native_text {
	enum type_kind kind;
	const char *text;
	const char *hex;	/* the value's bytes; NULL: it is refused */
};
/* Check that native_read_text returns these bytes, or refuses with a reason. */
void native_check_text(const struct native_text *t);
/* Append the bytes of a hex form. */
void native_unhex(struct buf *out, const char *hex);
/* Append a random value of the kind that has a text, from the whole range. */
void native_random(struct buf *out, struct random *rng, enum type_kind kind);
/* Check that the value's text is read back as the same bytes. */
void native_check_round_trip(enum type_kind kind, struct bytes value);
#endif
