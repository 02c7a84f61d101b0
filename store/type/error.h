/* Why a value is refused. */
#ifndef STORE_TYPE_ERROR_H
#define STORE_TYPE_ERROR_H
#include "store/base/bytes.h"

/*
 * A message for people about a value that was refused, in Cassandra's words
 * where it has any. Empty until something fails.
 */
struct type_error {
	char text[1536];	/* a JSON error may show its source twice */
	bool bare;		/* shown as it is, not as "Error decoding …" */
};

/*
 * Set the message, which error may be NULL for. Returns -EINVAL, so that
 * callers can return it.
 */
int type_fail(struct type_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Return the length of a text as an int for "%.*s", limited to the room of a
 * message. */
int type_fail_length(struct bytes text);
#endif
