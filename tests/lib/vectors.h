/*
 * The recorded answers of tests/vectors: a JSON object in each line, with a
 * statement and the answer of a real Cassandra (tests/vectors/README.md). Tests
 * run in the folder above tests/.
 */
#ifndef TESTS_LIB_VECTORS_H
#define TESTS_LIB_VECTORS_H
#include <stdio.h>

#include "store/base/arena.h"
#include "store/base/bytes.h"

struct vector {
	int line;		/* from 1 */
	struct bytes text;	/* the whole line */
	struct bytes cql;	/* unescaped; null in a line with an event */
	struct bytes answer;	/* its JSON, unchanged */
	struct bytes code, message;	/* of an error; null without one */
	struct bytes differs;	/* why not to compare; null: compare */
	struct bytes event, keyspace;	/* in vectors/random; else null */
};

struct vectors {
	FILE *file;
	char *buffer;
	size_t size;
	int line;
	struct arena arena;
};

/* Open tests/vectors/NAME.jsonl; the test ends if it is not there. */
void vectors_open(struct vectors *v, const char *name);
/* Step to the next line: 1 with *vector (valid until the next call), 0 at the
 * end. */
int vectors_next(struct vectors *v, struct vector *vector);
void vectors_close(struct vectors *v);
/*
 * Return the value of a member of a JSON object, unchanged; null: there is no
 * such member. Or return a JSON string without its escapes, in the arena.
 */
struct bytes vector_member(struct bytes object, const char *name);
struct bytes vector_string(struct arena *arena, struct bytes json);
#endif
