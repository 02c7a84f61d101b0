/*
 * JSON that comes from a descriptor in pieces, taken from it in order: text
 * that must come next, and arrays or objects as a whole. Holds no more than one
 * of these and the bytes of one read.
 */
#ifndef TOOLS_CQL_ANSWER_H
#define TOOLS_CQL_ANSWER_H
#include "store/base/bytes.h"

struct cql_answer {
	struct buf in;		/* read and not used yet, from `at` on */
	size_t at;
};
/* Free what was read. */
void cql_answer_release(struct cql_answer *a);
/* Forget what was read. */
void cql_answer_clear(struct cql_answer *a);
/*
 * All read from fd when they need more, and return 0, -EPROTO when the input
 * ends or is something else, -EINTR after Ctrl-C, or -errno of the read.
 *
 * take: this text comes next; it is used up. peek: the next byte, which stays.
 * value: the array or object that comes next, whole; a slice that is valid
 * until the next call.
 */
int cql_answer_take(struct cql_answer *a, int fd, const char *text);
int cql_answer_peek(struct cql_answer *a, int fd, uint8_t *byte);
int cql_answer_value(struct cql_answer *a, int fd, struct bytes *value);
#endif
