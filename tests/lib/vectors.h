/*
 * The recorded answers of tests/vectors: JSON objects a line, each a statement
 * and what a real Cassandra answered (tests/vectors/README.md). Tests run in
 * the folder that holds tests/.
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
	struct bytes answer;	/* its JSON, as it stands */
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

/* tests/vectors/NAME.jsonl. Ends the test when it is not there. */
void vectors_open(struct vectors *v, const char *name);
/* 1 with *vector (valid until the next call), 0 at the end. */
int vectors_next(struct vectors *v, struct vector *vector);
void vectors_close(struct vectors *v);
/*
 * The value of a member of a JSON object, as it stands; null when there is no
 * such member. And a JSON string unescaped, into arena.
 */
struct bytes vector_member(struct bytes object, const char *name);
struct bytes vector_string(struct arena *arena, struct bytes json);
#endif
