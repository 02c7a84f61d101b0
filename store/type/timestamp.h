/*
 * Timestamps: milliseconds since 1970.
 * Functions that read append the value's bytes: 0, or -EINVAL with the message
 * and nothing appended; no memory: out->failed. Any thread.
 */
#ifndef STORE_TYPE_TIMESTAMP_H
#define STORE_TYPE_TIMESTAMP_H
#include "store/type/type.h"

/* Also what we print with a sign before its year; a literal may not. */
int time_read_timestamp(struct buf *out, struct bytes text,
			struct type_error *error);
int time_read_timestamp_literal(struct buf *out, struct bytes text,
				struct type_error *error);
/*
 * TEXT: 2016-10-04T12:34:00.000Z, years beyond 0-9999 with their sign, so that
 * it reads back. CAST: the same as Cassandra's CAST gives it, where years
 * before 1 lose their era (-1 is 0002). JSON and EXACT_JSON: CAST and TEXT with
 * a space for the T.
 */
enum timestamp_style {
	TIMESTAMP_TEXT, TIMESTAMP_CAST, TIMESTAMP_JSON, TIMESTAMP_EXACT_JSON,
};
void time_print_timestamp(struct buf *out, int64_t ms,
			  enum timestamp_style style);
size_t time_timestamp_length(int64_t ms, enum timestamp_style style);
bool time_timestamp_may_begin(struct bytes text);
#endif
