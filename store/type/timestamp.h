/* Timestamps: milliseconds since 1970. Any thread. */
#ifndef STORE_TYPE_TIMESTAMP_H
#define STORE_TYPE_TIMESTAMP_H
#include "store/type/native.h"

extern const struct native_type native_timestamp;

/*
 * TEXT: 2016-10-04T12:34:00.000Z, years beyond 0-9999 with their sign, so that
 * it reads back. CAST: the same as Cassandra's CAST writes it, where years
 * before 1 lose their era (-1 is 0002). JSON and EXACT_JSON: CAST and TEXT with
 * a space for the T.
 */
enum timestamp_style {
	TIMESTAMP_TEXT, TIMESTAMP_CAST, TIMESTAMP_JSON, TIMESTAMP_EXACT_JSON,
};
void timestamp_print(struct buf *out, int64_t ms,
		     enum timestamp_style style);
size_t timestamp_length(int64_t ms, enum timestamp_style style);
#endif
