/* A constant of CQL and what becomes of it, as a real Cassandra answered. */
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
 * The constant gives these bytes, they print so, are as long as is said, read
 * back, and every prefix of either text may begin one.
 */
void native_check(const struct native_case *c);
struct native_text {
	enum type_kind kind;
	const char *text;
	const char *hex;	/* the value's bytes; NULL: it is refused */
};
/* native_read_text gives these bytes, or refuses with a reason. */
void native_check_text(const struct native_text *t);
/* Bytes from their hex form, appended. */
void native_unhex(struct buf *out, const char *hex);
/* A value of the kind that its text can write, from the whole range. */
void native_random(struct buf *out, struct random *rng, enum type_kind kind);
/* Its text reads back as the same bytes. */
void native_check_round_trip(enum type_kind kind, struct bytes value);
#endif
